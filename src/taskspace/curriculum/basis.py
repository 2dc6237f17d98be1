"""Bases: the few numbers per task on which its probability of success is regressed."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from taskspace.curriculum.threads import one_thread

Floats = NDArray[np.float64]

COMPONENTS = 10  # of a population's logit profiles
RANDOM_FEATURES = 32  # without a population
PRIOR_VARIANCE = 10.0  # of the logit of a task, whatever the number of columns
_CERTAIN = 1e-4  # probabilities nearer to 0 or 1 count as this near
_SEED = 0  # of random features, which are the same for the same tasks


class ProfileModel(Protocol):
    """A model of a population, such as `SuccessModel`."""

    def predict_proba(self, tasks: Any) -> Floats:
        """Probabilities of success (agents, tasks)."""


def population_basis(model: ProfileModel, tasks: Any, components: int = COMPONENTS) -> Floats:
    """A column of ones and the leading components of the population's logit profiles.

    Tasks on which the agents of a population succeed and fail alike are near each other, so what a
    learner does on one of them tells about the others.

    Args:
        model: The success model of the population.
        tasks: The tasks, as the model takes them.
        components: The most components.

    Returns:
        The basis (tasks, 1 + components); the components have variance 1.

    >>> class Two:
    ...     def predict_proba(self, tasks):
    ...         return np.array([[0.1, 0.5, 0.9], [0.1, 0.5, 0.9]])
    >>> population_basis(Two(), range(3)).round(2) + 0.0
    array([[ 1.  , -1.22],
           [ 1.  ,  0.  ],
           [ 1.  ,  1.22]])
    """
    profiles = logit(np.clip(model.predict_proba(tasks), _CERTAIN, 1 - _CERTAIN)).T
    return _with_ones(principal_components(profiles, components))


def feature_basis(features: Floats, count: int = RANDOM_FEATURES) -> Floats:
    """A column of ones, and random rectified combinations of standardized features.

    They stand for a small network whose first layer is not trained: its last layer is then a
    regression, whose uncertainty is known.

    >>> feature_basis(np.eye(3), count=5).shape[0]
    3
    """
    rng = np.random.default_rng(_SEED)
    inputs = _standardized(features)
    weights = rng.normal(size=(inputs.shape[1], count)) / np.sqrt(max(1, inputs.shape[1]))
    with one_thread():
        hidden = np.maximum(inputs @ weights + rng.normal(size=count), 0.0)
    return _with_ones(_standardized(hidden))


def principal_components(rows: Floats, count: int) -> Floats:
    """The leading principal components of rows, with variance 1; constant ones are left out."""
    centred = rows - rows.mean(0)
    with one_thread():  # bit-identical on any number of cores
        values, vectors = np.linalg.eigh(centred.T @ centred)
        order = [i for i in np.argsort(-values)[:count] if values[i] > 1e-9 * values.max()]
        # The sign of an eigenvector is arbitrary: its largest entry is made positive.
        chosen = vectors[:, order]
        if order:
            largest = chosen[np.abs(chosen).argmax(0), range(len(order))]
            chosen = chosen * np.sign(largest)
        return _standardized(centred @ chosen)


def _standardized(columns: Floats) -> Floats:
    """Columns with mean 0 and variance 1; constant columns are left out."""
    centred = columns - columns.mean(0)
    spread = centred.std(0)
    varies = spread > 1e-9
    found: Floats = centred[:, varies] / spread[varies]
    return found


def _with_ones(columns: Floats) -> Floats:
    return np.column_stack([np.ones(len(columns)), columns])

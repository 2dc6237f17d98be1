"""Predictors, maps and models that several test modules use."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.applications.posterior import Posterior
from taskspace.applications.predictor import PerformancePredictor
from taskspace.outcomes.outcomes import Outcomes
from tests import tolerances

RNG = np.random.default_rng(0)
FEATURES = RNG.normal(size=(7, 3))
PROFILES = RNG.uniform(size=(7, 4)).astype(np.float32)
NEAR: Any = {"rtol": 0, "atol": tolerances.CHANCE}


def table(successes: Any, rollouts: Any, **more: Any) -> Outcomes:
    return Outcomes(np.asarray(successes), np.asarray(rollouts), **more)


class Plain:
    """A map that leaves tasks as they are."""

    def transform(self, tasks: Any, /) -> NDArray[np.float64]:
        return np.asarray(tasks, np.float64)


class Fixed:
    """A map that gives the same vectors whatever the tasks are."""

    def __init__(self, vectors: Any) -> None:
        self.vectors = vectors

    def transform(self, tasks: Any, /) -> Any:
        return self.vectors


KNOWN = table(np.ones((2, 7), int), 1, features=FEATURES)
POSTERIOR = Posterior(PROFILES, np.full(4, 0.25), 1.0, 32.0)


def predictor_of(embedder: Any = None) -> PerformancePredictor:
    return PerformancePredictor.from_posterior(POSTERIOR, KNOWN.tasks, KNOWN.features, embedder)


PREDICTOR = predictor_of()


def two_kinds(agents: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """One subpopulation solves the first ten tasks, the other the last ten, with some noise."""
    first = rng.integers(0, 2, agents)[:, None] == np.repeat([0, 1], 10)
    return rng.binomial(1, np.where(first, 0.9, 0.1))


class Kinds:
    """Two subpopulations: each solves one half of the tasks, some agents better than others."""

    def __init__(self, agents: int = 40) -> None:
        self.skill = np.linspace(0.6, 0.95, agents)[:, None]
        self.left = np.arange(agents)[:, None] % 2 == 0
        self.sample_ = np.linspace(0, 1, 120)[:, None]

    def predict_proba(self, tasks: Any) -> Any:
        own = (np.asarray(tasks)[:, 0] < 0.5) == self.left
        return np.where(own, self.skill, 1 - self.skill)

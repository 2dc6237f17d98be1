"""The share of the linear population model in predictions for known tasks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from taskspace.applications.task_mixtures import TaskMixture
from taskspace.models.linear_population import LinearPopulation
from taskspace.models.success.factors import Floats


def blend(
    probabilities: Floats,
    population: LinearPopulation | None,
    share: float,
    answered: NDArray[np.int64],
    results: Floats,
    tasks: TaskMixture,
) -> Floats:
    """Blend the candidates' probabilities on tasks with this share of the linear model's.

    Without answers there is nothing to blend, and the linear model has only known tasks: new ones
    among the answered are -1.
    """
    if not share or population is None or not len(answered) or (answered < 0).any():
        return probabilities
    needed, index = np.unique(tasks.numbers, return_inverse=True)
    found = population.predict(*each_once(answered, results), needed)
    linear = np.clip(found, 0.0, 1.0)[index.reshape(tasks.numbers.shape)]
    mixed = (linear * tasks.shares).sum(1)
    return (1 - share) * probabilities + share * mixed


def each_once(answered: NDArray[np.int64], results: Floats) -> tuple[NDArray[np.int64], Floats]:
    """The different tasks among the answered ones, and the mean of the results on each.

    >>> each_once(np.array([3, 0, 3]), np.array([1.0, 1.0, 0.0]))
    (array([0, 3]), array([1. , 0.5]))
    """
    tasks, attempt, counts = np.unique(answered, return_inverse=True, return_counts=True)
    if len(tasks) == len(answered):
        return answered, results
    return tasks, np.bincount(attempt, results) / counts

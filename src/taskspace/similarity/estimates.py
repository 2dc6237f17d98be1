"""Similarities estimated from a table of results, without the bias that few agents cause.

Mutual information from a finite number of agents is too large on average: two independent tasks
seem to share c / (2 n ln 2) bits, where n is the number of agents that tried both, and c is 1 if
each agent tried each task once, and less if agents tried them several times. The same holds for
returns, for which c is larger if similarities are corrected for the noise of several attempts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace.similarity.profiles import INFORMATION
from taskspace.similarity.task_statistics import TaskStatistics

Floats = NDArray[np.float64]


def estimates(
    statistics: TaskStatistics,
    rows: ArrayLike | None = None,
    columns: ArrayLike | None = None,
    measure: str = INFORMATION,
) -> Floats:
    """Similarities of tasks, with the expected bias subtracted.

    Args:
        statistics: The results of agents on tasks.
        rows: The indices of the tasks in the rows; all by default.
        columns: The indices of the tasks in the columns; all by default.
        measure: "information", in bits, or "correlation", which has no such bias.

    Returns:
        The similarities (rows, columns); those of independent tasks are 0 on average, so some are
        negative. Similarities are NaN if too few agents tried both tasks.

    >>> from taskspace.similarity.statistics import SuccessStatistics
    >>> rng = np.random.default_rng(0)
    >>> independent = SuccessStatistics.from_rates(rng.integers(0, 2, (50, 200)))
    >>> some, others = np.arange(100), np.arange(100, 200)
    >>> round(float(independent.matrix(some, others).mean()), 3)
    0.015
    >>> round(float(estimates(independent, some, others).mean()), 3)
    0.0
    """
    found = statistics.matrix(rows, columns, measure).astype(np.float64)
    if measure != INFORMATION:
        return found
    one, other = (_indices(statistics, chosen) for chosen in (rows, columns))
    noise = statistics.noise
    agents = np.maximum(agents_together(statistics, one, other), 1)
    return found - noise[one, None] * noise[other] / (2 * np.log(2) * agents)


def pair_estimates(statistics: TaskStatistics, first: ArrayLike, second: ArrayLike) -> Floats:
    """Similarities of pairs of tasks in bits, with the expected bias subtracted.

    Args:
        statistics: The results of agents on tasks.
        first: The index of the first task of each pair.
        second: The index of the second task of each pair.

    Returns:
        One similarity per pair, as in `estimates`.

    >>> from taskspace.similarity.statistics import SuccessStatistics
    >>> statistics = SuccessStatistics.from_rates([[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> pair_estimates(statistics, [0], [1]).round(2)
    array([0.82])
    """
    noise = statistics.noise
    bias = noise[np.asarray(first, np.int64)] * noise[np.asarray(second, np.int64)]
    agents = np.maximum(statistics.together(first, second), 1)
    return statistics.pairs(first, second) - bias / (2 * np.log(2) * agents)


def agents_together(
    statistics: TaskStatistics, rows: ArrayLike | None = None, columns: ArrayLike | None = None
) -> Floats:
    """The number of agents that tried both tasks of each pair (rows, columns)."""
    one, other = (_indices(statistics, chosen) for chosen in (rows, columns))
    if statistics.tried is None:
        return np.full((len(one), len(other)), float(statistics.rates.shape[1]))
    tried = (statistics.tried[tasks].astype(np.float32) for tasks in (one, other))
    first, second = tried
    return (first @ second.T).astype(np.float64)


def _indices(statistics: TaskStatistics, chosen: ArrayLike | None) -> NDArray[np.int64]:
    return np.arange(statistics.n_tasks) if chosen is None else np.asarray(chosen, np.int64)

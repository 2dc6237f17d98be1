"""Similarities estimated from a table of results, without the bias that few agents cause.

Mutual information from a finite number of agents is too large on average: two independent tasks
seem to share c / (2 n ln 2) bits, where n is the number of agents that tried both, and c is 1 if
each agent tried each task once, and less if agents tried them several times. The same holds for
returns, for which c is larger if similarities are corrected for the noise of several attempts.

A correlation from n agents has no bias, but an error of about sqrt(c / n). It is shrunk towards 0,
to n / (n + 10 c) times its value: the mean of what it may truly be if correlations of tasks have a
standard deviation of about 1 / sqrt(10) = 0.3. Of 10 agents half of it is left, of 100 agents 91 %.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace.similarity.profiles import INFORMATION, check_measure
from taskspace.similarity.task_statistics import TaskStatistics

Floats = NDArray[np.float64]

# Chosen on simulated tables of 10 to 50 agents: of 4, 7, 10, 15 and 20, the largest that made no
# map worse. It reduces the root mean square error of their correlations by a fifth on average.
_PRIOR_AGENTS = 10


def estimates(
    statistics: TaskStatistics,
    rows: ArrayLike | None = None,
    columns: ArrayLike | None = None,
    measure: str = INFORMATION,
) -> Floats:
    """Similarities of tasks, with the expected bias subtracted or, if signed, shrunk towards 0.

    Args:
        statistics: The results of agents on tasks.
        rows: The indices of the tasks in the rows; all by default.
        columns: The indices of the tasks in the columns; all by default.
        measure: "information", in bits, or "correlation".

    Returns:
        The similarities (rows, columns); those of independent tasks are 0 on average, so some are
        negative. Similarities are NaN if too few agents tried both tasks.

    Raises:
        ValueError: If there is no such measure, or if an index is out of range.

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
    one, other = (_indices(statistics, chosen) for chosen in (rows, columns))
    noise, agents = statistics.noise, agents_together(statistics, one, other)
    return _corrected(statistics, found, noise[one, None] * noise[other], agents, measure)


def pair_estimates(
    statistics: TaskStatistics,
    first: ArrayLike,
    second: ArrayLike,
    measure: str = INFORMATION,
) -> Floats:
    """Similarities of pairs of tasks, corrected for few agents as in `estimates`.

    Args:
        statistics: The results of agents on tasks.
        first: The index of the first task of each pair.
        second: The index of the second task of each pair.
        measure: "information", in bits, or "correlation".

    Returns:
        One similarity per pair, as in `estimates`.

    >>> from taskspace.similarity.statistics import SuccessStatistics
    >>> statistics = SuccessStatistics.from_rates([[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> pair_estimates(statistics, [0], [1]).round(2)
    array([0.82])
    >>> pair_estimates(statistics, [0], [1], "correlation").round(2)  # 4 / (4 + 10) of -1
    array([-0.29])
    """
    found, agents = statistics.pairs(first, second, measure), statistics.together(first, second)
    noise = statistics.noise
    both = noise[np.asarray(first, np.int64)] * noise[np.asarray(second, np.int64)]
    return _corrected(statistics, found, both, agents, measure)


def _corrected(
    statistics: TaskStatistics, found: Floats, noise: Floats, agents: NDArray[Any], measure: str
) -> Floats:
    """Similarities without the bias of few agents or, if signed, shrunk towards 0."""
    number = np.maximum(agents, 1)
    if check_measure(measure) == INFORMATION:
        return found - statistics.chance_bits(noise, number)
    return found * number / (number + _PRIOR_AGENTS * noise)


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

"""Ordinal constraints: which of two tasks is more similar to a third, and which is harder."""

from __future__ import annotations

import itertools
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taskspace.similarity.information import entropy
from taskspace.similarity.profiles import INFORMATION
from taskspace.similarity.statistics import (
    ENOUGH_TOGETHER,
    NOTICEABLE,
    SuccessStatistics,
    sample_pairs,
)

SHARPNESS = 1000.0  # the paper's beta: how strongly a difference in similarity determines the order
DIFFICULTY_GAP = 0.1  # smallest difference in the probability of success of a pair

_LEAST_KNOWN = 1e-3  # smallest fraction of known triplets with which similarity is used
_ROUNDS, _LEAST_DRAWN = (
    20,
    1000,
)  # rounds, and triplets per round, that are drawn to find known ones
_RARE_GAP = 0.01  # if a smaller fraction of pairs differ in difficulty, they are enumerated …
_ENOUGH_TO_KNOW = 100_000  # … after this number of draws


@dataclass(frozen=True, eq=False)
class Triplets:
    """Triplets of tasks with the probability of their order (C_MI in the paper).

    Attributes:
        tasks: The indices of the tasks (n, 3): an anchor and two others.
        probability: The probability (n,) that the second task is more similar to the anchor than
            the third task.

    >>> triplets = Triplets(np.array([[0, 1, 2], [0, 1, 2]]), np.array([1.0, 0.0]))
    >>> triplets.ordered(np.random.default_rng(0))
    array([[0, 1, 2],
           [0, 2, 1]])
    """

    tasks: NDArray[np.int64]
    probability: NDArray[np.float64]

    def ordered(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw the order of each triplet with its probability, as in the paper.

        Args:
            rng: The random generator.

        Returns:
            Rows (anchor, near, far) of indices.
        """
        yes = rng.random(len(self.tasks)) < self.probability
        return np.where(yes[:, None], self.tasks, self.tasks[:, [0, 2, 1]])


def draw_triplets(
    statistics: SuccessStatistics,
    n: int,
    rng: np.random.Generator,
    pool: NDArray[np.int64],
    measure: str = INFORMATION,
) -> Triplets:
    """Draw triplets of different tasks whose similarities are known.

    Args:
        statistics: The success rates of agents on tasks.
        n: The number of triplets.
        rng: The random generator.
        pool: The indices of the tasks to draw from.
        measure: The measure of similarity, "information" or "correlation".

    Returns:
        The triplets.

    Raises:
        ValueError: If there are fewer than three tasks, or if too few agents tried the same tasks.

    >>> statistics = SuccessStatistics.from_rates([[1, 1, 0], [0, 0, 0], [1, 1, 1], [0, 0, 1]])
    >>> rng = np.random.default_rng(0)
    >>> triplets = draw_triplets(statistics, 100, rng, np.arange(3))
    >>> anchored = triplets.tasks[:, 0] == 0
    >>> near = triplets.ordered(rng)[anchored, 1]
    >>> bool((near == 1).all())  # tasks 0 and 1 have the same outcomes
    True
    """
    tasks = pool[_different(len(pool), n, 3, rng)]
    gaps = _gaps(statistics, tasks, measure)
    if np.isnan(gaps).any():
        _draw_unknown_again(statistics, tasks, gaps, rng, pool, measure)
    with np.errstate(over="ignore"):
        return Triplets(tasks, 1.0 / (1.0 + np.exp(-SHARPNESS * gaps)))


def _gaps(
    statistics: SuccessStatistics, tasks: NDArray[np.int64], measure: str
) -> NDArray[np.float64]:
    """Similarity to the first task: the second minus the third; NaN if unknown."""
    near = statistics.pairs(tasks[:, 0], tasks[:, 1], measure)
    return near - statistics.pairs(tasks[:, 0], tasks[:, 2], measure)


def _draw_unknown_again(
    statistics: SuccessStatistics,
    tasks: NDArray[np.int64],
    gaps: NDArray[np.float64],
    rng: np.random.Generator,
    pool: NDArray[np.int64],
    measure: str,
) -> None:
    """Replace triplets with unknown gaps by other triplets."""
    for _ in range(_ROUNDS):
        rows = np.flatnonzero(np.isnan(gaps))
        if not len(rows):
            return
        others = pool[_different(len(pool), max(len(rows), _LEAST_DRAWN), 3, rng)]
        found = _gaps(statistics, others, measure)
        known = np.flatnonzero(~np.isnan(found))[: len(rows)]
        rows = rows[: len(known)]
        tasks[rows], gaps[rows] = others[known], found[known]
    unknown = np.isnan(gaps)
    if unknown.all():
        raise ValueError(
            f"at least {ENOUGH_TOGETHER} agents must have tried both tasks of a pair, got fewer in"
            " all triplets of tasks; let the same agents try more of the tasks"
        )
    again = rng.choice(
        np.flatnonzero(~unknown), int(unknown.sum())
    )  # known triplets are repeated to fill up
    tasks[unknown], gaps[unknown] = tasks[again], gaps[again]


def draw_pairs(
    statistics: SuccessStatistics, n: int, rng: np.random.Generator, pool: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Draw pairs of tasks whose difficulties differ by more than 0.1 (C_NORM in the paper).

    Args:
        statistics: The success rates of agents on tasks.
        n: The number of pairs.
        rng: The random generator.
        pool: The indices of the tasks to draw from.

    Returns:
        Rows (easier, harder) of indices.

    Raises:
        ValueError: If there are fewer than two tasks.

    >>> statistics = SuccessStatistics.from_rates([[1.0, 0.0, 0.5]])
    >>> pairs = draw_pairs(statistics, 100, np.random.default_rng(0), np.arange(3))
    >>> np.unique(pairs, axis=0).tolist()
    [[0, 1], [0, 2], [2, 1]]
    """
    found: list[NDArray[np.int64]] = []
    missing, drawn, rare = n, 0, False
    while missing > 0:
        rare = rare or (drawn > _ENOUGH_TO_KNOW and n - missing < _RARE_GAP * drawn)
        if rare:
            tasks = _far_apart(statistics, missing, rng, pool)
        else:
            tasks = pool[_different(len(pool), 2 * missing + 64, 2, rng)]
        gap = statistics.success[tasks[:, 0]] - statistics.success[tasks[:, 1]]
        ordered = np.where(gap[:, None] > 0, tasks, tasks[:, ::-1])
        found.append(ordered[np.abs(gap) > DIFFICULTY_GAP][:missing])
        missing, drawn = missing - len(found[-1]), drawn + len(tasks)
    return np.concatenate(found)


def _far_apart(
    statistics: SuccessStatistics, n: int, rng: np.random.Generator, pool: NDArray[np.int64]
) -> NDArray[np.int64]:
    """`n` pairs drawn uniformly from those that differ by at least (nearly) DIFFICULTY_GAP."""
    hardest_first = pool[np.argsort(statistics.success[pool], kind="stable")]
    success = statistics.success[hardest_first]
    start = np.searchsorted(success, success + 0.999 * DIFFICULTY_GAP)  # first easier task of each
    ends = np.cumsum(len(pool) - start)  # pairs are numbered consecutively, task by task
    number = rng.integers(0, ends[-1], n)
    harder = np.searchsorted(ends, number, side="right")
    easier = len(pool) - (ends[harder] - number)
    return hardest_first[np.stack([easier, harder], axis=1)]


def can_tell_similarity(
    statistics: SuccessStatistics, pool: NDArray[np.int64], measure: str = INFORMATION
) -> bool:
    """Whether the similarities of tasks in the pool are known and differ."""
    chosen = pool[:: max(1, len(pool) // 200)]
    matrix = statistics.matrix(chosen, chosen, measure)
    known = ~np.eye(len(chosen), dtype=bool) & ~np.isnan(matrix)
    partners = known.sum(1)
    triplets = len(chosen) * (len(chosen) - 1) * (len(chosen) - 2)
    if len(pool) < 3 or (partners * (partners - 1)).sum() < _LEAST_KNOWN * triplets:
        return False
    return bool(np.ptp(matrix[known]) > 1e-6)


def can_tell_difficulty(statistics: SuccessStatistics, pool: NDArray[np.int64]) -> bool:
    """Whether any two tasks in the pool differ enough in difficulty."""
    success = statistics.success[pool]
    return len(pool) >= 2 and bool(np.ptp(success) > DIFFICULTY_GAP)


def check_orders(statistics: SuccessStatistics, measure: str = INFORMATION) -> None:
    """Refuse outcomes that give no constraints; warn if too few agents tried the same tasks."""
    _check_together(statistics)
    everything = np.arange(statistics.n_tasks)
    known = can_tell_similarity(statistics, everything, measure)
    if known or can_tell_difficulty(statistics, everything):
        return
    mean = float(statistics.success.mean())
    cause = "all tasks have the same outcomes in this population"
    if float(entropy(statistics.success).max(initial=0.0)) < 1e-9:
        cause = "every task is always solved" if mean > 0.5 else "no task is ever solved"
    raise ValueError(
        f"outcomes must differ between tasks, got outcomes in which {cause}; add weaker or stronger"
        " agents, or other tasks"
    )


def _check_together(statistics: SuccessStatistics) -> None:
    """Check that enough agents tried both tasks of the pairs."""
    if statistics.tried is None or statistics.n_tasks < 2:
        return
    tried = statistics.tried
    if tried.shape[1] < ENOUGH_TOGETHER:
        tasks, agents = (int((~tried.all(axis)).sum()) for axis in (1, 0))
        raise ValueError(
            f"results must be of at least {ENOUGH_TOGETHER} agents if some are missing, because two"
            f" tasks are compared only if {ENOUGH_TOGETHER} agents tried both, got"
            f" {tried.shape[1]} agents; leave out the tasks ({tasks} of {len(tried)}) or the agents"
            f" ({agents} of {tried.shape[1]}) with missing results: a complete table may have fewer"
            " agents"
        )
    pairs = sample_pairs(statistics.n_tasks, np.random.default_rng(0))
    share = float((statistics.together(*pairs) < ENOUGH_TOGETHER).mean())
    if share == 1:
        raise ValueError(
            f"at least {ENOUGH_TOGETHER} agents must have tried both tasks of a pair, got fewer for"
            " every pair; let the same agents try more of the tasks"
        )
    if share >= NOTICEABLE:
        warnings.warn(
            f"fewer than {ENOUGH_TOGETHER} agents tried both tasks of {share:.0%} of the pairs;"
            " these pairs are ignored",
            stacklevel=3,
        )


def _different(count: int, n: int, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """`n` rows of `size` different integers below `count`."""
    if count < size:
        raise ValueError(f"there must be at least {size} tasks, got {count}")
    rows = rng.integers(0, count, (n, size))
    while True:
        twins = [one == other for one, other in itertools.combinations(rows.T, 2)]
        repeated = np.logical_or.reduce(twins)
        if not repeated.any():
            return rows
        rows[repeated] = rng.integers(0, count, (int(repeated.sum()), size))

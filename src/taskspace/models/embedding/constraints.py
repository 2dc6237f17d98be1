"""In which order: which of two tasks is more like a third, and which of two is harder."""

from __future__ import annotations

import itertools
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taskspace.similarity.information import entropy
from taskspace.similarity.statistics import (
    ENOUGH_TOGETHER,
    NOTICEABLE,
    SuccessStatistics,
    sample_pairs,
)

SHARPNESS = 1000.0  # the paper's beta: how surely a difference in similarity decides the order
DIFFICULTY_GAP = 0.1  # pairs whose probabilities of success differ by less are left out

_LEAST_KNOWN = 1e-3  # with a smaller share of triplets, nothing is said about similarity
_ROUNDS, _LEAST_DRAWN = 20, 1000  # enough to find some of these, however few are wanted
_RARE_GAP = 0.01  # with a smaller share of pairs that differ in difficulty, they are looked up …
_ENOUGH_TO_KNOW = 100_000  # … once so many have been drawn


@dataclass(frozen=True, eq=False)
class Triplets:
    """C_MI before the order is drawn: is the second task more like the first than the third is?"""

    tasks: NDArray[np.int64]  # (n, 3)
    probability: NDArray[np.float64]  # (n,) that the answer is yes

    def ordered(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """Rows (anchor, near, far), the order drawn with its probability as in the paper."""
        yes = rng.random(len(self.tasks)) < self.probability
        return np.where(yes[:, None], self.tasks, self.tasks[:, [0, 2, 1]])


def draw_triplets(
    statistics: SuccessStatistics, n: int, rng: np.random.Generator, pool: NDArray[np.int64]
) -> Triplets:
    """Draw `n` triplets of different tasks of the pool whose similarities are known."""
    tasks = pool[_different(len(pool), n, 3, rng)]
    gaps = _gaps(statistics, tasks)
    if np.isnan(gaps).any():
        _draw_unknown_again(statistics, tasks, gaps, rng, pool)
    with np.errstate(over="ignore"):
        return Triplets(tasks, 1.0 / (1.0 + np.exp(-SHARPNESS * gaps)))


def _gaps(statistics: SuccessStatistics, tasks: NDArray[np.int64]) -> NDArray[np.float64]:
    """How much more similar the second task is to the first than the third is; NaN: not known."""
    near = statistics.pairs(tasks[:, 0], tasks[:, 1])
    return near - statistics.pairs(tasks[:, 0], tasks[:, 2])


def _draw_unknown_again(
    statistics: SuccessStatistics,
    tasks: NDArray[np.int64],
    gaps: NDArray[np.float64],
    rng: np.random.Generator,
    pool: NDArray[np.int64],
) -> None:
    """Put others in the place of triplets whose gap is not known."""
    for _ in range(_ROUNDS):
        places = np.flatnonzero(np.isnan(gaps))
        if not len(places):
            return
        others = pool[_different(len(pool), max(len(places), _LEAST_DRAWN), 3, rng)]
        found = _gaps(statistics, others)
        known = np.flatnonzero(~np.isnan(found))[: len(places)]
        places = places[: len(known)]
        tasks[places], gaps[places] = others[known], found[known]
    unknown = np.isnan(gaps)
    if unknown.all():
        raise ValueError(
            f"found no three of these tasks of which {ENOUGH_TOGETHER} agents tried the first and"
            " the second, and as many the first and the third"
        )
    again = rng.choice(np.flatnonzero(~unknown), int(unknown.sum()))  # the few stand for the rest
    tasks[unknown], gaps[unknown] = tasks[again], gaps[again]


def draw_pairs(
    statistics: SuccessStatistics, n: int, rng: np.random.Generator, pool: NDArray[np.int64]
) -> NDArray[np.int64]:
    """C_NORM: `n` rows (easier, harder) of tasks of the pool whose difficulty differs enough."""
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
    """`n` pairs drawn evenly from all that differ enough, and a few that hardly do not."""
    hardest_first = pool[np.argsort(statistics.success[pool], kind="stable")]
    success = statistics.success[hardest_first]
    start = np.searchsorted(success, success + 0.999 * DIFFICULTY_GAP)  # of the easier ones
    ends = np.cumsum(len(pool) - start)  # the pairs of each task, numbered one after another
    number = rng.integers(0, ends[-1], n)
    harder = np.searchsorted(ends, number, side="right")
    easier = len(pool) - (ends[harder] - number)
    return hardest_first[np.stack([easier, harder], axis=1)]


def can_tell_similarity(statistics: SuccessStatistics, pool: NDArray[np.int64]) -> bool:
    """Whether outcomes on tasks of the pool say anything about each other."""
    chosen = pool[:: max(1, len(pool) // 200)]
    matrix = statistics.matrix(chosen, chosen)
    known = ~np.eye(len(chosen), dtype=bool) & ~np.isnan(matrix)
    partners = known.sum(1)
    triplets = len(chosen) * (len(chosen) - 1) * (len(chosen) - 2)
    if len(pool) < 3 or (partners * (partners - 1)).sum() < _LEAST_KNOWN * triplets:
        return False
    return bool(np.ptp(matrix[known]) > 1e-6)


def can_tell_difficulty(statistics: SuccessStatistics, pool: NDArray[np.int64]) -> bool:
    """Whether some pair of the pool differs enough in difficulty."""
    success = statistics.success[pool]
    return len(pool) >= 2 and bool(np.ptp(success) > DIFFICULTY_GAP)


def check_orders(statistics: SuccessStatistics) -> None:
    """Refuse outcomes that put no tasks in any order; warn if too few agents tried the same."""
    _check_together(statistics)
    everything = np.arange(statistics.n_tasks)
    if can_tell_similarity(statistics, everything) or can_tell_difficulty(statistics, everything):
        return
    mean = float(statistics.success.mean())
    cause = "all tasks look alike to this population"
    if float(entropy(statistics.success).max(initial=0.0)) < 1e-9:
        cause = "every task is always solved" if mean > 0.5 else "no task is ever solved"
    raise ValueError(
        f"these outcomes put no tasks in any order: {cause}; a map needs agents that differ in"
        " what they can do, so add weaker or stronger agents, or other tasks"
    )


def _check_together(statistics: SuccessStatistics) -> None:
    """Two tasks can be compared if enough agents tried both."""
    if statistics.tried is None or statistics.n_tasks < 2:
        return
    pairs = sample_pairs(statistics.n_tasks, np.random.default_rng(0))
    share = float((statistics.together(*pairs) < ENOUGH_TOGETHER).mean())
    told = f"fewer than {ENOUGH_TOGETHER} agents tried both tasks"
    if share == 1:
        raise ValueError(
            f"{told} of any pair, too few to say how similar tasks are; let the same agents try"
            " more of the tasks"
        )
    if share >= NOTICEABLE:
        warnings.warn(
            f"{told} of {share:.0%} of the pairs, too few to say how similar the two are; these"
            " pairs are left out",
            stacklevel=3,
        )


def _different(count: int, n: int, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """`n` rows of `size` different numbers below `count`."""
    if count < size:
        raise ValueError(f"expected at least {size} tasks, not {count}")
    rows = rng.integers(0, count, (n, size))
    while True:
        twins = [one == other for one, other in itertools.combinations(rows.T, 2)]
        repeated = np.logical_or.reduce(twins)
        if not repeated.any():
            return rows
        rows[repeated] = rng.integers(0, count, (int(repeated.sum()), size))

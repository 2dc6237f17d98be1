"""In which order: which of two tasks is more like a third, and which of two is harder."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taskspace.similarity import SuccessStatistics, entropy

SHARPNESS = 1000.0  # the paper's beta: how surely a difference in similarity decides the order
DIFFICULTY_GAP = 0.1  # pairs whose probabilities of success differ by less are left out


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
    """Draw `n` triplets of different tasks of the pool."""
    tasks = pool[_different(len(pool), n, 3, rng)]
    near = statistics.pairs(tasks[:, 0], tasks[:, 1])
    far = statistics.pairs(tasks[:, 0], tasks[:, 2])
    with np.errstate(over="ignore"):
        return Triplets(tasks, 1.0 / (1.0 + np.exp(-SHARPNESS * (near - far))))


def draw_pairs(
    statistics: SuccessStatistics, n: int, rng: np.random.Generator, pool: NDArray[np.int64]
) -> NDArray[np.int64]:
    """C_NORM: `n` rows (easier, harder) of tasks of the pool whose difficulty differs enough."""
    found: list[NDArray[np.int64]] = []
    missing = n
    while missing > 0:
        tasks = pool[_different(len(pool), 2 * missing + 64, 2, rng)]
        gap = statistics.success[tasks[:, 0]] - statistics.success[tasks[:, 1]]
        ordered = np.where(gap[:, None] > 0, tasks, tasks[:, ::-1])
        found.append(ordered[np.abs(gap) > DIFFICULTY_GAP][:missing])
        missing -= len(found[-1])
    return np.concatenate(found)


def can_tell_similarity(statistics: SuccessStatistics, pool: NDArray[np.int64]) -> bool:
    """Whether outcomes on tasks of the pool say anything about each other."""
    chosen = pool[:: max(1, len(pool) // 200)]
    matrix = statistics.matrix(chosen, chosen)
    return len(pool) >= 3 and bool(np.ptp(matrix[~np.eye(len(chosen), dtype=bool)]) > 1e-6)


def can_tell_difficulty(statistics: SuccessStatistics, pool: NDArray[np.int64]) -> bool:
    """Whether some pair of the pool differs enough in difficulty."""
    success = statistics.success[pool]
    return len(pool) >= 2 and bool(np.ptp(success) > DIFFICULTY_GAP)


def check_orders(statistics: SuccessStatistics) -> None:
    """Refuse outcomes that put no tasks in any order."""
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


def _different(count: int, n: int, size: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """`n` rows of `size` different numbers below `count`."""
    if count < size:
        raise ValueError(f"expected at least {size} tasks, not {count}")
    rows = rng.integers(0, count, (n, size))
    while True:
        ordered = np.sort(rows, axis=1)
        repeated = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
        if not repeated.any():
            return rows
        rows[repeated] = rng.integers(0, count, (int(repeated.sum()), size))

"""Ordinal constraints of both types, drawn from pools of tasks or of pairs of tasks."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taskspace.models.embedding.constraints import (
    Triplets,
    can_tell_difficulty,
    can_tell_similarity,
    draw_pairs,
    draw_triplets,
)
from taskspace.similarity.profiles import INFORMATION
from taskspace.similarity.task_statistics import TaskStatistics

HELD_OUT = 1000  # constraints of each type for validation, and the same number for the test
FEW_TASKS = 100  # with fewer, no task is held out
FEW_FOR_PAIRS = 30  # with fewer, no pair of tasks is held out
GROUPS = 10  # of tasks, if pairs of tasks are held out instead of tasks


@dataclass(frozen=True, eq=False)
class Pool:
    """The source of constraints: tasks, and which pairs of them may be compared.

    If tasks are in groups, the sum of the groups of a pair (modulo `GROUPS`) is one of `sums`. So
    each task occurs in several pools that have no pair in common.
    """

    tasks: NDArray[np.int64]
    groups: NDArray[np.int64] | None = (
        None  # the group of each task; None: all pairs belong to the pool
    )
    sums: tuple[int, ...] = tuple(range(GROUPS))

    def triplets(
        self,
        statistics: TaskStatistics,
        n: int,
        rng: np.random.Generator,
        measure: str = INFORMATION,
    ) -> Triplets:
        """`n` triplets in which both pairs with the first task belong to the pool."""
        drawn = draw_triplets(statistics, self._to_draw(n, 2), rng, self.tasks, measure)
        chosen = self._choose(drawn.tasks, n)
        return Triplets(drawn.tasks[chosen], drawn.probability[chosen])

    def pairs(
        self, statistics: TaskStatistics, n: int, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """`n` rows (easier, harder) that belong to the pool."""
        drawn = draw_pairs(statistics, self._to_draw(n, 1), rng, self.tasks)
        return drawn[self._choose(drawn, n)]

    def _to_draw(self, n: int, pairs: int) -> int:
        if self.groups is None:
            return n
        share = (len(self.sums) / GROUPS) ** pairs
        return int(1.1 * n / share) + 64

    def _choose(self, rows: NDArray[np.int64], n: int) -> NDArray[np.int64]:
        """`n` rows that belong to the pool, with repetitions if there are too few."""
        if self.groups is None:
            return np.arange(n)
        sums = (self.groups[rows[:, :1]] + self.groups[rows[:, 1:]]) % GROUPS
        belong = np.flatnonzero(np.isin(sums, self.sums).all(1))
        return np.resize(belong, n) if len(belong) else belong


def task_pools(tasks: int, rng: np.random.Generator) -> tuple[Pool, Pool, Pool]:
    """Tasks to train, validate and test on; small sets of tasks are used for all three."""
    order = rng.permutation(tasks)
    if tasks < FEW_TASKS:
        return Pool(order), Pool(order), Pool(order)
    tenth = tasks // 10
    return Pool(order[2 * tenth :]), Pool(order[:tenth]), Pool(order[tenth : 2 * tenth])


def tested_pairs(tasks: int, named: bool) -> int:
    """The number of pairs of tasks in the pool to test on, 0 if it is not held out.

    Args:
        tasks: The number of tasks.
        named: Whether tasks are known by name, so that pairs are held out instead of tasks.
    """
    if tasks < (FEW_FOR_PAIRS if named else FEW_TASKS):
        return 0
    return math.comb(tasks, 2) // GROUPS if named else math.comb(tasks // 10, 2)


def pair_pools(tasks: int, rng: np.random.Generator) -> tuple[Pool, Pool, Pool]:
    """Pairs of tasks to train, validate and test on, each pool with all tasks.

    New triplets alone would not be held out: 50 tasks have 58,800 triplets, training draws more
    than that, and the pairs (a, b) and (b, c) are informative about (a, c). Therefore the
    similarities of pairs are held out: the triplets of different pools have no pair in common.
    """
    everything, groups = np.arange(tasks), rng.permutation(tasks) % GROUPS
    if tasks < FEW_FOR_PAIRS:
        return Pool(everything), Pool(everything), Pool(everything)
    train, validation, test = tuple(range(2, GROUPS)), (0,), (1,)
    return (
        Pool(everything, groups, train),
        Pool(everything, groups, validation),
        Pool(everything, groups, test),
    )


@dataclass(frozen=True, eq=False)
class Constraints:
    """Constraints of both types; a type that the outcomes do not determine is empty."""

    triplets: Triplets
    pairs: NDArray[np.int64]

    @classmethod
    def draw(
        cls,
        statistics: TaskStatistics,
        pool: Pool,
        n: int,
        norm_weight: float,
        rng: np.random.Generator,
        measure: str = INFORMATION,
    ) -> Constraints:
        """Draw `n` constraints of each type from the pool."""
        triplets = Triplets(np.zeros((0, 3), np.int64), np.zeros(0))
        if can_tell_similarity(statistics, pool.tasks, measure):
            triplets = pool.triplets(statistics, n, rng, measure)
        pairs = np.zeros((0, 2), np.int64)
        if norm_weight > 0 and can_tell_difficulty(statistics, pool.tasks):
            pairs = pool.pairs(statistics, n, rng)
        return cls(triplets, pairs)

    def decided(self, rng: np.random.Generator) -> Constraints:
        """The same constraints with the order of each triplet drawn once."""
        tasks = self.triplets.ordered(rng)
        return Constraints(Triplets(tasks, np.ones(len(tasks))), self.pairs)

    def sample(self, n: int, rng: np.random.Generator) -> Constraints:
        """Draw `n` constraints of each nonempty type, with replacement."""
        triplets, pairs = self.triplets, self.pairs
        if len(triplets.tasks):
            chosen = rng.integers(0, len(triplets.tasks), n)
            triplets = Triplets(triplets.tasks[chosen], triplets.probability[chosen])
        if len(pairs):
            pairs = pairs[rng.integers(0, len(pairs), n)]
        return Constraints(triplets, pairs)

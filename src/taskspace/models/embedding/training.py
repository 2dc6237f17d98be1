"""Algorithm 1: fit a network to ordinal constraints, by default new ones for every step."""

from __future__ import annotations

import copy
import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray

from taskspace.models.embedding.constraints import (
    Triplets,
    can_tell_difficulty,
    can_tell_similarity,
    draw_pairs,
    draw_triplets,
)
from taskspace.models.embedding.losses import norm_loss, triplet_loss
from taskspace.similarity.profiles import INFORMATION
from taskspace.similarity.statistics import SuccessStatistics

CLIP_NORM = 2.0
HELD_OUT = 1000  # constraints of each type for validation, and the same number for the test
FEW_TASKS = 100  # with fewer, no task is held out
FEW_FOR_PAIRS = 30  # with fewer, no pair of tasks is held out
GROUPS = 10  # of tasks, if pairs of tasks are held out instead of tasks
DRAWN_AT_ONCE = 1 << 20  # largest number of constraints, to bound memory


@dataclass(frozen=True)
class Training:
    """Settings of the training."""

    norm_weight: float
    learning_rate: float
    batch_size: int
    steps: int
    patience: int  # checks without a better validation loss before training stops
    n_constraints: int | None = None  # drawn once and reused; None: new ones for every step
    check_every: int = 250


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
        statistics: SuccessStatistics,
        n: int,
        rng: np.random.Generator,
        measure: str = INFORMATION,
    ) -> Triplets:
        """`n` triplets in which both pairs with the first task belong to the pool."""
        drawn = draw_triplets(statistics, self._to_draw(n, 2), rng, self.tasks, measure)
        chosen = self._choose(drawn.tasks, n)
        return Triplets(drawn.tasks[chosen], drawn.probability[chosen])

    def pairs(
        self, statistics: SuccessStatistics, n: int, rng: np.random.Generator
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
        statistics: SuccessStatistics,
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

    def batches(self, steps: int = 1) -> Batches:
        """The constraints as tensors, divided into steps."""
        three = self.triplets.tasks.reshape(steps, -1, 3).transpose(0, 2, 1).reshape(steps, -1)
        two = self.pairs.reshape(steps, -1, 2).transpose(0, 2, 1).reshape(steps, -1)
        rows = torch.from_numpy(np.concatenate([three, two], axis=1))
        probability = self.triplets.probability.reshape(steps, -1).astype(np.float32)
        return Batches(rows, torch.from_numpy(probability), three.shape[1])


@dataclass(frozen=True)
class Batches:
    """Constraints of each step, with their tasks in one row for a single forward pass."""

    rows: torch.Tensor  # (steps, tasks): anchors, ones, others, easier, harder
    probability: torch.Tensor  # (steps, triplets)
    in_triplets: int  # number of tasks that belong to triplets

    def loss(
        self, step: int, network: torch.nn.Module, tasks: torch.Tensor, norm_weight: float
    ) -> torch.Tensor:
        """The objective of Algorithm 1 on the constraints of one step."""
        vectors = network(tasks[self.rows[step].to(tasks.device)])
        total = vectors.new_zeros(())
        if self.in_triplets:
            anchor, one, other = vectors[: self.in_triplets].chunk(3)
            probability = self.probability[step].to(vectors)
            total = total + triplet_loss(anchor, one, other, probability)
        if self.in_triplets < len(vectors):
            easier, harder = vectors[self.in_triplets :].chunk(2)
            total = total + norm_weight * norm_loss(easier, harder)
        return total


@dataclass
class History:
    """Losses during training: `loss` is the mean since the last check."""

    step: list[int] = field(default_factory=list)
    loss: list[float] = field(default_factory=list)
    validation: list[float] = field(default_factory=list)


def fit_network(
    network: torch.nn.Module,
    tasks: torch.Tensor,
    statistics: SuccessStatistics,
    pools: tuple[Pool, Pool],
    training: Training,
    rng: np.random.Generator,
    report: Callable[[int, float], None],
) -> History:
    """Train on the first pool, and restore the state with the lowest loss on the second."""
    train, held_out = pools
    weight, size = training.norm_weight, training.batch_size
    validation = Constraints.draw(statistics, held_out, HELD_OUT, weight, rng).batches()
    draw = functools.partial(Constraints.draw, statistics, train, norm_weight=weight, rng=rng)
    if training.n_constraints is not None:
        draw = functools.partial(draw(n=training.n_constraints).decided(rng).sample, rng=rng)
    optimizer = torch.optim.Adam(network.parameters(), training.learning_rate, fused=True)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, training.steps)
    history, best, best_state, since_best = History(), np.inf, None, 0
    for start in range(0, training.steps, training.check_every):
        steps = min(training.check_every, training.steps - start)
        total = 0.0
        for fresh, step in _batches(draw, steps, size):
            loss = fresh.loss(step, network, tasks, weight)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(network.parameters(), CLIP_NORM)
            optimizer.step()
            schedule.step()
            total += float(loss.detach())
        with torch.no_grad():
            now = float(validation.loss(0, network, tasks, weight))
        history.step.append(start + steps)
        history.loss.append(total / steps)
        history.validation.append(now)
        report(steps, now)
        since_best = 0 if now < best else since_best + 1
        if now < best:
            best, best_state = now, copy.deepcopy(network.state_dict())
        if since_best >= training.patience:
            break
    if best_state is not None:
        network.load_state_dict(best_state)
    return history


def _batches(
    draw: Callable[..., Constraints], steps: int, size: int
) -> Iterator[tuple[Batches, int]]:
    """Constraints for `steps` batches of this size, with the index of each step in them."""
    at_once = max(1, DRAWN_AT_ONCE // size)
    for start in range(0, steps, at_once):
        some = min(at_once, steps - start)
        batches = draw(n=some * size).batches(some)
        yield from ((batches, step) for step in range(some))

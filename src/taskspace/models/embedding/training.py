"""Algorithm 1: fit a network to ordinal constraints, by default drawn afresh for every step."""

from __future__ import annotations

import copy
import functools
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
from taskspace.similarity.statistics import SuccessStatistics

CLIP_NORM = 2.0
HELD_OUT = 1000  # constraints of each kind for validation, and as many for the test
FEW_TASKS = 100  # with fewer, no task is held out
FEW_FOR_PAIRS = 30  # with fewer, no pair of tasks is held out
GROUPS = 10  # of tasks, where pairs of tasks are held out and not tasks
DRAWN_AT_ONCE = 1 << 20  # constraints at the most, so that memory stays bounded


@dataclass(frozen=True)
class Training:
    """How to fit."""

    norm_weight: float
    learning_rate: float
    batch_size: int
    steps: int
    patience: int  # checks without a better validation loss before it stops
    n_constraints: int | None = None  # drawn once and used again and again; None: ever fresh ones
    check_every: int = 250


@dataclass(frozen=True, eq=False)
class Pool:
    """Where constraints come from: tasks, and which pairs of them may be compared.

    Where tasks are in groups, the groups of a pair have a sum (modulo `GROUPS`) that is one of
    `sums`. So every task is compared with others in each of several pools that share no pair.
    """

    tasks: NDArray[np.int64]
    groups: NDArray[np.int64] | None = None  # of every task; None: all pairs count
    sums: tuple[int, ...] = tuple(range(GROUPS))

    def triplets(self, statistics: SuccessStatistics, n: int, rng: np.random.Generator) -> Triplets:
        """`n` triplets, of which both pairs with the first task belong to the pool."""
        drawn = draw_triplets(statistics, self._to_draw(n, 2), rng, self.tasks)
        kept = self._kept(drawn.tasks, n)
        return Triplets(drawn.tasks[kept], drawn.probability[kept])

    def pairs(
        self, statistics: SuccessStatistics, n: int, rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """`n` rows (easier, harder) that belong to the pool."""
        drawn = draw_pairs(statistics, self._to_draw(n, 1), rng, self.tasks)
        return drawn[self._kept(drawn, n)]

    def _to_draw(self, n: int, pairs: int) -> int:
        if self.groups is None:
            return n
        share = (len(self.sums) / GROUPS) ** pairs
        return int(1.1 * n / share) + 64

    def _kept(self, rows: NDArray[np.int64], n: int) -> NDArray[np.int64]:
        """Which `n` rows belong to the pool, with repeats if they are too few."""
        if self.groups is None:
            return np.arange(n)
        sums = (self.groups[rows[:, :1]] + self.groups[rows[:, 1:]]) % GROUPS
        belong = np.flatnonzero(np.isin(sums, self.sums).all(1))
        return np.resize(belong, n) if len(belong) else belong


def task_pools(tasks: int, rng: np.random.Generator) -> tuple[Pool, Pool, Pool]:
    """Tasks to train, validate and test on; few tasks serve all three."""
    order = rng.permutation(tasks)
    if tasks < FEW_TASKS:
        return Pool(order), Pool(order), Pool(order)
    tenth = tasks // 10
    return Pool(order[2 * tenth :]), Pool(order[:tenth]), Pool(order[tenth : 2 * tenth])


def pair_pools(tasks: int, rng: np.random.Generator) -> tuple[Pool, Pool, Pool]:
    """Pairs of tasks to train, validate and test on, each pool with all tasks.

    Fresh triplets alone would hold nothing out. Of 50 tasks there are 58,800, and training draws
    more; and what was seen of a with b and of b with c tells much about a with c. So it is the
    similarity of two tasks that is held out: no triplet of another pool has that pair.
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
    """Constraints of both kinds; a kind that the outcomes cannot tell is empty."""

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
    ) -> Constraints:
        """`n` of each kind that belong to the pool."""
        triplets = Triplets(np.zeros((0, 3), np.int64), np.zeros(0))
        if can_tell_similarity(statistics, pool.tasks):
            triplets = pool.triplets(statistics, n, rng)
        pairs = np.zeros((0, 2), np.int64)
        if norm_weight > 0 and can_tell_difficulty(statistics, pool.tasks):
            pairs = pool.pairs(statistics, n, rng)
        return cls(triplets, pairs)

    def decided(self, rng: np.random.Generator) -> Constraints:
        """The same with the order of each triplet drawn once and for all."""
        tasks = self.triplets.ordered(rng)
        return Constraints(Triplets(tasks, np.ones(len(tasks))), self.pairs)

    def sample(self, n: int, rng: np.random.Generator) -> Constraints:
        """`n` of each kind that there is, with repeats."""
        triplets, pairs = self.triplets, self.pairs
        if len(triplets.tasks):
            chosen = rng.integers(0, len(triplets.tasks), n)
            triplets = Triplets(triplets.tasks[chosen], triplets.probability[chosen])
        if len(pairs):
            pairs = pairs[rng.integers(0, len(pairs), n)]
        return Constraints(triplets, pairs)

    def batches(self, steps: int = 1) -> Batches:
        """The same, cut into steps and ready for the network."""
        three = self.triplets.tasks.reshape(steps, -1, 3).transpose(0, 2, 1).reshape(steps, -1)
        two = self.pairs.reshape(steps, -1, 2).transpose(0, 2, 1).reshape(steps, -1)
        rows = torch.from_numpy(np.concatenate([three, two], axis=1))
        probability = self.triplets.probability.reshape(steps, -1).astype(np.float32)
        return Batches(rows, torch.from_numpy(probability), three.shape[1])


@dataclass(frozen=True)
class Batches:
    """Constraints of each step: the tasks that occur in them, in one row for one forward pass."""

    rows: torch.Tensor  # (steps, tasks): anchors, ones, others, easier, harder
    probability: torch.Tensor  # (steps, triplets)
    in_triplets: int  # how many of the tasks belong to triplets

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
    """Losses on the way: `loss` is the mean since the last check."""

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
    """Train on the first pool, keep the state that is best on the second."""
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
    """Constraints for so many steps of this size, and the place of each step in them."""
    at_once = max(1, DRAWN_AT_ONCE // size)
    for start in range(0, steps, at_once):
        some = min(at_once, steps - start)
        batches = draw(n=some * size).batches(some)
        yield from ((batches, step) for step in range(some))

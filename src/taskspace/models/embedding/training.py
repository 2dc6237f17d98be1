"""Algorithm 1: fit a network to ordinal constraints, by default new ones for every step."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import torch

from taskspace.models.embedding.losses import norm_loss, triplet_loss
from taskspace.models.embedding.pools import HELD_OUT, Constraints, Pool
from taskspace.similarity.task_statistics import TaskStatistics

CLIP_NORM = 2.0
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


@dataclass(frozen=True)
class Batches:
    """Constraints of each step, with their tasks in one row for a single forward pass."""

    rows: torch.Tensor  # (steps, tasks): anchors, ones, others, easier, harder
    probability: torch.Tensor  # (steps, triplets)
    in_triplets: int  # number of tasks that belong to triplets

    @classmethod
    def of(cls, constraints: Constraints, steps: int = 1) -> Batches:
        """The constraints as tensors, divided into steps."""
        triplets, pairs = constraints.triplets, constraints.pairs
        three = triplets.tasks.reshape(steps, -1, 3).transpose(0, 2, 1).reshape(steps, -1)
        two = pairs.reshape(steps, -1, 2).transpose(0, 2, 1).reshape(steps, -1)
        rows = torch.from_numpy(np.concatenate([three, two], axis=1))
        probability = triplets.probability.reshape(steps, -1).astype(np.float32)
        return cls(rows, torch.from_numpy(probability), three.shape[1])

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
    statistics: TaskStatistics,
    pools: tuple[Pool, Pool],
    training: Training,
    rng: np.random.Generator,
    report: Callable[[int, float], None],
) -> History:
    """Train on the first pool, and restore the state with the lowest loss on the second."""
    train, held_out = pools
    weight, size = training.norm_weight, training.batch_size
    validation = Batches.of(Constraints.draw(statistics, held_out, HELD_OUT, weight, rng))
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
        batches = Batches.of(draw(n=some * size), some)
        yield from ((batches, step) for step in range(some))

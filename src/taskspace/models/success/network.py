"""The network of the success model and its training: piecewise linear encoding, residual layers.

Success can change abruptly at a threshold of a feature (in MultiKeyNav, at the end of a key's
segment), which a plain network smooths out. Therefore a feature with many values is divided into
bins with equal numbers of tasks, and each bin adds an input that rises from -1 to 1 across it, so
that each bin can be learned separately.
"""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import softplus

from taskspace.models.success.adam import AdamW
from taskspace.models.success.forward import FARTHEST, NARROWEST, PARTS

MOST_LEVELS = 16  # a column with more distinct values is divided into bins
TASKS_PER_BIN = 16  # at least
BLOCK = 8192  # tasks per forward pass
ENCODED = 256  # the same for an encoder of structured tasks, whose layers may take much memory


class Encoding(torch.nn.Module):
    """Maps features in double precision to standardized columns, and ramps across some of them."""

    parts: ClassVar[tuple[str, ...]] = PARTS
    one_thread = True  # its matrices are small; another map can be learned on the next core

    mean: torch.Tensor  # (features,)
    scale: torch.Tensor  # (features,)
    columns: torch.Tensor  # (cut,): indices of the columns that are divided into bins
    edges: torch.Tensor  # (cut, 1 + bins), of standardized columns

    def __init__(self, tensors: dict[str, torch.Tensor]) -> None:
        super().__init__()
        for name in self.parts:
            self.register_buffer(name, tensors[name])
        self.size = len(self.mean) + (self.edges.shape[1] - 1) * len(self.columns)

    @classmethod
    def of(cls, tasks: NDArray[np.float64], bins: int) -> Encoding:
        """The encoding with the scale and the bins of these tasks; without bins if it is 0.

        >>> tasks = np.column_stack([np.linspace(0, 1, 1000), np.arange(1000) % 2])
        >>> encoding = Encoding.of(tasks, bins=4)
        >>> encoding(torch.tensor([[0.375, 1.0]], dtype=torch.float64)).round(decimals=2)
        tensor([[-0.4300,  1.0000,  1.0000,  0.0000, -1.0000, -1.0000]])
        """
        mean, scale = tasks.mean(0), np.maximum(tasks.std(0), 1e-6)
        standard = (tasks - mean) / scale
        levels = np.array([len(np.unique(column)) for column in tasks.T])
        columns = np.flatnonzero(levels > MOST_LEVELS) if bins else np.arange(0)
        shares = np.linspace(0, 1, 1 + max(1, min(bins, len(tasks) // TASKS_PER_BIN)))
        edges = np.quantile(standard[:, columns], shares, axis=0).T.astype(np.float32, order="C")
        arrays = {"mean": mean, "scale": scale, "columns": columns, "edges": edges}
        return cls({name: torch.from_numpy(array) for name, array in arrays.items()})

    def forward(self, tasks: torch.Tensor) -> torch.Tensor:
        """One row per task, in the precision of the edges."""
        standard = ((tasks - self.mean) / self.scale).clamp(-FARTHEST, FARTHEST).to(self.edges)
        low, high = self.edges[:, :-1], self.edges[:, 1:]
        ahead = standard[:, self.columns, None] - low
        ramps = (ahead / (high - low).clamp(min=NARROWEST)).clamp(0, 1)
        return torch.cat([standard, 2 * ramps.flatten(1) - 1], dim=1)


class Residual(torch.nn.Module):
    """A residual block of two layers."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.LayerNorm(width),
            torch.nn.Linear(width, width),
            torch.nn.ReLU(),
            torch.nn.Linear(width, width),
        )

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """The output has the shape of the input."""
        changed: torch.Tensor = inputs + self.layers(inputs)
        return changed


def success_network(
    encoder: torch.nn.Module, width: int, blocks: int, agents: int
) -> torch.nn.Sequential:
    """The network from tasks to the logit of each agent's success.

    The encoder is an `Encoding` of features or an `Encoder` of structured tasks.
    """
    size: Any = encoder.size
    return torch.nn.Sequential(
        encoder,
        torch.nn.Linear(size, width),
        *(Residual(width) for _ in range(blocks)),
        torch.nn.LayerNorm(width),
        torch.nn.ReLU(),
        torch.nn.Linear(width, agents),
    )


def linear_network(encoder: torch.nn.Module, agents: int) -> torch.nn.Sequential:
    """The network without hidden layers: each agent's logit is linear in the code of a task."""
    size: Any = encoder.size
    return torch.nn.Sequential(encoder, torch.nn.Linear(size, agents))


def last_layer(network: torch.nn.Sequential) -> torch.nn.Linear:
    """The output layer, with one row per agent."""
    layer = network[-1]
    assert isinstance(layer, torch.nn.Linear)
    return layer


def logits_of(network: torch.nn.Sequential, tasks: torch.Tensor) -> torch.Tensor:
    """Logits (tasks, agents) without gradients, block by block."""
    return outputs(network, tasks, BLOCK if _reads_quickly(network) else ENCODED)


def _reads_quickly(network: torch.nn.Sequential) -> bool:
    """Whether tasks are rows of numbers, which need no encoder."""
    return isinstance(network[0], (Encoding, torch.nn.Linear))


def outputs(network: torch.nn.Module, tasks: torch.Tensor, block: int = ENCODED) -> torch.Tensor:
    """The output for each task without gradients, block by block."""
    network.eval()
    with torch.no_grad():
        return torch.cat([network(part) for part in torch.split(tasks, block)])


# -- learning --------------------------------------------------------------------------------------

WEIGHT_DECAY = 0.01
WARM_UP = 0.1  # fraction of the steps in which the learning rate rises
LEAST_STEPS = 1000  # for small sets of tasks
PATIENCE = 8  # checks without a better validation loss before learning ends
CHECKS = 20  # at most, evenly spaced
# Tasks per check; more would not change which check has the lowest loss. An encoder takes longer.
MOST_CHECKED, MOST_ENCODED_CHECKED = 4000, 1000
_NEWTON_STEPS = 20


@dataclass(frozen=True, eq=False)
class Counts:
    """Tasks with the success counts of agents."""

    tasks: torch.Tensor  # (tasks, features) in double precision, or what an encoder takes
    successes: torch.Tensor  # (tasks, agents), single or bytes
    rollouts: torch.Tensor  # (tasks, agents), the same; 0 for pairs that were never tried

    def __len__(self) -> int:
        return len(self.tasks)

    def of(self, chosen: torch.Tensor) -> Counts:
        """The counts of some of the tasks."""
        parts = (self.tasks, self.successes, self.rollouts)
        return Counts(*(part.index_select(0, chosen) for part in parts))

    def first(self, count: int) -> Counts:
        """The counts of the first tasks."""
        return Counts(self.tasks[:count], self.successes[:count], self.rollouts[:count])

    def encoded(self, encoder: torch.nn.Module) -> Counts:
        """The same counts with the codes of the tasks."""
        return Counts(outputs(encoder, self.tasks), self.successes, self.rollouts)

    def totals(self) -> tuple[torch.Tensor, torch.Tensor]:
        """The successes and the rollouts of each agent on all tasks."""
        return _total(self.successes), _total(self.rollouts)

    def losses(self, logits: torch.Tensor) -> torch.Tensor:
        """Log loss of each pair in nats: the binomial loss up to a constant."""
        return self.rollouts * softplus(logits) - self.successes * logits

    def loss(self, logits: torch.Tensor) -> torch.Tensor:
        """Log loss in nats per rollout."""
        return self.losses(logits).sum() / self.rollouts.sum().clamp(min=1)


def _total(table: torch.Tensor) -> torch.Tensor:
    """The sum over tasks; torch would first copy a table of bytes with eight bytes per count."""
    if table.dtype == torch.uint8:
        return torch.from_numpy(table.numpy().sum(0, dtype=np.int64))
    return table.sum(0)


@dataclass(frozen=True)
class Training:
    """Settings of the training."""

    learning_rate: float
    batch_size: int
    epochs: int
    least_steps: int = LEAST_STEPS

    def steps(self, tasks: int) -> int:
        """The number of steps for this number of tasks."""
        least = self.least_steps if self.epochs else 0
        return max(self.epochs * -(-tasks // self.batch_size), least)


def fit_network(
    network: torch.nn.Sequential,
    train: Counts,
    validation: Counts,
    training: Training,
    generator: torch.Generator,
    report: Callable[[int, float], None],
) -> dict[str, list[float]]:
    """Train, restore the state with the lowest validation loss, and return the losses."""
    _start_at_means(last_layer(network), train)
    steps = training.steps(len(train))
    optimizer = AdamW(network.parameters(), WEIGHT_DECAY)
    quick = _reads_quickly(network)
    checked = validation.first(MOST_CHECKED if quick else MOST_ENCODED_CHECKED)
    batches = _batches(len(train), training.batch_size, generator)
    history: dict[str, list[float]] = {"step": [], "loss": [], "validation": []}
    best, best_state, since_best = math.inf, network.state_dict(), 0
    for done, count in _portions(steps):
        total = torch.zeros(())
        network.train()
        for step in range(done - count, done):
            batch = train.of(next(batches))
            loss = batch.loss(network(batch.tasks))
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step(training.learning_rate * _rate(step, steps))
            total += loss.detach()
        now = float(checked.loss(logits_of(network, checked.tasks)))
        for name, value in (("step", done), ("loss", float(total) / count), ("validation", now)):
            history[name].append(value)
        report(count, now)
        since_best = 0 if now < best else since_best + 1
        if now < best:
            best, best_state = now, copy.deepcopy(network.state_dict())
        if since_best >= PATIENCE:
            break
    if steps and not math.isfinite(best):
        raise ValueError("training diverged; use a smaller learning_rate")
    network.load_state_dict(best_state)
    return history


def _start_at_means(layer: torch.nn.Linear, train: Counts) -> None:
    """Initialize the output for each agent at its mean success rate."""
    solved, tried = train.totals()
    rate = (solved + 1) / (tried + 2)
    with torch.no_grad():
        layer.bias.copy_(torch.logit(rate))


def _rate(step: int, steps: int) -> float:
    """The learning rate relative to the largest: linear warm-up, then cosine decay."""
    warm = max(1, round(WARM_UP * steps))
    if step < warm:
        return (step + 1) / warm
    return 0.5 + 0.5 * math.cos(math.pi * min(1.0, (step - warm) / max(1, steps - warm)))


def _portions(steps: int) -> Iterator[tuple[int, int]]:
    """For each portion between two checks: its last step, and its number of steps."""
    ends = [round(steps * check / CHECKS) for check in range(CHECKS + 1)]
    return ((end, end - start) for start, end in itertools.pairwise(ends) if end > start)


def _batches(tasks: int, size: int, generator: torch.Generator) -> Iterator[torch.Tensor]:
    """Batches of indices from endless passes over the tasks in random order."""
    while True:
        yield from torch.split(torch.randperm(tasks, generator=generator), size)


def calibrate(network: torch.nn.Sequential, validation: Counts) -> dict[str, float]:
    """Scale and shift all logits to maximize the likelihood of these results.

    The two numbers, shared by all agents, are found by Newton's method and folded into the last
    layer.
    """
    logits = logits_of(network, validation.tasks).double()
    slope, shift = _calibration(logits, validation.successes, validation.rollouts)
    layer = last_layer(network)
    with torch.no_grad():
        layer.weight.mul_(slope)
        layer.bias.mul_(slope).add_(shift)
    return {"temperature": 1 / slope, "shift": shift}


def _calibration(
    logits: torch.Tensor, successes: torch.Tensor, rollouts: torch.Tensor
) -> tuple[float, float]:
    inputs = torch.stack([logits.flatten(), torch.ones(logits.numel(), dtype=torch.float64)])
    solved, tried = successes.flatten().double(), rollouts.flatten().double()
    # A weak prior at scale 1 and shift 0, in case the results do not determine them.
    start = torch.tensor([1.0, 0.0], dtype=torch.float64)
    found = start.clone()
    for _ in range(_NEWTON_STEPS):
        predicted = torch.sigmoid(found @ inputs)
        gradient = inputs @ (tried * predicted - solved) + (found - start)
        curvature = (inputs * (tried * predicted * (1 - predicted))) @ inputs.T
        step = torch.linalg.solve(curvature + torch.eye(2, dtype=torch.float64), gradient)
        found = found - step.clamp(-0.5, 0.5)
    return max(float(found[0]), 0.1), float(found[1])

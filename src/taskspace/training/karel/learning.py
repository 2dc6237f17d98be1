"""Training of synthesizers on solved tasks; snapshots of them become agents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
import torch
from numpy.typing import NDArray

from taskspace import checks
from taskspace.agents.agent import Agent
from taskspace.agents.karel.network import PAPER_SIZE, Size, Synthesizer
from taskspace.checkpoints import NONE, Checkpoints
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.data import EXAMPLES, SPECIFICATION
from taskspace.envs.karel.grammar import PartialPrograms
from taskspace.envs.karel.grids import to_grids
from taskspace.envs.karel.language import PAD, TOKENS
from taskspace.training.karel.states import StateStore, TrainingState
from taskspace.training.snapshots import Report

# The kinds of programs that each subpopulation is trained on.
SUBPOPULATIONS = {
    "all": ("plain", "loops", "conditionals"),
    "no-loops": ("plain", "conditionals"),
    "no-conditionals": ("plain", "loops"),
    "neither": ("plain",),
}


@dataclass(frozen=True)
class TrainingSettings:
    """How synthesizers are trained; the same for all subpopulations."""

    size: Size = PAPER_SIZE
    steps: int = 46_000  # 100 passes over the paper's tasks
    batch: int = 128
    rate: float = 1e-4
    final_rate_fraction: float = 1.0  # the final learning rate, as a fraction of the first
    every: int = 460  # steps between measurements of skill
    delta: float = 0.01  # the increase in skill from one snapshot to the next
    skill_tasks: int = 2000  # the number of tasks that skill is measured on
    skill_on_training_tasks: bool = False  # whether these are training tasks, which are easier

    def __post_init__(self) -> None:
        for name in ("steps", "batch", "every", "skill_tasks"):
            checks.whole(getattr(self, name), name, 1)


def learn(
    subpopulation: str,
    tasks: KarelTasks,
    skill_tasks: KarelTasks,
    settings: TrainingSettings,
    *,
    seed: int = 0,
    device: str = "cpu",
    report: Report = lambda done: None,
    checkpoints: Checkpoints = NONE,
) -> list[Agent]:
    """Train a network on the subpopulation's kinds of programs; returns snapshots of rising skill.

    The state of the training is stored in `checkpoints` from time to time, and taken from there if
    an earlier attempt was killed: the agents are bit-identical.

    This sets PyTorch's global seed and number of threads, so run it in a separate process.
    """
    torch.set_num_threads(1)
    chosen = tasks[np.isin(tasks.kinds, SUBPOPULATIONS[subpopulation])]
    if not len(chosen):
        known = ", ".join(sorted(set(tasks.kinds))) or "no programs"
        raise ValueError(
            f"there are no programs for the subpopulation {subpopulation!r} in the tasks; they have"
            f" {known}"
        )
    store = StateStore(checkpoints)
    state = _untrained(settings, seed, device)
    if not store.restore(state):
        state = _untrained(settings, seed, device)  # a damaged file may have been read in part
        state.offer(subpopulation, skill_tasks, settings.delta)
    report(state.steps)
    examples = batches(chosen, settings, np.random.default_rng(seed), state.steps)
    reported = state.steps
    while state.steps < settings.steps:
        _step(state, *(torch.from_numpy(part).to(device) for part in next(examples)))
        if state.steps % settings.every == 0 or state.steps == settings.steps:
            state.offer(subpopulation, skill_tasks, settings.delta)
            report(state.steps - reported)
            reported = state.steps
        store.save_if_due(state)
    return state.agents


def _untrained(settings: TrainingSettings, seed: int, device: str) -> TrainingState:
    torch.manual_seed(seed)
    network = Synthesizer(settings.size).to(device)
    optimizer = torch.optim.Adam(network.parameters(), settings.rate, fused=True)
    schedule = torch.optim.lr_scheduler.LinearLR(
        optimizer, 1.0, settings.final_rate_fraction, settings.steps
    )
    return TrainingState(network, optimizer, schedule)


def _step(state: TrainingState, *batch: torch.Tensor) -> None:
    """One step of Adam on a batch of examples."""
    loss = loss_of(state.network, *batch)
    state.optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(state.network.parameters(), 1.0)
    state.optimizer.step()
    state.schedule.step()
    state.steps += 1


def batches(
    tasks: KarelTasks, settings: TrainingSettings, rng: np.random.Generator, skipped: int = 0
) -> Iterator[tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.bool_]]]:
    """Grids, tokens and forbidden tokens, in a new random order in each pass.

    In each pass a task shows a random five of its six examples, as data augmentation. The sixth
    example is therefore held out only in tasks that are not trained on. The first `skipped` batches
    are drawn, but left out.
    """
    forbidden = ~allowed_tokens(tasks.tokens)
    size = settings.size
    for chosen, order in islice(_draws(len(tasks), settings.batch, rng), skipped, None):
        grids = to_grids(tasks[chosen], size.side, order, radius=size.radius)
        yield grids, tasks.tokens[chosen].astype(np.int64), forbidden[chosen]


def _draws(
    count: int, batch: int, rng: np.random.Generator
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """The tasks of each batch, and the examples that they show."""
    while True:
        for chosen in np.array_split(rng.permutation(count), -(-count // batch)):
            yield chosen, rng.random((len(chosen), EXAMPLES)).argsort(1)[:, :SPECIFICATION]


def allowed_tokens(tokens: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """The tokens that the grammar allows at each position: (programs, length, 52)."""
    partial = PartialPrograms(len(tokens), tokens.shape[1])
    allowed = np.empty((*tokens.shape, len(TOKENS)), np.bool_)
    for position in range(tokens.shape[1]):
        allowed[:, position] = partial.allowed()
        partial.advance(tokens[:, position])
    return allowed


def loss_of(
    network: Synthesizer, grids: torch.Tensor, tokens: torch.Tensor, forbidden: torch.Tensor
) -> torch.Tensor:
    """The mean cross entropy of the true tokens, among those that the grammar allows."""
    scores = network(grids, tokens).masked_fill(forbidden, -torch.inf)
    return torch.nn.functional.cross_entropy(
        scores.flatten(0, 1), tokens.flatten(), ignore_index=PAD
    )

"""Synthesizers learn from solved tasks, and snapshots of them become agents."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from taskspace import checks
from taskspace.agents.agent import Agent
from taskspace.agents.karel.network import PAPER_SIZE, Size, Synthesizer
from taskspace.agents.karel.policy import SynthesisPolicy
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.data import EXAMPLES, SPECIFICATION
from taskspace.envs.karel.grammar import PartialPrograms
from taskspace.envs.karel.grids import to_grids
from taskspace.envs.karel.language import PAD, TOKENS
from taskspace.training.snapshots import Report

# The kinds of programs that each subpopulation gets to see.
SUBPOPULATIONS = {
    "all": ("plain", "loops", "conditionals"),
    "no-loops": ("plain", "conditionals"),
    "no-conditionals": ("plain", "loops"),
    "neither": ("plain",),
}


@dataclass(frozen=True)
class TrainingSettings:
    """How synthesizers are trained, for every subpopulation alike."""

    size: Size = PAPER_SIZE
    steps: int = 46_000  # 100 passes over the paper's tasks
    batch: int = 128
    rate: float = 1e-4
    falls_to: float = 1.0  # the share of the rate that is left at the end
    every: int = 460  # steps from one measurement of skill to the next
    delta: float = 0.01  # by how much an agent is more skilled than the one before
    judged_on: int = 2000  # tasks that skill is measured on
    by_heart: bool = False  # these are some that were learned from, where new ones are too hard

    def __post_init__(self) -> None:
        for name in ("steps", "batch", "every", "judged_on"):
            checks.whole(getattr(self, name), name, 1)


def learn(
    subpopulation: str,
    tasks: KarelTasks,
    judged_on: KarelTasks,
    settings: TrainingSettings,
    *,
    seed: int = 0,
    device: str = "cpu",
    report: Report = lambda done: None,
) -> list[Agent]:
    """Train a network on tasks of the subpopulation's kinds; snapshots of rising skill.

    It sets PyTorch's global seed and number of threads, so run it in a process of its own.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    chosen = tasks[np.isin(tasks.kinds, SUBPOPULATIONS[subpopulation])]
    if not len(chosen):
        raise ValueError(f"there are no tasks for the subpopulation {subpopulation!r}")
    network = Synthesizer(settings.size).to(device)
    optimizer = torch.optim.Adam(network.parameters(), settings.rate, fused=True)
    falling = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, settings.falls_to, settings.steps)
    material = batches(chosen, settings, np.random.default_rng(seed))
    agents: list[Agent] = []
    done = 0
    for moment in [*range(0, settings.steps, settings.every), settings.steps]:
        for _ in range(moment - done):
            loss = loss_of(network, *(torch.from_numpy(p).to(device) for p in next(material)))
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            falling.step()
        _offer(agents, subpopulation, moment, network, judged_on, settings.delta)
        report(moment - done)
        done = moment
    return agents


def _offer(
    agents: list[Agent], name: str, step: int, network: Synthesizer, tasks: KarelTasks, delta: float
) -> None:
    """Keep the network as it is now if it is better than the last one kept."""
    skill = float(SynthesisPolicy(network).solves(tasks).mean())
    if not agents or skill >= agents[-1].skill + delta:
        policy = SynthesisPolicy(deepcopy(network).cpu())
        agents.append(Agent(f"{name}-{step}", policy, name, step, skill))


def batches(
    tasks: KarelTasks, settings: TrainingSettings, rng: np.random.Generator
) -> Iterator[tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.bool_]]]:
    """Grids, tokens and forbidden tokens, pass after pass in random order.

    Each time a task shows other five of its six examples: more tasks from the same ones. (So the
    sixth is held out in other tasks only, not in those that were learned from.)
    """
    forbidden = ~allowed_tokens(tasks.tokens)
    while True:
        for chosen in np.array_split(rng.permutation(len(tasks)), -(-len(tasks) // settings.batch)):
            order = rng.random((len(chosen), EXAMPLES)).argsort(1)[:, :SPECIFICATION]
            size = settings.size
            grids = to_grids(tasks[chosen], size.side, order, radius=size.radius)
            yield grids, tasks.tokens[chosen].astype(np.int64), forbidden[chosen]


def allowed_tokens(tokens: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Which tokens might have stood at each position of whole programs: (programs, length, 52)."""
    partial = PartialPrograms(len(tokens), tokens.shape[1])
    allowed = np.empty((*tokens.shape, len(TOKENS)), np.bool_)
    for position in range(tokens.shape[1]):
        allowed[:, position] = partial.allowed()
        partial.advance(tokens[:, position])
    return allowed


def loss_of(
    network: Synthesizer, grids: torch.Tensor, tokens: torch.Tensor, forbidden: torch.Tensor
) -> torch.Tensor:
    """Mean surprise at the true tokens, among those that the grammar allows."""
    scores = network(grids, tokens).masked_fill(forbidden, -torch.inf)
    return torch.nn.functional.cross_entropy(
        scores.flatten(0, 1), tokens.flatten(), ignore_index=PAD
    )

"""Near-copies in simulated tables with known copies: how many are found, how often others are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from rich.console import Console

from taskspace.applications.redundancy import redundant
from taskspace.bench.printing import print_lines
from taskspace.outcomes.outcomes import Outcomes

AGENTS, TASKS, SEEDS = 300, 60, 40
FIRST_SEED = 1000  # settings were chosen on smaller seeds
COPIES = (0, 7, 14, 21)  # four copies, so six pairs


@dataclass(frozen=True)
class World:
    """A table of agents that differ in ability, and perhaps in topics."""

    copies: bool
    flipped: float = 0.0  # fraction of the results on the copies that are flipped
    topics: float = 0.0  # weight of six topics; that of ability is 1.5
    attempts: int = 1

    def play(self, seed: int) -> Outcomes:
        """Draw the results."""
        rng = np.random.default_rng(seed)
        logits = 1.5 * rng.normal(size=(AGENTS, 1)) - rng.normal(size=TASKS)
        logits += self.topics * rng.normal(size=(AGENTS, 6))[:, np.arange(TASKS) % 6]
        solved = rng.binomial(self.attempts, 1 / (1 + np.exp(-logits)))
        if self.copies:
            solved[:, COPIES] = solved[:, :1]
            wrong = rng.random((AGENTS, len(COPIES))) < self.flipped
            solved[:, COPIES] = np.where(wrong, 1 - solved[:, COPIES], solved[:, COPIES])
        return Outcomes(solved, np.array(self.attempts))


WORLDS = {
    "no copies": World(False),
    "topics": World(False, topics=2.5),
    "10 attempts": World(False, attempts=10),
    "four copies": World(True),
    "and topics": World(True, topics=2.5),
    "2 % flipped": World(True, flipped=0.02),
    "5 % flipped": World(True, flipped=0.05),
}


def measure(world: World, seeds: int = SEEDS) -> tuple[float, int]:
    """The mean number of pairs of copies found, and the tables with another pair claimed."""
    names = {f"task-{task}" for task in COPIES} if world.copies else set()
    found, wrong = 0, 0
    for seed in range(FIRST_SEED, FIRST_SEED + seeds):
        pairs = redundant(world.play(seed))
        right = [
            {one, other} <= names
            for one, other, sure in zip(pairs.first, pairs.second, pairs.confirmed, strict=True)
            if sure
        ]
        found += sum(right)
        wrong += not all(right)
    return found / seeds, wrong


def print_report(console: Console) -> None:
    """Print a table with one column per world."""
    print_lines(
        console,
        f"Near-copies in {SEEDS} tables of {AGENTS} agents and {TASKS} tasks",
        {
            "pairs of copies found, of 6": lambda each: f"{each[0]:.1f}",
            "tables with another pair claimed": lambda each: f"{each[1]}",
        },
        {name: measure(world) for name, world in WORLDS.items()},
    )

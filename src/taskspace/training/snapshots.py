"""Which moments of a training become agents: those that do better than the last one kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from taskspace.agents.agent import Agent
from taskspace.envs.base import Environment, Tasks
from taskspace.rollouts.evaluate import evaluate

DELTA = 0.01  # the paper's delta_snap
ROLLOUTS = 10  # of each task, to measure skill

Report = Callable[[int], None]  # called with the training steps just done


@dataclass
class Snapshots:
    """The agents that came out of one training so far; the first offered is always kept."""

    subpopulation: str
    env: Environment
    tasks: Tasks  # the paper's S_snap
    delta: float = DELTA
    rollouts: int = ROLLOUTS
    seed: int = 0
    agents: list[Agent] = field(default_factory=list)

    def offer(self, step: int, policy: Any) -> float:
        """Measure the policy's skill, and keep it where it is better by `delta`."""
        skill = self._skill(policy)
        if not self.agents or skill >= self.agents[-1].skill + self.delta:
            name = f"{self.subpopulation}-{step}"
            self.agents.append(Agent(name, policy, self.subpopulation, step, skill))
        return skill

    def _skill(self, policy: Any) -> float:
        # One thread: the subpopulations are what runs in parallel.
        outcomes = evaluate(
            [policy], self.env, self.tasks, self.rollouts,
            seed=self.seed, threads=1, progress=False,
        )  # fmt: skip
        return float(outcomes.rates.mean())

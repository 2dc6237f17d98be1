"""Snapshots of a training, each more skilled than the one before, as agents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from taskspace.agents.agent import Agent
from taskspace.envs.base import Environment, Tasks
from taskspace.rollouts.evaluate import evaluate

DELTA = 0.01  # the paper's delta_snap
ROLLOUTS = 10  # per task, to measure skill

Report = Callable[[int], None]  # called with the number of training steps since the last call


@dataclass
class Snapshots:
    """The snapshots of one training so far; the first policy is always one of them."""

    subpopulation: str
    env: Environment
    tasks: Tasks  # the paper's S_snap
    delta: float = DELTA
    rollouts: int = ROLLOUTS
    seed: int = 0
    agents: list[Agent] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """Whether no policy can add a snapshot: even a skill of 1 would not have risen enough."""
        return bool(self.agents) and self.agents[-1].skill + self.delta > 1.0

    def offer(self, step: int, policy: Any) -> float | None:
        """Measure the policy's skill, and add a snapshot if it has risen by `delta`.

        Returns the skill, or None if there was nothing to measure, because all are complete.
        """
        if self.complete:
            return None
        skill = self._skill(policy)
        if not self.agents or skill >= self.agents[-1].skill + self.delta:
            name = f"{self.subpopulation}-{step}"
            self.agents.append(Agent(name, policy, self.subpopulation, step, skill))
        return skill

    def _skill(self, policy: Any) -> float:
        # One thread, because subpopulations run in parallel.
        outcomes = evaluate(
            [policy], self.env, self.tasks, self.rollouts,
            seed=self.seed, threads=1, progress=False,
        )  # fmt: skip
        return float(outcomes.rates.mean())

"""The subject of a benchmark: an environment with agents trained in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from taskspace.envs.registry import make
from taskspace.outcomes.outcomes import Outcomes
from taskspace.rollouts.evaluate import evaluate
from taskspace.training.recipes import train_population


@dataclass(frozen=True, eq=False)
class Subject:
    """An environment and its agents."""

    env: Any
    population: Any

    @classmethod
    def trained(cls, name: str) -> Subject:
        """An environment with its fast population."""
        env = make(name)
        return cls(env, train_population(env, seed=0, fast=True))

    def play(self, tasks: int, rollouts: int, seed: int) -> Outcomes:
        """Outcomes of the agents on new tasks."""
        return evaluate(
            self.population, self.env, self.env.sample_tasks(tasks, seed=seed), rollouts, seed=seed
        )

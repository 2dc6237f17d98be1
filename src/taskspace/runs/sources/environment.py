"""Outcomes of agents that are trained in an environment and evaluated on its tasks."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.agents.population import Population
from taskspace.envs.base import Environment
from taskspace.models.embedding.estimator import TaskEmbedder
from taskspace.outcomes.outcomes import Outcomes
from taskspace.rollouts.evaluate import evaluate
from taskspace.runs import layout, measures
from taskspace.runs.clusters import Clusters
from taskspace.runs.sources.base import MOST_SHOWN, Played, Source
from taskspace.runs.stages import Stages
from taskspace.training.recipes import train_population


@dataclass(frozen=True)
class MapSettings:
    """Settings for the map of an environment: population, tasks, rollouts and network."""

    n_components: int
    hidden: tuple[int, ...] = (32, 32)
    norm_weight: float = 0.4
    fast: bool = False  # short training of the population
    tasks: int = 5000
    rollouts: int = 20
    steps: int = 6000
    learning_rate: float = 3e-3
    n_constraints: int | None = None  # as in the paper; None draws new constraints at every step
    shown: int = 1000  # tasks per silhouette


# The paper's dimensions with C_NORM; MultiKeyNavAB and MultiKeyNavA need fewer keys.
ENVIRONMENT_SETTINGS = {
    "MultiKeyNav": MapSettings(6),
    "MultiKeyNavAB": MapSettings(4),
    "MultiKeyNavA": MapSettings(3),
    "CartPoleVar": MapSettings(3),
    "PointMass": MapSettings(3),
    "BasicKarel": MapSettings(1, hidden=(64, 32), tasks=20_000, rollouts=10, shown=5000),
}
PRESETS: dict[str, dict[str, Any]] = {
    "fast": {"fast": True, "tasks": 500, "rollouts": 10, "steps": 750, "shown": 300},
    "default": {},
    "paper": {"rollouts": 100, "steps": 12_000, "learning_rate": 1e-3, "n_constraints": 5000},
}


def map_settings(environment: str, preset: str = "default") -> MapSettings:
    """The settings of a preset for an environment."""
    if preset not in PRESETS:
        raise ValueError(f"preset must be one of {', '.join(PRESETS)}, got {preset!r}")
    return replace(ENVIRONMENT_SETTINGS[environment], **PRESETS[preset])


@dataclass(frozen=True)
class EnvironmentSource(Source):
    """A population that is trained in an environment and evaluated on a sample of its tasks."""

    environment: Environment
    preset: str
    seed: int
    executor: str | None

    @property
    def name(self) -> str:  # type: ignore[override]
        """The environment's name."""
        return self.environment.name

    @property
    def plan(self) -> MapSettings:
        """The settings of the preset."""
        return map_settings(self.name, self.preset)

    def settings(self) -> dict[str, Any]:
        """Environment, preset, seed, and the settings of the preset."""
        named = {"environment": self.name, "preset": self.preset, "seed": self.seed}
        return {**named, **asdict(self.plan)}

    def play(self, stages: Stages) -> Played:
        """Train the population, and evaluate it on tasks."""
        population = stages.stage(
            layout.POPULATION,
            lambda: train_population(
                self.environment, seed=self.seed, fast=self.plan.fast, executor=self.executor
            ),
            Population.save,
            Population.load,
        )
        outcomes = stages.stage(
            layout.OUTCOMES,
            lambda: evaluate_pool(
                self.environment, population, self.plan, self.seed, self.executor
            ),
            Outcomes.save,
            Outcomes.load,
        )
        return Played(outcomes, self.environment, population)

    def learn(self, played: Played, seed: int) -> TaskEmbedder:
        """Learn a map with the dimensions of the preset."""
        return new_embedder(self.plan, seed).fit(played.outcomes)

    def clusters(self, played: Played, embedder: TaskEmbedder) -> Clusters:
        """The clusters that the environment defines."""
        return Clusters.known(self.environment, played.outcomes.task_inputs)

    def shown(self, played: Played, clusters: Clusters) -> tuple[Any, NDArray[np.int64]]:
        """Newly sampled tasks."""
        count = min(self.plan.shown, MOST_SHOWN)
        tasks = self.environment.sample_tasks(count, seed=self.seed + 2)
        return tasks, self.environment.clusters(tasks)

    def measure(self, played: Played, embedder: TaskEmbedder) -> dict[str, Any]:
        """Measure accuracies, the noise ceiling, and silhouettes on newly sampled tasks."""
        env, population = played.known
        return measure(env, population, played.outcomes, embedder, self.plan.shown, self.seed)


def measure(
    env: Environment,
    population: Population,
    outcomes: Outcomes,
    embedder: TaskEmbedder,
    shown: int,
    seed: int,
) -> dict[str, Any]:
    """Measure the quality of the map of an environment."""
    scores = measures.silhouettes(env, embedder, shown, seed)
    return {
        **measures.basic_measurements(env.name, outcomes, embedder),
        **measures.separation(scores),
        "noise_ceiling": measures.noise_ceiling(env, population, outcomes, seed),
    }


def evaluate_pool(
    env: Environment,
    population: Population,
    settings: MapSettings,
    seed: int,
    executor: str | None = None,
) -> Outcomes:
    """Evaluate the population on the tasks that the map is learned from."""
    tasks = env.sample_tasks(settings.tasks, seed=seed + 1)
    return evaluate(population, env, tasks, settings.rollouts, seed=seed, executor=executor)


def new_embedder(settings: MapSettings, seed: int) -> TaskEmbedder:
    """The embedder with these settings, not yet fitted."""
    return TaskEmbedder(
        settings.n_components,
        norm_weight=settings.norm_weight,
        hidden=settings.hidden,
        steps=settings.steps,
        learning_rate=settings.learning_rate,
        n_constraints=settings.n_constraints,
        random_state=seed,
    )

"""Outcomes of agents that are trained in an environment and evaluated on its tasks."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.agents.population import Population
from taskspace.checkpoints import NONE, Checkpoints
from taskspace.envs.base import Environment
from taskspace.models.embedding.base import Embedding
from taskspace.models.embedding.task_embedder import TaskEmbedder
from taskspace.outcomes.outcomes import Outcomes
from taskspace.rollouts.evaluate import evaluate
from taskspace.runs import layout, measures
from taskspace.runs.clusters import Clusters
from taskspace.runs.sources.base import MOST_SHOWN, Played, Source
from taskspace.runs.sources.plans import (
    INFORMATION,
    AnyPlan,
    information_plan,
    measure_settings,
    ordinal_plan,
)
from taskspace.runs.stages import Stages
from taskspace.similarity import profiles
from taskspace.training.recipes import train_population


@dataclass(frozen=True)
class EnvironmentSource(Source):
    """A population that is trained in an environment and evaluated on a sample of its tasks."""

    beside = (layout.SECOND_EMBEDDER, layout.PROJECTION, layout.PREDICTOR)

    environment: Environment
    preset: str
    seed: int
    executor: str | None
    method: str
    similarity: str = profiles.INFORMATION

    @property
    def name(self) -> str:  # type: ignore[override]
        """The environment's name."""
        return self.environment.name

    @property
    def plan(self) -> AnyPlan:
        """The settings of the preset."""
        plan = information_plan if self.method == INFORMATION else ordinal_plan
        return plan(self.name, self.preset)

    def described(self) -> dict[str, Any]:
        """The name of the environment, and the arguments that the results depend on."""
        values = [self.preset, self.seed, None, self.method, self.similarity]
        return {"kind": self.name, "values": values}

    def settings(self) -> dict[str, Any]:
        """Environment, preset, seed, method, and the settings of the preset."""
        return {
            "environment": self.name, "preset": self.preset, "seed": self.seed,
            "method": self.method, **measure_settings(self.similarity), **asdict(self.plan),
        }  # fmt: skip

    def play(self, stages: Stages) -> Played:
        """Train the population, and evaluate it on tasks."""
        population = stages.stage(
            layout.POPULATION,
            lambda: train_population(
                self.environment,
                seed=self.seed,
                fast=self.plan.fast,
                executor=self.executor,
                checkpoints=stages.checkpoints,
            ),
            Population.save,
            Population.load,
        )
        training = stages.stage(
            layout.OUTCOMES if self.plan.listed is None else layout.TRAINING,
            lambda: evaluate_pool(
                self.environment,
                population,
                self.plan,
                self.seed,
                self.executor,
                stages.checkpoints,
            ),
            Outcomes.save,
            Outcomes.load,
        )
        listed = self.plan.listed
        if listed is None:
            return Played(training, self.environment, population)
        outcomes = stages.stage(
            layout.OUTCOMES, lambda: training.first_tasks(listed), Outcomes.save, Outcomes.load
        )
        return Played(outcomes, self.environment, population, training)

    def learn(self, played: Played, seed: int) -> Embedding:
        """Learn a map with the dimensions of the preset."""
        outcomes = played.outcomes if played.training is None else played.training
        return self.plan.learn(outcomes, seed, self.similarity)

    def clusters(self, played: Played, embedder: Embedding) -> Clusters:
        """The clusters that the environment defines."""
        return Clusters.known(self.environment, played.outcomes.task_inputs)

    def shown(self, played: Played, clusters: Clusters) -> tuple[Any, NDArray[np.int64]]:
        """Newly sampled tasks."""
        count = min(self.plan.shown, MOST_SHOWN)
        tasks = self.environment.sample_tasks(count, seed=self.seed + 2)
        return tasks, self.environment.clusters(tasks)

    def measure(self, played: Played, embedder: Embedding) -> dict[str, Any]:
        """Measure accuracies, the noise ceiling, and silhouettes on newly sampled tasks."""
        env, population = played.known
        return measure(env, population, played.outcomes, embedder, self.plan.shown, self.seed)


def measure(
    env: Environment,
    population: Population,
    outcomes: Outcomes,
    embedder: Embedding,
    shown: int,
    seed: int,
) -> dict[str, Any]:
    """Measure the quality of the map of an environment."""
    found = {
        **measures.basic_measurements(env.name, outcomes, embedder),
        **measures.separation(measures.silhouettes(env, embedder, shown, seed)),
    }
    if isinstance(embedder, TaskEmbedder):
        return {**found, **measures.new_task_scores(env, population, embedder, seed)}
    return {**found, "noise_ceiling": measures.noise_ceiling(env, population, outcomes, seed)}


def evaluate_pool(
    env: Environment,
    population: Population,
    plan: AnyPlan,
    seed: int,
    executor: str | None = None,
    checkpoints: Checkpoints = NONE,
) -> Outcomes:
    """Evaluate the population on the tasks that the map is learned from."""
    tasks = env.sample_tasks(plan.tasks, seed=seed + 1, distribution=plan.distribution)
    return evaluate(
        population,
        env,
        tasks,
        plan.rollouts,
        seed=seed,
        executor=executor,
        checkpoints=checkpoints,
    )

"""Outcomes of agents that write Karel programs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.agents.population import Population
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.environment import Karel
from taskspace.envs.karel.generate import generate_tasks
from taskspace.models.embedding.estimator import TaskEmbedder
from taskspace.models.embedding.karel_embedder import KarelEmbedder
from taskspace.outcomes.outcomes import Outcomes
from taskspace.rollouts.karel import play
from taskspace.runs import layout, measures
from taskspace.runs.clusters import Clusters
from taskspace.runs.sources.base import MOST_SHOWN, Played, Source
from taskspace.runs.stages import Stages
from taskspace.training.karel.recipes import train_synthesizers, training_settings

SPLITS = ("training", "validation")
TasksBySplit = Mapping[str, KarelTasks]


@dataclass(frozen=True)
class KarelSettings:
    """How the map is made."""

    preset: str  # its name, and that of the training settings
    tasks: int | None  # generated; None: as many as the paper's
    side: int  # of the largest world
    width: int  # of the beam; 1: the most likely token each time
    played: int  # training tasks that the map is learned from
    steps: int  # of the embedder
    shown: int  # tasks for each silhouette


PRESETS = {
    "fast": KarelSettings("fast", tasks=1000, side=6, width=1, played=300, steps=300, shown=150),
    "small": KarelSettings(
        "small", tasks=10_000, side=8, width=10, played=1500, steps=6000, shown=1000
    ),
    "paper": KarelSettings(
        "paper", tasks=None, side=16, width=10, played=58_737, steps=6000, shown=5000
    ),
}


def karel_settings(preset: str) -> KarelSettings:
    """The settings of a preset; what is the default elsewhere is "small" here."""
    if preset == "default":
        return PRESETS["small"]
    if preset not in PRESETS:
        raise ValueError(f"Karel has no preset {preset!r}; there are: {', '.join(PRESETS)}")
    return PRESETS[preset]


@dataclass(frozen=True)
class KarelSource(Source):
    """Synthesizers trained on Karel tasks, which write programs for some of them.

    `data` is a folder that `taskspace karel filter` or `generate` made; without it tasks are
    generated.
    """

    embedder_class = KarelEmbedder
    name = "Karel"

    preset: str
    seed: int
    data: str | os.PathLike[str] | None
    executor: str | None

    def __post_init__(self) -> None:
        karel_settings(self.preset)
        self._given()  # complain before there is a folder

    @property
    def plan(self) -> KarelSettings:
        """The settings of the preset."""
        return karel_settings(self.preset)

    def settings(self) -> dict[str, Any]:
        """Seed, data, and what the preset stands for."""
        data = None if self.data is None else str(Path(self.data).resolve())
        training = asdict(training_settings(self.plan.preset))
        named = {"environment": self.name, "seed": self.seed, "data": data}
        return {**named, **asdict(self.plan), "training": training}

    def play(self, stages: Stages) -> Played:
        """Make the tasks, train the population, and have it write programs."""
        plan = self.plan
        tasks = stages.stage(layout.TASKS, self._tasks, save_tasks, load_tasks)
        population = stages.stage(
            layout.POPULATION,
            lambda: self._train(tasks),
            Population.save,
            Population.load,
        )
        outcomes = stages.stage(
            layout.OUTCOMES,
            lambda: play(population, tasks["training"][: plan.played], executor=self.executor),
            Outcomes.save,
            Outcomes.load,
        )
        return Played(outcomes, Karel(**tasks), population)

    def _train(self, tasks: TasksBySplit) -> Population:
        population = train_synthesizers(
            *(tasks[split] for split in SPLITS),
            settings=self.plan.preset,
            seed=self.seed,
            executor=self.executor,
        )
        return _with_beam(population, self.plan.width)

    def _tasks(self) -> TasksBySplit:
        given = self._given()
        if given is not None:
            return given
        return generate_tasks(self.plan.tasks, self.seed, self.plan.side)[0]

    def _given(self) -> TasksBySplit | None:
        """The user's own tasks; each split must have some of each kind."""
        if self.data is None:
            return None
        tasks = load_tasks(Path(self.data))
        for split, found in tasks.items():
            missing = set(Karel.cluster_names) - set(found.kinds.tolist())
            if missing:
                raise ValueError(
                    f"the {split} tasks of {self.data} have none with"
                    f" {' or '.join(sorted(missing))} programs"
                )
        return tasks

    def learn(self, played: Played, seed: int) -> TaskEmbedder:
        """A map whose network starts from the encoder of the most skilled agent."""
        _, population = played.known
        embedder = new_embedder(population, self.plan, seed)
        return embedder.fit(played.outcomes, encoder=best_encoder(population))

    def clusters(self, played: Played, embedder: TaskEmbedder) -> Clusters:
        """The kinds of programs."""
        return Clusters.known(played.known[0], played.outcomes.task_inputs)

    def shown(self, played: Played, clusters: Clusters) -> tuple[Any, NDArray[np.int64]]:
        """Tasks that no agent has learned from."""
        env, _ = played.known
        count = min(MOST_SHOWN, self.plan.shown)
        tasks = measures.sample_at_most(env, count, self.seed + 2, env.fresh_distribution)
        return tasks, env.clusters(tasks)

    def measure(self, played: Played, embedder: TaskEmbedder) -> dict[str, Any]:
        """Silhouettes of the kinds of programs, and what each subpopulation can do.

        The silhouette is that of tasks that no agent has learned from, orders are those of played
        ones.
        """
        env, population = played.known
        new, seen = (
            measures.silhouettes(env, embedder, self.plan.shown, self.seed, distribution)
            for distribution in (env.fresh_distribution, "all")
        )
        return {
            **measures.basic_numbers(env.name, played.outcomes, embedder),
            **measures.separation(new),
            "silhouettes_training": seen,
            "skill_by_kind": skill_by_kind(env, population, self.plan.shown),
        }


def save_tasks(tasks: TasksBySplit, folder: Path) -> None:
    """Write a file for each split."""
    folder.mkdir()
    for split in SPLITS:
        tasks[split].save(folder / f"{split}.npz")


def load_tasks(folder: Path) -> TasksBySplit:
    """Read what `save_tasks` wrote."""
    return {split: KarelTasks.load(folder / f"{split}.npz") for split in SPLITS}


def skill_by_kind(env: Any, population: Population, shown: int) -> dict[str, dict[str, float]]:
    """Success of each subpopulation's last agent on new tasks, by the kind of program wanted."""
    tasks = measures.sample_at_most(env, shown, 3, env.fresh_distribution)
    clusters, packed = env.clusters(tasks), KarelTasks.from_rows(tasks)
    rows = {}
    for name in population.subpopulations:
        solved = population.select(name).agents[-1].policy.solves(packed)
        rows[name] = {
            kind: float(solved[clusters == number].mean())
            for number, kind in enumerate(env.cluster_names)
        }
    return rows


def _with_beam(population: Population, width: int) -> Population:
    """The same networks, writing with a beam of this width."""
    agents = [
        replace(agent, policy=replace(agent.policy, width=width)) for agent in population.agents
    ]
    return Population(agents, population.environment)


def best_encoder(population: Population) -> Any:
    """The encoder of the most skilled agent, which the map's network starts from."""
    agent = max(population.agents, key=lambda agent: agent.skill)
    return agent.policy.network.encoder


def new_embedder(population: Population, settings: KarelSettings, seed: int) -> KarelEmbedder:
    """The embedder before it has learned anything; its encoder is as large as the agents'."""
    size = best_encoder(population).size
    return KarelEmbedder(
        2, side=size.side, radius=size.radius, channels=size.channels, blocks=size.blocks,
        code=size.code, freeze=True, steps=settings.steps, batch_size=128, random_state=seed,
    )  # fmt: skip

"""Outcomes of agents that write Karel programs."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.agents.karel.network import Encoder
from taskspace.agents.population import Population
from taskspace.checkpoints import Checkpoints
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.environment import Karel
from taskspace.envs.karel.generate import generate_tasks
from taskspace.models.embedding.base import Embedding
from taskspace.models.embedding.karel_embedder import KarelEmbedder
from taskspace.models.embedding.task_embedder import TaskEmbedder
from taskspace.models.success.karel_encoder import KarelEncoder
from taskspace.models.success.model import SuccessModel
from taskspace.outcomes.outcomes import Outcomes
from taskspace.rollouts.karel import play
from taskspace.runs import layout, measures
from taskspace.runs.clusters import Clusters
from taskspace.runs.sources.base import MOST_SHOWN, Played, Source
from taskspace.runs.sources.plans import ORDINAL, measure_settings
from taskspace.runs.stages import Stages
from taskspace.similarity.profiles import INFORMATION
from taskspace.training.karel.recipes import train_synthesizers, training_settings

SPLITS = ("training", "validation")
ORDINAL_DIMENSIONS = 2  # as in the paper
DIMENSIONS = 3  # fewer do not separate the three types of programs in the outcomes themselves
TasksBySplit = Mapping[str, KarelTasks]


@dataclass(frozen=True)
class KarelSettings:
    """Settings for the map of Karel tasks."""

    preset: str  # name of the preset, also for training
    tasks: int | None  # number of generated tasks; None: as many as in the paper
    side: int  # rows and columns of the largest world
    width: int  # width of the beam; 1 is greedy decoding
    played: int  # number of training tasks that the map is learned from
    steps: int  # training steps of the embedder
    shown: int  # tasks per silhouette


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
    """The settings of a preset; "default" means "small"."""
    if preset == "default":
        return PRESETS["small"]
    if preset not in PRESETS:
        raise ValueError(
            f"preset must be one of {', '.join(PRESETS)} for Karel, got {checks.brief(preset)}"
        )
    return PRESETS[preset]


@dataclass(frozen=True)
class KarelSource(Source):
    """Program synthesizers that are trained on Karel tasks and evaluated on some of them.

    `data` is a folder written by `taskspace karel filter` or `taskspace karel generate`; by
    default, tasks are generated.
    """

    name = "Karel"

    preset: str
    seed: int
    data: str | os.PathLike[str] | None
    executor: str | None
    method: str
    similarity: str = INFORMATION

    def __post_init__(self) -> None:
        karel_settings(self.preset)
        self._given()  # raise before the run folder is created

    @property
    def plan(self) -> KarelSettings:
        """The settings of the preset."""
        return karel_settings(self.preset)

    def settings(self) -> dict[str, Any]:
        """Seed, data, and the settings of the preset."""
        data = None if self.data is None else str(Path(self.data).resolve())
        training = asdict(training_settings(self.plan.preset))
        named = {
            "environment": self.name, "seed": self.seed, "method": self.method, "data": data,
            **measure_settings(self.similarity),
        }  # fmt: skip
        return {**named, **asdict(self.plan), "training": training}

    def play(self, stages: Stages) -> Played:
        """Generate or load the tasks, train the population, and evaluate it."""
        plan = self.plan
        tasks = stages.stage(
            layout.TASKS, lambda: self._tasks(stages.checkpoints), save_tasks, load_tasks
        )
        population = stages.stage(
            layout.POPULATION,
            lambda: self._train(tasks, stages.checkpoints),
            Population.save,
            Population.load,
        )
        outcomes = stages.stage(
            layout.OUTCOMES,
            lambda: play(
                population,
                tasks["training"][: plan.played],
                executor=self.executor,
                checkpoints=stages.checkpoints,
            ),
            Outcomes.save,
            Outcomes.load,
        )
        return Played(outcomes, Karel(**tasks), population)

    def _train(self, tasks: TasksBySplit, checkpoints: Checkpoints) -> Population:
        population = train_synthesizers(
            *(tasks[split] for split in SPLITS),
            settings=self.plan.preset,
            seed=self.seed,
            executor=self.executor,
            checkpoints=checkpoints,
        )
        return _with_beam(population, self.plan.width)

    def _tasks(self, checkpoints: Checkpoints) -> TasksBySplit:
        given = self._given()
        if given is not None:
            return given
        return generate_tasks(self.plan.tasks, self.seed, self.plan.side, checkpoints=checkpoints)[
            0
        ]

    def _given(self) -> TasksBySplit | None:
        """The tasks in `data`; each split must have tasks of every cluster."""
        if self.data is None:
            return None
        tasks = load_tasks(Path(self.data))
        for split, found in tasks.items():
            missing = set(Karel.cluster_names) - set(found.kinds.tolist())
            if missing:
                raise ValueError(
                    f"the {split} tasks in {self.data} must include every type of program,"
                    f" got none of {', '.join(sorted(missing))}"
                )
        return tasks

    def learn(self, played: Played, seed: int) -> Embedding:
        """Learn a map, which reads tasks with the encoder of the most skilled agent."""
        _, population = played.known
        encoder = best_encoder(population)
        if self.method == ORDINAL:
            embedder = new_embedder(population, self.plan, seed)
            return embedder.fit(played.outcomes, encoder=encoder)
        return information_map(encoder, played.outcomes, seed, self.similarity)

    def clusters(self, played: Played, embedder: Embedding) -> Clusters:
        """The types of programs."""
        return Clusters.known(played.known[0], played.outcomes.task_inputs)

    def shown(self, played: Played, clusters: Clusters) -> tuple[Any, NDArray[np.int64]]:
        """Tasks that no agent was trained on."""
        env, _ = played.known
        count = min(MOST_SHOWN, self.plan.shown)
        tasks = measures.sample_at_most(env, count, self.seed + 2, env.fresh_distribution)
        return tasks, env.clusters(tasks)

    def measure(self, played: Played, embedder: Embedding) -> dict[str, Any]:
        """Measure accuracies, silhouettes, and the skill of each subpopulation.

        Silhouettes are measured on tasks that no agent was trained on, accuracies on the tasks of
        the outcomes.
        """
        env, population = played.known
        new, seen = (
            measures.silhouettes(env, embedder, self.plan.shown, self.seed, distribution)
            for distribution in (env.fresh_distribution, "all")
        )
        return {
            **measures.basic_measurements(env.name, played.outcomes, embedder),
            **measures.separation(new),
            "silhouettes_training": seen,
            "skill_by_program_type": skill_by_program_type(env, population, self.plan.shown),
        }


def information_map(
    encoder: Encoder, outcomes: Outcomes, seed: int, measure: str = INFORMATION
) -> TaskEmbedder:
    """The information map of a success model that reads tasks with an agent's encoder."""
    network = functools.partial(KarelEncoder, encoder)
    model = SuccessModel(network=network, random_state=seed).fit(outcomes)
    return TaskEmbedder(DIMENSIONS, measure=measure).fit(model)


def save_tasks(tasks: TasksBySplit, folder: Path) -> None:
    """Write one file per split."""
    folder.mkdir()
    for split in SPLITS:
        tasks[split].save(folder / f"{split}.npz")


def load_tasks(folder: Path) -> TasksBySplit:
    """Load tasks written by `save_tasks`."""
    return {split: KarelTasks.load(folder / f"{split}.npz") for split in SPLITS}


def skill_by_program_type(
    env: Any, population: Population, shown: int
) -> dict[str, dict[str, float]]:
    """Success rate of the last agent of each subpopulation on new tasks, by type of program."""
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
    """The same agents with another beam width."""
    agents = [
        replace(agent, policy=replace(agent.policy, width=width)) for agent in population.agents
    ]
    return Population(agents, population.environment)


def best_encoder(population: Population) -> Any:
    """The encoder of the most skilled agent, which initializes the network of the map."""
    agent = max(population.agents, key=lambda agent: agent.skill)
    return agent.policy.network.encoder


def new_embedder(population: Population, settings: KarelSettings, seed: int) -> KarelEmbedder:
    """The embedder, not yet fitted; its encoder has the size of the agents' encoders."""
    size = best_encoder(population).size
    return KarelEmbedder(
        ORDINAL_DIMENSIONS, side=size.side, radius=size.radius, channels=size.channels,
        blocks=size.blocks, code=size.code, freeze=True, steps=settings.steps, batch_size=128,
        random_state=seed,
    )  # fmt: skip

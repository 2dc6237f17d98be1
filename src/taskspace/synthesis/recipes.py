"""The population of synthesizers: four subpopulations, each in a process of its own."""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from taskspace import checks
from taskspace.envs.karel.compact import KarelTasks
from taskspace.population.agent import Agent
from taskspace.population.population import Population
from taskspace.progress import progress_bar
from taskspace.rollout.cluster import on_ray
from taskspace.synthesis.learning import SUBPOPULATIONS, Schooling, learn
from taskspace.synthesis.network import FAST_SIZE, SMALL_SIZE, Size
from taskspace.training.seeds import child_seeds
from taskspace.training.snapshots import Report
from taskspace.training.workers import Training, in_process, run_all

# Small networks that learn from few tasks solve few new ones, and a map needs agents that solve
# tasks: they are judged by what they can do with the tasks that they have learned from.
SCHOOLINGS = {
    "fast": Schooling(
        FAST_SIZE, steps=400, rate=4e-3, falls_to=0.1, every=50, judged_on=200, by_heart=True
    ),
    "small": Schooling(
        SMALL_SIZE, steps=2000, rate=2e-3, falls_to=0.05, every=50, judged_on=500, by_heart=True
    ),
    "paper": Schooling(),
}


def train_synthesizers(
    training: KarelTasks,
    validation: KarelTasks,
    *,
    schooling: str | Schooling = "small",
    seed: int = 0,
    device: str = "cpu",
    workers: int | None = None,
    executor: str | None = None,
    progress: bool | None = None,
) -> Population:
    """Train the four subpopulations; the same seed gives the same agents on any number of cores.

    Skill is measured on validation tasks, or on training tasks with `by_heart`. On a GPU
    (`device="cuda"`) let `workers` be 1. With `executor="ray"` they train on a Ray cluster.
    """
    on_ray(executor, workers=workers)
    settings = schooling_for(schooling)
    seeds = child_seeds(checks.seed(seed), 1 + len(SUBPOPULATIONS))
    pool = training if settings.by_heart else validation
    judges = pool[np.random.default_rng(seeds[0]).permutation(len(pool))[: settings.judged_on]]
    named = {"settings": asdict(settings), "device": device}
    trainings: list[Training] = [
        partial(_train, training, judges, {**named, "subpopulation": name, "seed": own % 2**31})
        for name, own in zip(SUBPOPULATIONS, seeds[1:], strict=True)
    ]
    with progress_bar("Training", len(trainings) * settings.steps, progress) as advance:
        found = run_all(trainings, workers, advance, executor)
    return Population([agent for agents in found for agent in agents], "Karel")


def schooling_for(schooling: str | Schooling) -> Schooling:
    """The settings of that name."""
    if isinstance(schooling, Schooling):
        return schooling
    if schooling not in SCHOOLINGS:
        raise ValueError(f"there is no schooling {schooling!r}; there are: {', '.join(SCHOOLINGS)}")
    return SCHOOLINGS[schooling]


def _train(
    tasks: KarelTasks, judged_on: KarelTasks, named: dict[str, Any], report: Report
) -> list[Agent]:
    """One subpopulation, in a process of its own, which finds its tasks in files."""
    with tempfile.TemporaryDirectory(prefix="taskspace-") as folder:
        paths = {"tasks": f"{folder}/tasks.npz", "judged_on": f"{folder}/judged-on.npz"}
        tasks.save(paths["tasks"])
        judged_on.save(paths["judged_on"])
        return in_process(_learn, **named, **paths)(report)


def _learn(
    subpopulation: str,
    tasks: str,
    judged_on: str,
    settings: dict[str, Any],
    *,
    seed: int,
    device: str,
    report: Report,
) -> list[Agent]:
    """What goes on in the process: tasks come as files, settings as JSON."""
    size = Size(**settings.pop("size"))
    return learn(
        subpopulation,
        KarelTasks.load(Path(tasks)),
        KarelTasks.load(Path(judged_on)),
        Schooling(size=size, **settings),
        seed=seed,
        device=device,
        report=report,
    )

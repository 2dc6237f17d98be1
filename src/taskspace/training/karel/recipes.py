"""The population of synthesizers: four subpopulations, each in a process of its own."""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from taskspace import checks
from taskspace.agents.agent import Agent
from taskspace.agents.karel.network import FAST_SIZE, SMALL_SIZE, Size
from taskspace.agents.population import Population
from taskspace.envs.karel.compact import KarelTasks
from taskspace.progress import progress_bar
from taskspace.rollouts.ray import on_ray
from taskspace.training.karel.learning import SUBPOPULATIONS, TrainingSettings, learn
from taskspace.training.seeds import child_seeds
from taskspace.training.snapshots import Report
from taskspace.training.workers import Training, in_process, run_all

# Small networks that learn from few tasks solve few new ones, and a map needs agents that solve
# tasks: they are judged by what they can do with the tasks that they have learned from.
TRAINING_SETTINGS = {
    "fast": TrainingSettings(
        FAST_SIZE, steps=400, rate=4e-3, falls_to=0.1, every=50, judged_on=200, by_heart=True
    ),
    "small": TrainingSettings(
        SMALL_SIZE, steps=2000, rate=2e-3, falls_to=0.05, every=50, judged_on=500, by_heart=True
    ),
    "paper": TrainingSettings(),
}


def train_synthesizers(
    training: KarelTasks,
    validation: KarelTasks,
    *,
    settings: str | TrainingSettings = "small",
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
    chosen = training_settings(settings)
    seeds = child_seeds(checks.seed(seed), 1 + len(SUBPOPULATIONS))
    pool = training if chosen.by_heart else validation
    judges = pool[np.random.default_rng(seeds[0]).permutation(len(pool))[: chosen.judged_on]]
    named = {"settings": asdict(chosen), "device": device}
    trainings: list[Training] = [
        partial(_train, training, judges, {**named, "subpopulation": name, "seed": own % 2**31})
        for name, own in zip(SUBPOPULATIONS, seeds[1:], strict=True)
    ]
    with progress_bar("Training", len(trainings) * chosen.steps, progress) as advance:
        found = run_all(trainings, workers, advance, executor)
    return Population([agent for agents in found for agent in agents], "Karel")


def training_settings(settings: str | TrainingSettings) -> TrainingSettings:
    """The settings of that name."""
    if isinstance(settings, TrainingSettings):
        return settings
    if settings not in TRAINING_SETTINGS:
        known = ", ".join(TRAINING_SETTINGS)
        raise ValueError(f"there are no training settings {settings!r}; there are: {known}")
    return TRAINING_SETTINGS[settings]


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
        TrainingSettings(size=size, **settings),
        seed=seed,
        device=device,
        report=report,
    )

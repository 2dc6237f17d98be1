"""The population of synthesizers: four subpopulations, each trained in a separate process."""

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
from taskspace.checkpoints import NONE, Checkpoints
from taskspace.envs.karel.compact import KarelTasks
from taskspace.progress import progress_bar
from taskspace.rollouts.ray import on_ray
from taskspace.training.karel.learning import SUBPOPULATIONS, TrainingSettings, learn
from taskspace.training.seeds import child_seeds
from taskspace.training.snapshots import Report
from taskspace.training.workers import Training, in_process, run_all

# Small networks that learn from few tasks solve few new tasks, and a map needs agents that solve
# some: their skill is measured on training tasks.
TRAINING_SETTINGS = {
    "fast": TrainingSettings(
        FAST_SIZE,
        steps=400,
        rate=4e-3,
        final_rate_fraction=0.1,
        every=50,
        skill_tasks=200,
        skill_on_training_tasks=True,
    ),
    "small": TrainingSettings(
        SMALL_SIZE,
        steps=2000,
        rate=2e-3,
        final_rate_fraction=0.05,
        every=50,
        skill_tasks=500,
        skill_on_training_tasks=True,
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
    checkpoints: Checkpoints = NONE,
) -> Population:
    """Train the four subpopulations; with the same seed the agents are bit-identical.

    Skill is measured on validation tasks, or on training tasks with `skill_on_training_tasks`. On
    a GPU (`device="cuda"`) use `workers=1`. With `executor="ray"` they train on a Ray cluster.

    A training that was killed continues from its last state in `checkpoints`; on Ray, whose workers
    may not see that folder, only finished subpopulations are stored.
    """
    remote = on_ray(executor, workers=workers)
    chosen = training_settings(settings)
    seeds = child_seeds(checks.seed(seed), 1 + len(SUBPOPULATIONS))
    pool = training if chosen.skill_on_training_tasks else validation
    order = np.random.default_rng(seeds[0]).permutation(len(pool))
    skill_tasks = pool[order[: chosen.skill_tasks]]
    within = NONE if remote else checkpoints
    named = {"settings": asdict(chosen), "device": device, "seconds": within.seconds}
    trainings: list[Training] = [
        partial(
            _train, training, skill_tasks,
            {
                **named, "subpopulation": name, "seed": own % 2**31,
                "folder": None if within.folder is None else str(within.folder / name),
            },
        )
        for name, own in zip(SUBPOPULATIONS, seeds[1:], strict=True)
    ]  # fmt: skip
    with progress_bar("Training", len(trainings) * chosen.steps, progress) as advance:
        found = run_all(trainings, workers, advance, executor, checkpoints)
    return Population([agent for agents in found for agent in agents], "Karel")


def training_settings(settings: str | TrainingSettings) -> TrainingSettings:
    """The settings of this name."""
    if isinstance(settings, TrainingSettings):
        return settings
    if settings not in TRAINING_SETTINGS:
        known = ", ".join(TRAINING_SETTINGS)
        raise ValueError(
            f"there are no training settings {settings!r} in taskspace; there are {known}"
        )
    return TRAINING_SETTINGS[settings]


def _train(
    tasks: KarelTasks, skill_tasks: KarelTasks, named: dict[str, Any], report: Report
) -> list[Agent]:
    """Train one subpopulation in a separate process, which reads its tasks from files."""
    with tempfile.TemporaryDirectory(prefix="taskspace-") as folder:
        paths = {"tasks": f"{folder}/tasks.npz", "skill_tasks": f"{folder}/skill-tasks.npz"}
        tasks.save(paths["tasks"])
        skill_tasks.save(paths["skill_tasks"])
        return in_process(_learn, **named, **paths)(report)


def _learn(
    subpopulation: str,
    tasks: str,
    skill_tasks: str,
    settings: dict[str, Any],
    *,
    seed: int,
    device: str,
    folder: str | None,
    seconds: float,
    report: Report,
) -> list[Agent]:
    """The work of the process: tasks come as files, settings as JSON."""
    size = Size(**settings.pop("size"))
    return learn(
        subpopulation,
        KarelTasks.load(Path(tasks)),
        KarelTasks.load(Path(skill_tasks)),
        TrainingSettings(size=size, **settings),
        seed=seed,
        device=device,
        report=report,
        checkpoints=Checkpoints(None if folder is None else Path(folder), seconds),
    )

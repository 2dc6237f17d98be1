"""Curricula compared: a learner from scratch with sparse reward on 24,000 tasks.

Options of other methods are chosen in each setting on `TUNING_SEEDS`. Ours has the same constants
in all settings, which were chosen on these and a few other seeds from 1000 on. The seeds that are
reported begin at the `first_seed` of a setting.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from taskspace.paper.curriculum_methods import METHODS, NEED_TARGET, NO_TARGET, OPTIONS
from taskspace.paper.curriculum_settings import SETTINGS, TUNING_SEED, Setting
from taskspace.paper.curriculum_tables import tables
from taskspace.paper.harness.curricula import Trial
from taskspace.paper.harness.curriculum_trial import train
from taskspace.paper.study import Result, Study
from taskspace.runs.layout import Part
from taskspace.runs.stages import has_result

TUNING_SEEDS = (TUNING_SEED, TUNING_SEED + 1)
FAST_STEPS = 30_000

Options = Mapping[str, float]


def reproduce(
    study: Study, methods: Collection[str] = tuple(METHODS), *, finished: bool = False
) -> Result:
    """Train under these curricula in every setting, and compare held-out success.

    With `finished`, nothing is trained: the tables have what was trained before.
    """
    chosen = study.chosen([setting.environment for setting in SETTINGS])
    settings = [setting for setting in SETTINGS if setting.environment in chosen]
    shown = []
    for setting in settings:
        wanted = [method for method in applicable(setting) if method in methods]
        found = {method: trials(study, setting, method, finished=finished) for method in wanted}
        found = {method: some for method, some in found.items() if some}
        if found:
            shown += tables(setting.name, found)
    if not shown:
        raise FileNotFoundError(f"there are no finished trainings in {study.folder}")
    over = study.over_seeds("training", spread=False)
    note = (
        f"Held-out success of PPO from scratch, {'as far as trained' if finished else over}."
        " Options were chosen on other seeds. Steps include the extra rollouts of a curriculum."
    )
    return Result("curriculum", "Curricula: what to train on next", shown, notes=[note])


def applicable(setting: Setting) -> list[str]:
    """The methods that make sense in a setting."""
    excluded = NEED_TARGET if setting.counts is None else NO_TARGET
    return [name for name in METHODS if name not in excluded]


def trials(study: Study, setting: Setting, method: str, *, finished: bool = False) -> list[Trial]:
    """Trainings with the options that are best on the tuning seeds, one per seed of the study."""
    grid = OPTIONS.get(method, [{}])
    tuning = [(seed, options) for seed in TUNING_SEEDS for options in grid] if len(grid) > 1 else []
    if finished and not all(has_training(study, setting, method, *each) for each in tuning):
        return []
    best = best_options(study, setting, method)
    return [
        training(study, setting, method, seed, best)
        for seed in range(setting.first_seed, setting.first_seed + study.seeds)
        if not finished or has_training(study, setting, method, seed, best)
    ]


def best_options(study: Study, setting: Setting, method: str) -> Options:
    """The options of a method with the largest mean area on the tuning seeds."""
    grid = OPTIONS.get(method, [{}])
    if len(grid) == 1:
        return grid[0]
    areas = [
        [training(study, setting, method, seed, options).area for seed in TUNING_SEEDS]
        for options in grid
    ]
    return grid[int(np.argmax(np.mean(areas, axis=1)))]


def _name(setting: Setting, method: str, seed: int, options: Options) -> str:
    words = [setting.name, method.lower().replace(",", ""), *map(str, options.values()), str(seed)]
    return f"curriculum-{'-'.join(words).replace(' ', '-')}"


def has_training(study: Study, setting: Setting, method: str, seed: int, options: Options) -> bool:
    """Whether a training has been saved."""
    name = _name(setting, method, seed, options)
    return has_result(study.folder / name, Part(name, "result"))


def training(study: Study, setting: Setting, method: str, seed: int, options: Options) -> Trial:
    """One training: read if it was saved, otherwise run and saved."""
    sized = replace(setting, fast=True, steps=FAST_STEPS) if study.fast else setting

    def run() -> list[dict[str, Any]]:
        chooser = METHODS[method](study, sized, seed, **options)
        found = train(
            sized.env, sized.pool, sized.held_out, chooser,
            steps=sized.steps, seed=seed, settings=sized.learner,
        )  # fmt: skip
        return [found.as_row()]

    settings = {"steps": sized.steps, "method": method, "seed": seed, "options": dict(options)}
    name = _name(setting, method, seed, options)
    return Trial(**study.saved_rows(name, settings, run)[0])

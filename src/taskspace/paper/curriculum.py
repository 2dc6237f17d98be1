"""Curricula compared: a learner from scratch with sparse reward on 24,000 tasks.

Options of other methods are chosen in each setting on `TUNING_SEED`. Ours has the same constants in
all settings, which were chosen on this and the following seed. The seeds of a study, which are
reported, begin at 0.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.paper.curriculum_methods import METHODS, NEED_TARGET, OPTIONS
from taskspace.paper.curriculum_settings import SETTINGS, TUNING_SEED, Setting
from taskspace.paper.harness.curricula import Trial
from taskspace.paper.harness.curriculum_trial import train
from taskspace.paper.study import Result, Study, Table

LEVELS = (0.05, 0.2, 0.5)  # of held-out success, to which steps are counted
BOOTSTRAP = 10_000
ENOUGH = 5  # seeds for an interval: a bootstrap of fewer values would be too narrow
FAST_STEPS = 30_000
IID = "IID"


def reproduce(study: Study, methods: Collection[str] = tuple(METHODS)) -> Result:
    """Train under these curricula in every setting, and compare held-out success."""
    chosen = study.chosen([setting.environment for setting in SETTINGS])
    settings = [setting for setting in SETTINGS if setting.environment in chosen]
    tables = []
    for setting in settings:
        found = {
            method: [trial(study, setting, method, seed) for seed in range(study.seeds)]
            for method in applicable(setting)
            if method in methods
        }
        tables.append(table(setting, found))
    note = (
        f"Held-out success of PPO from scratch, {study.over_seeds('training', spread=False)}."
        " Options were chosen on other seeds. Steps include the extra rollouts of a curriculum."
    )
    return Result("curriculum", "Curricula: what to train on next", tables, notes=[note])


def applicable(setting: Setting) -> list[str]:
    """The methods that make sense in a setting."""
    return [name for name in METHODS if setting.counts is not None or name not in NEED_TARGET]


def trial(study: Study, setting: Setting, method: str, seed: int) -> Trial:
    """One training with the options that are best on the tuning seed."""
    options = OPTIONS.get(method, [{}])
    best = options[0]
    if len(options) > 1:
        areas = [_trained(study, setting, method, TUNING_SEED, each).area for each in options]
        best = options[int(np.argmax(areas))]
    return _trained(study, setting, method, seed, best)


def _trained(
    study: Study, setting: Setting, method: str, seed: int, options: Mapping[str, float]
) -> Trial:
    """One training: read if it was saved, otherwise run and saved."""
    sized = replace(setting, fast=True, steps=FAST_STEPS) if study.fast else setting

    def run() -> list[dict[str, Any]]:
        chooser = METHODS[method](study, sized, seed, **options)
        found = train(
            sized.env, sized.pool, sized.held_out, chooser,
            steps=sized.steps, seed=seed, settings=sized.learner,
        )  # fmt: skip
        return [found.as_row()]

    words = [setting.name, method.lower().replace(",", ""), *map(str, options.values()), str(seed)]
    name = f"curriculum-{'-'.join(words).replace(' ', '-')}"
    settings = {"steps": sized.steps, "method": method, "seed": seed, "options": dict(options)}
    return Trial(**study.saved_rows(name, settings, run)[0])


def table(setting: Setting, found: Mapping[str, Sequence[Trial]]) -> Table:
    """One row per method: area under the curve, steps to levels, and the worst tenth."""
    areas = {method: np.array([one.area for one in trials]) for method, trials in found.items()}
    rows = [
        {"method": method}
        | _area(areas[method], areas.get(IID))
        | {f"steps to {level:g}": _steps_to(trials, level) for level in LEVELS}
        | {
            "worst tenth": float(np.mean([one.worst_tenth for one in trials])),
            "overhead": float(np.mean([one.chooser_seconds / one.seconds for one in trials])),
        }
        for method, trials in found.items()
    ]
    note = (
        "AUC: mean held-out success over all steps, with a 95 % bootstrap interval over seeds"
        f" (from {ENOUGH} seeds on)."
        " Steps to a level: median over seeds. Worst tenth: success rate on the tenth of held-out"
        " tasks that are solved least, at the end. Overhead: share of the training time."
    )
    return Table(f"curriculum-{setting.name}", f"Curricula on {setting.name}", rows, note)


def _area(areas: NDArray[np.float64], iid: NDArray[np.float64] | None) -> dict[str, Any]:
    """Mean area with its interval, and its ratio to that of IID with its interval."""
    low, high = interval(areas)
    found: dict[str, Any] = {
        "seeds": len(areas), "AUC": float(areas.mean()), "from": low, "to": high
    }  # fmt: skip
    if iid is None:
        return found
    ratios = resampled_means(areas, 1) / np.maximum(resampled_means(iid, 2), 1e-9)
    few = min(len(areas), len(iid)) < ENOUGH
    least, most = (None, None) if few else map(float, np.quantile(ratios, (0.025, 0.975)))
    return found | {
        "AUC / IID": float(areas.mean() / max(iid.mean(), 1e-9)),
        "ratio from": least, "ratio to": most,
    }  # fmt: skip


def interval(values: NDArray[np.float64]) -> tuple[float | None, float | None]:
    """A 95 % bootstrap interval of the mean; few values have none.

    >>> interval(np.array([1.0, 2.0]))
    (None, None)
    >>> low, high = interval(np.arange(10.0))
    >>> low < 4.5 < high
    True
    """
    if len(values) < ENOUGH:
        return None, None
    low, high = np.quantile(resampled_means(values, 0), (0.025, 0.975))
    return float(low), float(high)


def resampled_means(values: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Means of bootstrap samples."""
    drawn = np.random.default_rng(seed).integers(len(values), size=(BOOTSTRAP, len(values)))
    means: NDArray[np.float64] = values[drawn].mean(1)
    return means


def _steps_to(trials: Sequence[Trial], level: float) -> int | None:
    """The median number of steps to a level; None if half of the trainings do not reach it."""
    reached = [one.steps_to(level) for one in trials]
    middle = float(np.median(reached))
    return int(middle) if np.isfinite(middle) else None

"""The handover of our curriculum, chosen on seeds that are not reported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from taskspace.paper.curriculum import has_training, training
from taskspace.paper.curriculum_settings import SETTINGS, TUNING_SEED, Setting
from taskspace.paper.curriculum_tables import IID, interval
from taskspace.paper.harness.curricula import Trial
from taskspace.paper.study import Result, Study, Table

SEEDS = range(TUNING_SEED, TUNING_SEED + 4)
TUNED = ("basickarel", "multikeynav-two-keys", "multikeynav")  # settings
METHODS = ("ours", "ours, no population")
HANDOVERS = (False, 0.5, 0.25, 0.1)  # success rate at which all tasks are uniform; False: never


def reproduce(study: Study, *, finished: bool = False) -> Result:
    """Train with several handovers on tuning seeds; with `finished`, show what was trained."""
    chosen = study.chosen([setting.environment for setting in SETTINGS])
    rows = [
        row
        for setting in SETTINGS
        if setting.environment in chosen and setting.name in TUNED
        for row in _rows(study, setting, finished)
    ]
    if not rows:
        raise FileNotFoundError(f"there are no finished trainings in {study.folder}")
    note = "AUC: mean held-out success over all steps, with a 95 % bootstrap interval over seeds."
    table = Table("curriculum-tuning", "The handover, on tuning seeds", rows, note)
    return Result("curriculum-tuning", "The handover, on tuning seeds", [table])


def _rows(study: Study, setting: Setting, finished: bool) -> list[dict[str, Any]]:
    """One row per method and handover."""
    compared = [(IID, None), *((method, at) for method in METHODS for at in HANDOVERS)]
    found = []
    for method, handover in compared:
        options = {} if handover is None else {"handover": handover}
        some = [
            training(study, setting, method, seed, options)
            for seed in SEEDS
            if not finished or has_training(study, setting, method, seed, options)
        ]
        if some:
            named = {"setting": setting.name, "method": method, "complete at": _shown(handover)}
            found.append(named | _summary(some))
    return found


def _shown(handover: float | None) -> str:
    return {None: "–", False: "never"}.get(handover, f"{handover}")


def _summary(trials: Sequence[Trial]) -> dict[str, Any]:
    areas = np.array([one.area for one in trials])
    low, high = interval(areas)
    worst = float(np.mean([one.worst_tenth for one in trials]))
    return {
        "seeds": len(trials), "AUC": float(areas.mean()), "from": low, "to": high,
        "worst tenth": worst,
    }  # fmt: skip

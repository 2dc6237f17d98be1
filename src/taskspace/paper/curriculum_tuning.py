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

# Success rates at which all tasks are uniform (False: never), and the number of seeds. The least
# difference is that to IID on MultiKeyNav, so the chosen rate has more seeds there.
GRID: tuple[tuple[str, tuple[float, ...], int], ...] = (
    ("basickarel", (0.25, 0.1), 4),
    ("multikeynav-two-keys", (False, 0.1), 4),
    ("multikeynav", (0.25, 0.1), 4),
    ("multikeynav", (0.1,), 12),
)
METHODS = ("ours", "ours, no population")


def reproduce(study: Study, *, finished: bool = False) -> Result:
    """Train with several handovers on tuning seeds; with `finished`, show what was trained."""
    chosen = study.chosen([setting.environment for setting in SETTINGS])
    settings = {setting.name: setting for setting in SETTINGS if setting.environment in chosen}
    rows = [
        row
        for name, handovers, seeds in GRID
        if name in settings
        for row in _rows(study, settings[name], handovers, seeds, finished)
    ]
    if not rows:
        raise FileNotFoundError(f"there are no finished trainings in {study.folder}")
    note = (
        "All tasks are uniform from this predicted success rate on. AUC: mean held-out success over"
        f" all steps, with a 95 % bootstrap interval. The first seed is {TUNING_SEED}."
    )
    table = Table("curriculum-tuning", "The handover, on tuning seeds", rows, note)
    return Result("curriculum-tuning", "The handover, on tuning seeds", [table])


def _rows(
    study: Study, setting: Setting, handovers: Sequence[float], seeds: int, finished: bool
) -> list[dict[str, Any]]:
    """One row per method and handover, and one of IID."""
    found = []
    for method, handover in [(IID, None), *((m, at) for m in METHODS for at in handovers)]:
        options = {} if handover is None else {"handover": handover}
        some = [
            training(study, setting, method, seed, options)
            for seed in range(TUNING_SEED, TUNING_SEED + seeds)
            if not finished or has_training(study, setting, method, seed, options)
        ]
        if some:
            shown = "–" if handover is None else "never" if handover is False else str(handover)
            found.append({"setting": setting.name, "method": method, "uniform from": shown})
            found[-1] |= _summary(some)
    return found


def _summary(trials: Sequence[Trial]) -> dict[str, Any]:
    areas = np.array([one.area for one in trials])
    low, high = interval(areas)
    return {
        "seeds": len(trials), "AUC": float(areas.mean()), "from": low, "to": high,
        "worst tenth": float(np.mean([one.worst_tenth for one in trials])),
    }  # fmt: skip

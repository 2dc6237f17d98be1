"""The uniform share and the handover of our curriculum, chosen on seeds that are not reported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from taskspace.curriculum.curriculum import SHARE, SHARE_WITH_TARGET
from taskspace.curriculum.handover import NEVER, read_handover
from taskspace.paper.curriculum import Options, has_training, training
from taskspace.paper.curriculum_settings import SETTINGS, TUNING_SEED, Setting
from taskspace.paper.curriculum_tables import IID, interval
from taskspace.paper.harness.curricula import Trial
from taskspace.paper.study import Result, Study, Table

# Options of ours, and the number of seeds. `handover` is the success rate at which all tasks are
# uniform (False: never). The least difference is that to IID on MultiKeyNav, so it has more seeds.
GRID: tuple[tuple[str, tuple[Options, ...], int], ...] = (
    ("basickarel", ({"share": 0.2, "handover": 0.25}, {"share": 0.2}, {}), 4),
    ("multikeynav-two-keys", ({}, {"handover": 0.1}), 4),
    ("multikeynav", ({"share": 0.2, "handover": 0.25},), 4),
    ("multikeynav", ({"share": 0.2}, {}), 12),
)
METHODS = ("ours", "ours, no population", "ours, expert-free")
_NOT_OURS = {"uniform share": "–", "uniform from": "–"}


def reproduce(study: Study, *, finished: bool = False) -> Result:
    """Train with several options on tuning seeds; with `finished`, show what was trained."""
    chosen = study.chosen([setting.environment for setting in SETTINGS])
    settings = {setting.name: setting for setting in SETTINGS if setting.environment in chosen}
    rows = [
        row
        for name, grid, seeds in GRID
        if name in settings
        for row in _rows(study, settings[name], grid, seeds, finished)
    ]
    if not rows:
        raise FileNotFoundError(f"there are no finished trainings in {study.folder}")
    note = (
        "The uniform share is the least; all tasks are uniform from this predicted success rate on."
        " AUC: mean held-out success over all steps, with a 95 % bootstrap interval. The first seed"
        f" is {TUNING_SEED}."
    )
    title = "The uniform share and the handover, on tuning seeds"
    table = Table("curriculum-tuning", title, rows, note)
    return Result("curriculum-tuning", title, [table])


def _rows(
    study: Study, setting: Setting, grid: Sequence[Options], seeds: int, finished: bool
) -> list[dict[str, Any]]:
    """One row per method and options, and one of IID."""
    found = []
    for method, options in [(IID, {}), *((m, options) for m in METHODS for options in grid)]:
        some = [
            training(study, setting, method, seed, options)
            for seed in range(TUNING_SEED, TUNING_SEED + seeds)
            if not finished or has_training(study, setting, method, seed, options)
        ]
        if some:
            shown = _NOT_OURS if method == IID else _shown(setting, options)
            found.append({"setting": setting.name, "method": method, **shown, **_summary(some)})
    return found


def _shown(setting: Setting, options: Options) -> dict[str, str]:
    """The uniform share, and from which success rate on all tasks are uniform."""
    has_target = setting.counts is not None
    share = options.get("share", SHARE_WITH_TARGET if has_target else SHARE)
    complete = read_handover(options.get("handover"), has_target)
    start = "never" if complete == NEVER else str(complete)
    return {"uniform share": str(share), "uniform from": start}


def _summary(trials: Sequence[Trial]) -> dict[str, Any]:
    areas = np.array([one.area for one in trials])
    low, high = interval(areas)
    return {
        "seeds": len(trials), "AUC": float(areas.mean()), "from": low, "to": high,
        "worst tenth": float(np.mean([one.worst_tenth for one in trials])),
    }  # fmt: skip

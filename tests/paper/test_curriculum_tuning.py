"""The table by which the uniform share and the handover were chosen, with tiny sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

from taskspace.paper import curriculum, curriculum_tuning
from taskspace.paper.curriculum_settings import SETTINGS, TUNING_SEED
from taskspace.paper.study import Study
from tests.messages import says


def test_options_are_compared_on_seeds_that_are_not_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(curriculum, "FAST_STEPS", 8000)
    grid: tuple[dict[str, float], ...] = ({"share": 0.2, "handover": False}, {})
    monkeypatch.setattr(curriculum_tuning, "GRID", (("multikeynav", grid, 1),))
    monkeypatch.setattr(curriculum_tuning, "METHODS", ("ours, no population",))
    study = Study(tmp_path, seeds=1, preset="fast", log=lambda line: None)
    with pytest.raises(FileNotFoundError, match=says("finished")):
        curriculum_tuning.reproduce(study, finished=True)
    (table,) = curriculum_tuning.reproduce(study).tables
    assert [row["uniform share"] for row in table.rows] == ["–", "0.2", "0.5"]
    assert [row["uniform from"] for row in table.rows] == ["–", "never", "0.1"]
    assert [row["seeds"] for row in table.rows] == [1, 1, 1]
    assert all(folder.name.endswith(f"-{TUNING_SEED}") for folder in tmp_path.iterdir())
    assert curriculum_tuning.reproduce(study, finished=True).tables == [table]


def test_reported_seeds_are_not_used_for_tuning() -> None:
    most = max(seeds for *_, seeds in curriculum_tuning.GRID)
    tuned = {*curriculum.TUNING_SEEDS, *range(TUNING_SEED, TUNING_SEED + most)}
    assert min(tuned) > max(setting.first_seed for setting in SETTINGS) + 100

"""The comparison of curricula, with tiny sizes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from taskspace.paper import curriculum
from taskspace.paper.curriculum_methods import METHODS, NO_TARGET, OPTIONS
from taskspace.paper.curriculum_settings import SETTINGS
from taskspace.paper.curriculum_tables import tables
from taskspace.paper.harness.curricula import Trial
from taskspace.paper.study import Study
from tests.messages import says


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_settings_hold_out_tasks_that_count(setting: Any) -> None:
    small = replace(setting, fast=True)
    assert len(small.held_out) == 50
    if small.counts is not None:
        assert small.counts(small.env, small.held_out).all()
        assert 0.02 < np.mean(small.target) < 0.5
    known = {row.tobytes() for row in small.pool}
    assert not [row for row in small.held_out if row.tobytes() in known]


@pytest.mark.slow
def test_every_method_trains_and_nothing_is_trained_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(curriculum, "FAST_STEPS", 8000)
    monkeypatch.setattr(curriculum, "SETTINGS", [s for s in SETTINGS if "two" in s.name])
    few = {name: options[:1] for name, options in OPTIONS.items() if name != "PLR"}
    monkeypatch.setattr(curriculum, "OPTIONS", {**few, "PLR": OPTIONS["PLR"][:2]})
    monkeypatch.setattr("taskspace.paper.curriculum_settings.EARLIER_LEARNERS", 2)
    study = Study(tmp_path, ("MultiKeyNav",), seeds=1, preset="fast", log=lambda line: None)
    with pytest.raises(FileNotFoundError, match=says("finished")):
        curriculum.reproduce(study, finished=True)
    first, course = curriculum.reproduce(study).tables
    assert [row["method"] for row in first.rows] == [m for m in METHODS if m not in NO_TARGET]
    monkeypatch.setattr(curriculum, "train", None)  # everything is saved: nothing is run again
    again = curriculum.reproduce(study).tables
    assert [part.rows for part in again] == [first.rows, course.rows]
    more = replace(study, seeds=2)
    finished = curriculum.reproduce(more, finished=True).tables
    assert [part.rows for part in finished] == [first.rows, course.rows]
    plain = [setting for setting in SETTINGS if setting.counts is None]
    assert not {"proximal, raw", "IID on target"} & {*curriculum.applicable(plain[0])}


def test_tables_have_intervals_and_levels() -> None:
    def trials(last: float) -> list[Trial]:
        return [
            Trial([100, 200], [last / 2, last + seed / 100], 0.1, 10.0, 0.1) for seed in range(6)
        ]

    found = {"IID": trials(0.2), "ours": trials(0.4)}
    area, (difference,), course = (part.rows for part in tables("basickarel", found))
    assert area[0]["AUC / IID"] == pytest.approx(1)
    assert area[0]["ratio from"] < 1 < area[0]["ratio to"]
    assert area[1]["AUC / IID"] > 1.5
    assert area[1]["from"] < area[1]["AUC"] < area[1]["to"]
    assert course[1]["steps to 0.2"] == 100
    assert course[1]["steps to 0.5"] is None
    assert course[1]["overhead"] == pytest.approx(0.01)
    assert (difference["method"], difference["minus"]) == ("ours", "IID")
    assert difference["AUC"] == pytest.approx(area[1]["AUC"] - area[0]["AUC"])
    assert difference["from"] < difference["AUC"] < difference["to"]
    few = {"IID": trials(0.2)[:4], "ours": trials(0.4)}
    assert [part.name for part in tables("x", few)] == ["curriculum-x", "curriculum-x-course"]

"""Answers as plain values, for the page's data and the HTTP API."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from taskspace.applications.answers import Unanswered
from taskspace.explore.answers import answers_of, score_values
from taskspace.explore.service import Service
from taskspace.runs.run import Run


def test_the_answers_of_a_table_are_json(copies: Run) -> None:
    found: Any = answers_of(copies)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert set(found["redundant"]["groups"][0]) == {"q1", "q7"}
    assert len(found["subset"]["tasks"]) == 6
    assert len(found["agents"]["agents"]) == 150


def test_an_environment_has_none(keys: Run) -> None:
    assert answers_of(keys) is None


def test_missing_answers_have_a_reason(course: Run) -> None:
    service = Service(course)
    service.run.__dict__["redundancy"] = Unanswered("There are too few agents.")
    with pytest.raises(ValueError, match="too few agents"):
        service.redundant()
    del service.run.__dict__["redundancy"]


def test_unusual_answers_have_a_warning(copies: Run) -> None:
    assert score_values(copies.predictor.score(["q0"], [1]))["warning"] is None
    odd = replace(copies.predictor.score(["q0"], [1]), misfit=2.5)
    assert score_values(odd)["warning"] == odd.warning


def test_scores_have_their_intervals(copies: Run) -> None:
    (group,) = score_values(copies.predictor.score(["q0", "q2"], [1, 1]))["groups"]
    assert group["low"] < group["score"] < group["high"]
    assert (group["name"], group["answered"], group["tasks"]) == ("all tasks", 2, 24)
    assert np.isfinite(group["score"])

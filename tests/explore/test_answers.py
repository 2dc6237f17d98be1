"""Answers as plain values, for the page's data and the HTTP API."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from taskspace.applications.abilities import Abilities
from taskspace.applications.agent_comparison import compare_agents
from taskspace.applications.answers import Unanswered
from taskspace.applications.diagnosis import Diagnosis
from taskspace.explore.answers import answers_of, score_values
from taskspace.explore.data import encode
from taskspace.explore.service import Service
from taskspace.runs.run import Run
from tests.messages import says


def test_the_answers_of_a_table_are_json(copies: Run) -> None:
    found: Any = answers_of(copies)
    encode(found)  # without infinite numbers
    assert set(found["redundant"]["groups"][0]) == {"q1", "q7"}
    assert len(found["subset"]["tasks"]) == 6
    assert len(found["agents"]["agents"]) == 150


def test_an_environment_has_answers_about_its_agents(keys: Run) -> None:
    found: Any = answers_of(keys)
    assert set(found) == {"agents", "doctor"}
    assert len(found["agents"]["agents"]) == 25


def test_scores_by_group_are_those_of_the_library(copies: Run) -> None:
    found, known = answers_of(copies)["agents"]["groups"], copies.abilities
    assert isinstance(known, Abilities)
    assert found["names"] == ["areas", "sums"]
    np.testing.assert_allclose(found["scores"], known.group_scores, rtol=1e-6)
    np.testing.assert_array_equal(found["marked"], known.marked)


def test_the_diagnosis_is_that_of_the_doctor(copies: Run) -> None:
    found, known = Service(copies).doctor(), copies.diagnosis
    assert isinstance(known, Diagnosis)
    assert (found["verdict"], found["advice"]) == (known.verdict, list(known.advice))
    assert found["figures"][0] == {"figure": "agents", "value": 150.0, "compare": ""}


def test_two_agents_are_compared(copies: Run) -> None:
    first, second = copies.outcomes.agents[:2].tolist()
    found = Service(copies).compare(first, second, None)
    known = compare_agents(copies, first, second)
    assert [row["group"] for row in found["groups"]] == ["all tasks", "areas", "sums"]
    assert found["different"] == (known.first_results != known.second_results).sum()
    assert [row["task"] for row in found["tasks"]] == known.tasks[: found["different"]].tolist()
    with pytest.raises(ValueError, match=says("agent nobody")):
        Service(copies).compare("nobody", first, None)


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

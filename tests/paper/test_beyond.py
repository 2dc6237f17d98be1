"""Prediction and selection by a success model, in a small study."""

from __future__ import annotations

from taskspace.paper import beyond
from taskspace.paper.study import Study


def test_the_success_model_is_between_chance_and_opt(study: Study) -> None:
    quizzed, chosen = beyond.reproduce(study).tables
    accuracy = {row["method"]: row for row in quizzed.rows if row["agents"] == beyond.KNOWN}
    assert list(accuracy) == list(beyond.QUIZZED.values())
    (stranger,) = (row for row in quizzed.rows if row["agents"] == beyond.STRANGERS)
    assert 0.5 < stranger["quiz 20"] <= accuracy["success model"]["quiz 20"] + 0.01
    assert len(quizzed.rows) == 2 * len(beyond.QUIZZED) + 1
    assert 0.6 < accuracy["success model"]["quiz 20"] < accuracy["OPT"]["quiz 20"] + 0.02
    assert accuracy["success model"]["quiz 20"] > accuracy["success model"]["quiz 1"]
    right = {row["method"]: row for row in chosen.rows}
    assert list(right) == list(beyond.CHOOSING.values())
    assert 0.2 < right["success model"]["Type 1, Top-1"] <= right["OPT"]["Type 1, Top-1"]

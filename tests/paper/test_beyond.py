"""Prediction and selection by a success model, in a small study."""

from __future__ import annotations

import pytest

from taskspace.paper import beyond, trust
from taskspace.paper.study import Result, Study, Table
from taskspace.paper.trust import KNOWN, METHODS, NEW, STRANGERS

pytestmark = pytest.mark.slow


def test_the_success_model_is_between_chance_and_opt(study: Study) -> None:
    result = beyond.reproduce(study)
    assert [table.name for table in result.tables[:3]] == [
        "beyond-map", "beyond-fit", "beyond-copies",
    ]  # fmt: skip
    quizzed, chosen, accuracy, brier = result.tables[3:]
    _check_quizzes(quizzed)
    _check_choices(chosen)
    _check_trust(brier)
    assert [list(row)[2:4] for row in accuracy.rows] == [["quiz 1", "quiz 1 ±"]] * len(brier.rows)
    _check_reliability(result)


def _check_quizzes(table: Table) -> None:
    assert len(table.rows) == 2 * len(beyond.QUIZZED)
    accuracy = {row["method"]: row for row in table.rows if row["agents"] == KNOWN}
    assert list(accuracy) == list(beyond.QUIZZED.values())
    ours, best = accuracy[trust.MODEL], accuracy["OPT"]
    assert 0.6 < ours["quiz 20"] < best["quiz 20"] + 0.02
    assert ours["quiz 20"] > ours["quiz 1"]


def _check_choices(table: Table) -> None:
    right = {row["method"]: row["Type 1, Top-1"] for row in table.rows}
    assert list(right) == [
        "ordinal map", "information map, 6 dimensions", trust.MODEL, "OPT-50", "OPT",
    ]  # fmt: skip
    assert 0.2 < right[trust.MODEL] < right["OPT"] + 0.05  # the noise of few examples


def _check_trust(table: Table) -> None:
    """Nobody is clearly better than the success model, whatever agents are quizzed."""
    assert [row["agents"] for row in table.rows[:: len(METHODS)]] == [KNOWN, STRANGERS, NEW]
    for size in trust.QUIZ_SIZES:
        brier = {(row["agents"], row["method"]): row[f"quiz {size}"] for row in table.rows}
        for who in (KNOWN, STRANGERS, NEW):
            best = min(brier[who, rival] for rival in METHODS[:-1])
            assert brier[who, trust.MODEL] < best + 0.01


def _check_reliability(result: Result) -> None:
    (picture,) = result.pictures
    assert picture.stat().st_size > 10_000

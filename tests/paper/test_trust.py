"""Tables and curves of whom to trust, from scores that are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from taskspace.paper import trust
from taskspace.paper.trust import DRAWN, KNOWN, METHODS, MODEL, NEW, QUIZ_SIZES, Others

RELIABILITY = [[0.25, 0.75], [0.25, 0.5], [0.4, 0.6]]  # off by 0.6 * 0.25


def scores(better: float) -> list[dict[str, Any]]:
    """Of one seed: the longer the quiz, the more accurate."""
    return [
        {
            "who": who, "method": method, "quiz": size,
            "accuracy": 0.5 + size / 100 + better, "brier": 0.25 - better,
            "reliability": RELIABILITY,
        }
        for who in (KNOWN, NEW) for method in METHODS for size in QUIZ_SIZES
    ]  # fmt: skip


def test_a_row_has_mean_and_spread_over_seeds() -> None:
    rows = trust.accuracies([scores(0.0), scores(0.2)])
    pairs = [(row["agents"], row["method"]) for row in rows]
    assert pairs == [(who, method) for who in (KNOWN, NEW) for method in METHODS]
    for row in rows:
        for size in QUIZ_SIZES:
            assert row[f"quiz {size}"] == pytest.approx(0.6 + size / 100)
            assert row[f"quiz {size} ±"] == pytest.approx(0.1)


def test_brier_scores_come_with_calibration() -> None:
    for row in trust.brier_scores([scores(0.0), scores(0.1)]):
        assert row["quiz 1"] == pytest.approx(0.2)
        assert row[f"ECE, quiz {DRAWN}"] == pytest.approx(0.15)
        assert row[f"ECE, quiz {DRAWN} ±"] == pytest.approx(0)


def test_curves_are_those_of_the_success_model_alone() -> None:
    rows = scores(0.0)
    for row in rows:
        if (row["method"], row["quiz"]) != (MODEL, DRAWN):
            row["reliability"] = [[9, 9], [9, 9], [9, 9]]
    found = trust.curves([rows, rows])
    assert list(found) == [KNOWN, NEW]
    for curve in found.values():
        np.testing.assert_allclose(curve, RELIABILITY)


def test_every_environment_has_a_panel() -> None:
    curve = np.array(RELIABILITY)
    figure = trust.figure({"MultiKeyNav": {KNOWN: curve}, "PointMass": {KNOWN: curve, NEW: curve}})
    titles = [ax.get_title(loc="left") or ax.get_title() for ax in figure.axes]
    assert titles == ["MultiKeyNav", "PointMass"]


class Model:
    """Knows three agents and two tasks."""

    sample_ = np.array([0, 1])

    def predict_proba(self, tasks: Any, /) -> Any:
        return np.arange(6).reshape(3, 2)[:, tasks] / 10


def test_some_agents_of_a_model_can_be_left_out() -> None:
    others = Others(Model(), np.array([True, False, True]))
    np.testing.assert_array_equal(others.sample_, [0, 1])
    np.testing.assert_allclose(others.predict_proba(np.array([1])), [[0.1], [0.5]])

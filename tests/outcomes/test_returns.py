"""Outcomes of returns: checks, both readings of played outcomes, selections and files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from taskspace import Outcomes
from tests.messages import says

RETURNS = np.array([[-3.0, 0.0, 5.0], [1.0, np.nan, 5.0], [5.0, 2.0, 5.0]])
SPREADS = np.array([[0.5, 1.0, np.nan], [2.0, np.nan, 0.0], [1.0, 1.0, 1.0]])


def made(**parts: Any) -> Outcomes:
    return Outcomes.from_returns(RETURNS, 4, spreads=SPREADS, **parts)


def plain(*counts: Any, **parts: Any) -> Outcomes:
    return Outcomes(*counts, **parts)


def same(one: Outcomes, other: Outcomes) -> None:
    """Two outcomes have the same results, bit for bit."""
    for name in ("successes", "rollouts", "returns", "return_spreads"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.scale is not None
    assert other.scale is not None
    for name in ("low", "high", "best", "success"):
        np.testing.assert_array_equal(getattr(one.scale, name), getattr(other.scale, name))


def test_successes_are_rollouts_times_normalised_returns() -> None:
    outcomes = made()
    np.testing.assert_allclose(outcomes.rates, [[0, 0, 0.5], [0.5, np.nan, 0.5], [1, 1, 0.5]])
    np.testing.assert_array_equal(outcomes.rollouts, [[4, 4, 4], [4, 0, 4], [4, 4, 4]])
    assert outcomes.successes.dtype == np.float32
    assert outcomes.returns is not None
    np.testing.assert_array_equal(np.isnan(outcomes.returns), outcomes.rollouts == 0)


def test_tasks_with_features_share_one_scale() -> None:
    outcomes = made(features=[[0.0], [1.0], [2.0]])
    np.testing.assert_allclose(outcomes.rates[0], [0, 3 / 8, 1])


def test_played_outcomes_have_two_readings() -> None:
    played = plain([[1, 0]], 2, returns=[[7.0, 1.0]], features=[[0.0], [1.0]])
    assert played.scale is None
    np.testing.assert_array_equal(played.rates, [[0.5, 0]])
    np.testing.assert_array_equal(played.by_return().rates, [[1, 0]])
    np.testing.assert_array_equal(played.by_return(best=13).rates, [[0.5, 0]])


def test_returns_of_zero_and_one_are_successes() -> None:
    solved = np.random.default_rng(0).integers(0, 2, (20, 6))
    solved[0], solved[1] = 0, 1
    np.testing.assert_array_equal(Outcomes.from_returns(solved).rates, plain(solved, 1).rates)


def test_selections_keep_the_scale() -> None:
    outcomes = made(best=[6, 3, 5], tasks=["a", "b", "c"], agents=["x", "y", "z"])
    one = outcomes.of_agents(["x", "y"])
    np.testing.assert_array_equal(one.rates, outcomes.rates[:2])
    some = outcomes.of_tasks(["c", "a"])
    np.testing.assert_array_equal(some.rates, outcomes.rates[:, [2, 0]])
    assert some.scale is not None
    np.testing.assert_array_equal(some.scale.best, [5, 6])
    np.testing.assert_array_equal(some.return_spreads, outcomes.return_spreads[:, [2, 0]])  # type: ignore[index]


@pytest.mark.parametrize("rule", [{}, {"best": 9}, {"best": [9, 8, 7]}, {"success": 1.5}])
@pytest.mark.parametrize("features", [None, [[0.0], [1.0], [2.0]]])
def test_files_keep_everything(tmp_path: Path, rule: dict[str, Any], features: object) -> None:
    outcomes = made(features=features, **rule)
    outcomes.save(tmp_path / "returns.npz")
    same(Outcomes.load(tmp_path / "returns.npz"), outcomes)


def test_files_keep_returns_beside_successes(tmp_path: Path) -> None:
    played = plain([[1, 0]], [[2, 0]], returns=[[7.0, 0.0]], return_spreads=[[1.0, np.nan]])
    played.save(tmp_path / "played.npz")
    found = Outcomes.load(tmp_path / "played.npz")
    assert found.scale is None
    np.testing.assert_array_equal(found.returns, [[7, np.nan]])
    np.testing.assert_array_equal(found.return_spreads, [[1, np.nan]])


@pytest.mark.parametrize(
    ("returns", "parts", "message"),
    [
        (RETURNS, {"rollouts": 4 + 0 * RETURNS.astype(bool)}, "returns agent-1 task-1 0"),
        ([1.0, 2.0], {}, "returns agents tasks (2,)"),
        ([["much"]], {}, "returns numbers"),
        ([[np.inf]], {}, "returns finite infinity agent-0 task-0"),
        ([[1e39]], {}, "returns 1e+39"),
        ([[1.0]], {"spreads": [[0.5]]}, "return_spreads 2 0.5 agent-0 task-0 1"),
        ([[1.0]], {"rollouts": 3, "spreads": [[-0.5]]}, "return_spreads -0.5"),
        ([[1.0]], {"rollouts": 3, "spreads": [0.5]}, "return_spreads (1,)"),
        ([[1.0]], {"best": 0.5}, "best 0.5 1"),
    ],
)
def test_bad_input(returns: Any, parts: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=says(message)):
        Outcomes.from_returns(returns, **parts)


def test_a_scale_must_fit() -> None:
    scale = made().scale
    with pytest.raises(ValueError, match=says("scale returns")):
        plain([[1, 0, 0]], 1, scale=scale)
    with pytest.raises(ValueError, match=says("successes Outcomes.from_returns")):
        plain([[1, 0, 0]], 1, returns=[[-3.0, 0.0, 5.0]], scale=scale)
    with pytest.raises(ValueError, match=says("low 2 (3,)")):
        plain([[1, 0]], 1, returns=[[-3.0, 0.0]], scale=scale)
    with pytest.raises(ValueError, match=says("scale ReturnScale 3")):
        plain([[1]], 1, returns=[[1.0]], scale=3)
    with pytest.raises(ValueError, match=says("return_spreads returns")):
        plain([[1]], 2, return_spreads=[[1.0]])
    with pytest.raises(ValueError, match=says("returns keep_returns=True")):
        plain([[1]], 1).by_return()


def test_means_of_equal_returns_may_differ_by_rounding() -> None:
    rounded = Outcomes.from_returns([[0.1, 1.0], [float(np.mean([0.1] * 3)), 2.0]])
    np.testing.assert_array_equal(rounded.rates, [[0.5, 0.0], [0.5, 1.0]])


@pytest.mark.parametrize("best", [0.6, [0.6, 9.0]])
def test_no_single_attempt_exceeds_the_best_return(best: Any) -> None:
    attempts = {"agent": ["a", "a", "b", "b"], "task": ["s", "s", "s", "t"], "return": [1, 0, 0, 0]}
    with pytest.raises(ValueError, match=says("best 0.6 1")):
        Outcomes.from_table(attempts, returns=True, best=best)
    assert Outcomes.from_table(attempts, returns=True, best=[1.0, 9.0]).scale is not None

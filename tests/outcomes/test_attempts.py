"""Tables of returns: recognised columns, means and spreads, missing cells, and the way back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from taskspace import Outcomes
from tests.messages import says

ROWS = {
    "agent": ["a", "a", "a", "b", "b"],
    "task": ["t", "t", "u", "t", "u"],
    "return": [-3.0, 1.0, 250.0, 7.5, None],
}


def read(table: Any = None, **options: Any) -> Outcomes:
    return Outcomes.from_table(ROWS if table is None else table, returns=True, **options)


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected)


def test_attempts_of_a_pair_have_a_mean_and_a_spread() -> None:
    outcomes = read()
    close(outcomes.returns, [[-1, 250], [7.5, np.nan]])
    np.testing.assert_array_equal(outcomes.rollouts, [[2, 1], [1, 0]])
    close(outcomes.return_spreads, [[8**0.5, np.nan], [np.nan, np.nan]])
    assert outcomes.info["columns"]["score"] == ["return"]


def test_single_attempts_have_no_spread() -> None:
    assert read(np.array([[1.0, -7.0], [2.0, np.nan]])).return_spreads is None


@pytest.mark.parametrize("name", ["return", "Reward", "score", "Episode Return", "mark"])
def test_columns_of_returns_are_recognised(name: str) -> None:
    table = {("agent" if key == "agent" else key): values for key, values in ROWS.items()}
    table[name] = table.pop("return")
    close(read(table).returns, read().returns)


def test_return_goes_before_other_results() -> None:
    table = {**ROWS, "score": [1, 2, 3, 4, 5], "passed": [True, False, True, True, True]}
    close(read(table).returns, read().returns)
    close(read(table, score="score").returns, [[1.5, 3], [4, 5]])
    assert Outcomes.from_table({**ROWS, "passed": [1, 0, 1, 1, 1]}).scale is None


def test_wide_tables_and_arrays_are_the_same() -> None:
    wide = {"agent": ["a", "b", "a"], "t": [-3.0, 7.5, 1.0], "u": [250.0, None, None]}
    close(read(wide).returns, read().returns)
    close(read(wide).return_spreads, read().return_spreads)
    matrix = np.array([[-1, 250], [7.5, np.nan]])
    close(read(matrix).returns, read().returns)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("several", [False, True])
def test_tables_come_back(tmp_path: Path, ending: str, several: bool) -> None:
    returns = np.array([[-3.25, 0.5, 1e6], [1.0, np.nan, 5.0]])
    spreads = np.where(np.isnan(returns), np.nan, 0.125) if several else None
    outcomes = Outcomes.from_returns(
        returns, 4 if several else 1, spreads=spreads, best=2e6,
        agents=["a", "b"], tasks=["x", "y", "z"], features=[[0.0], [1.0], [2.0]],
    )  # fmt: skip
    path = tmp_path / f"returns.{ending}"
    outcomes.to_table(path)
    again = read(path, features="x0", best=2e6)
    for name in ("returns", "rollouts", "successes", "features", "agents", "tasks"):
        np.testing.assert_array_equal(getattr(again, name), getattr(outcomes, name))
    if several:
        np.testing.assert_array_equal(again.return_spreads, outcomes.return_spreads)


def test_features_share_one_scale() -> None:
    found = read({**ROWS, "size": [1, 1, 2, 1, 2]}, features="size", success=5)
    assert found.scale is not None
    assert found.scale.low.ndim == 0
    assert found.scale.rule == "success"


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (ROWS, {"max_score": 5}, "max_score returns 5"),
        (ROWS, {"best": 100}, "best 100 250"),
        ({**ROWS, "return": [1, 2, 3, 4, np.inf]}, {}, "returns finite"),
        ({**ROWS, "return": ["1", "2", "many", "4", "5"]}, {}, "'return' numbers 'many'"),
        ({"agent": ["a"], "task": ["t"], "colour": [3]}, {}, "no column of returns colour"),
        (
            {"agent": ["a"], "task": ["t"], "rollouts": [3], "return": [None]},
            {},
            "at least one result|returns finite",
        ),
        (np.array([["x"]]), {}, "array numbers"),
    ],
)
def test_bad_tables(table: Any, options: dict[str, Any], message: str) -> None:
    pattern = "|".join(says(part) for part in message.split("|"))
    with pytest.raises(ValueError, match=pattern):
        read(table, **options)


@pytest.mark.parametrize(
    "table", [{**ROWS, "score": ROWS["return"]}, np.array([[3.0, 0.5]])], ids=["long", "array"]
)
def test_scores_beyond_one_mention_returns(table: Any) -> None:
    with pytest.raises(ValueError, match="returns=True"):
        Outcomes.from_table(table)


def test_returns_without_the_option_are_mentioned() -> None:
    with pytest.raises(ValueError, match="--returns"):
        Outcomes.from_table(ROWS)
    for option in ("best", "success"):
        given: dict[str, Any] = {option: 1}
        with pytest.raises(ValueError, match=says(f"{option} returns=True")):
            Outcomes.from_table(np.array([[1.0]]), **given)
    maybe: Any = 3
    with pytest.raises(ValueError, match=says("returns True False 3")):
        Outcomes.from_table(np.array([[1.0]]), returns=maybe)

"""What tables of results say: attempts, scores, and features of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from taskspace import Outcomes

COLUMNS: dict[str, Any] = {
    "agent": ["a", "b", "a"],
    "task": ["t", "t", "s"],
    "successes": [1, 0, 2],
    "rollouts": [2, 2, 3],
}
ATTEMPTS: dict[str, Any] = {
    "agent": ["a", "b", "a", "a", "b", "b"],
    "task": ["t", "t", "s", "t", "s", "s"],
    "solved": [1, 0, 1, 0, 1, None],
    "size": [5, 5, 7, 5, 7, 7],
}


def csv(columns: Any, folder: Path) -> Path:
    pd.DataFrame(columns).to_csv(folder / "table.csv", index=False)
    return folder / "table.csv"


def parquet(columns: Any, folder: Path) -> Path:
    pd.DataFrame(columns).to_parquet(folder / "table.parquet", index=False)
    return folder / "table.parquet"


MAKERS: dict[str, Any] = {
    "columns": lambda columns, _: columns,
    "arrays": lambda columns, _: {k: np.array(v, object) for k, v in columns.items()},
    "pandas": lambda columns, _: pd.DataFrame(columns),
    "categories": lambda columns, _: pd.DataFrame(columns).astype({"agent": "category"}),
    "polars": lambda columns, _: pl.DataFrame(columns),
    "polars, lazy": lambda columns, _: pl.LazyFrame(columns),
    "polars categories": lambda columns, _: pl.DataFrame(columns).with_columns(
        pl.col("agent").cast(pl.Categorical)
    ),
    "arrow": lambda columns, _: pa.table(columns),
    "csv": csv,
    "parquet": parquet,
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_attempts_are_added_up(tmp_path: Path, make: Any) -> None:
    outcomes = Outcomes.from_table(make(ATTEMPTS, tmp_path), features=["size"])
    assert outcomes.agents.tolist() == ["a", "b"]
    assert outcomes.tasks.tolist() == ["t", "s"]
    assert outcomes.successes.tolist() == [[1, 1], [0, 1]]
    assert outcomes.successes.dtype == np.uint8
    assert outcomes.rollouts.tolist() == [[2, 1], [1, 1]]
    assert outcomes.feature_names == ("size",)
    assert outcomes.features is not None
    assert outcomes.features.tolist() == [[5], [7]]


@pytest.mark.parametrize("name", ["success", "solved", "score"])
@pytest.mark.parametrize("results", [[1, 0, 1], [True, False, True], [1.0, 0.0, 1.0]])
def test_results_have_three_names_and_kinds(name: str, results: Any) -> None:
    columns = {"agent": ["a", "a", "a"], "task": ["t", "t", "t"], name: results}
    outcomes = Outcomes.from_table(columns)
    assert (outcomes.successes.tolist(), outcomes.rollouts.tolist()) == ([[2]], [[3]])


def test_fractional_scores_are_added_up() -> None:
    scores = pl.DataFrame(
        {"agent": ["a"] * 4, "task": ["t", "t", "s", "s"], "score": [0.7, 0.6, float("nan"), 0.25]}
    )
    outcomes = Outcomes.from_table(scores)
    assert outcomes.successes.dtype == np.float32
    np.testing.assert_allclose(outcomes.successes, [[1.3, 0.25]], rtol=1e-6)
    assert outcomes.rollouts.tolist() == [[2, 1]]


WIDE: dict[str, Any] = {"agent": ["x", "y"], "q1": [1.0, 0.0], "q2": [None, 0.5], "q3": [1.0, None]}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_a_wide_table_has_a_column_for_each_task(tmp_path: Path, make: Any) -> None:
    outcomes = Outcomes.from_table(make(WIDE, tmp_path))
    assert outcomes.agents.tolist() == ["x", "y"]
    assert outcomes.tasks.tolist() == ["q1", "q2", "q3"]
    np.testing.assert_array_equal(outcomes.rates, [[1, np.nan, 1], [0, 0.5, np.nan]])


def test_rows_of_one_agent_in_a_wide_table_are_added_up() -> None:
    wide = {"agent": ["x", "y", "x"], "q": [1, 0, 0], "r": [np.nan, 1, 1]}
    outcomes = Outcomes.from_table(wide)
    assert outcomes.agents.tolist() == ["x", "y"]
    assert outcomes.successes.tolist() == [[1, 1], [0, 1]]
    assert outcomes.rollouts.tolist() == [[2, 1], [1, 1]]


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_a_matrix_is_a_wide_table_without_names(kind: Any) -> None:
    outcomes = Outcomes.from_table(np.array([[1, np.nan, 1], [0, 0.5, np.nan]], kind))
    assert outcomes.agents.tolist() == ["agent-0", "agent-1"]
    assert outcomes.tasks.tolist() == ["task-0", "task-1", "task-2"]
    np.testing.assert_array_equal(outcomes.rates, [[1, np.nan, 1], [0, 0.5, np.nan]])


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int64])
def test_a_matrix_of_yes_and_no_is_counted(kind: Any) -> None:
    outcomes = Outcomes.from_table(np.eye(3, dtype=kind))
    assert outcomes.successes.dtype == np.uint8
    np.testing.assert_array_equal(outcomes.successes, np.eye(3))


FEATURES: dict[str, Any] = {"size": [7, 5], "task": ["s", "t"], "far": [0.5, 1.5]}


@pytest.mark.parametrize("kind", ["columns", "pandas", "polars", "arrow", "csv", "parquet"])
def test_features_may_have_a_table_of_their_own(tmp_path: Path, kind: str) -> None:
    outcomes = Outcomes.from_table(COLUMNS, features=MAKERS[kind](FEATURES, tmp_path))
    assert outcomes.tasks.tolist() == ["t", "s"]
    assert outcomes.feature_names == ("size", "far")
    assert outcomes.features is not None
    assert outcomes.features.tolist() == [[5, 1.5], [7, 0.5]]


def test_features_of_a_matrix_are_in_order_or_named() -> None:
    rows = np.array([[5.0], [7.0]])
    named = {"task": ["task-1", "task-0"], "x0": [7.0, 5.0]}
    for features in (rows, named):
        outcomes = Outcomes.from_table(np.eye(2), features=features)
        np.testing.assert_array_equal(np.asarray(outcomes.features), rows)
        assert outcomes.feature_names == ("x0",)


# -- tables that look unusual and are fine -----------------------------------------------------

FRAME = pd.DataFrame({"agent": list("aabb"), "task": list("stst"), "score": [1.0, 0.0, 0.5, 1.0]})
RATES = [[1.0, 0.0], [0.5, 1.0]]


@pytest.mark.parametrize(
    "table",
    [
        pd.concat([FRAME, FRAME]),  # row numbers twice
        FRAME.set_index(["agent", "task"]),
        FRAME.astype({"agent": "category", "task": "category"}),
        FRAME.astype({"score": np.float16}),
        FRAME.assign(agent=[1.0, 1.0, 2.0, 2.0]),
        FRAME.set_axis([3, 8, 9, 20]),  # as after a selection of rows
        FRAME.rename(columns={"agent": "Agent ", "score": "SCORE"}),
        FRAME[["score", "task", "agent"]],
    ],
)
def test_an_unusual_data_frame_is_read_rightly(table: pd.DataFrame) -> None:
    assert Outcomes.from_table(table).rates.tolist() == RATES


def test_rows_of_another_order_keep_their_results() -> None:
    found = Outcomes.from_table(FRAME.iloc[::-1])
    assert found.agents.tolist() == ["b", "a"]
    assert found.tasks.tolist() == ["t", "s"]
    assert found.rates.tolist() == [[1.0, 0.5], [0.0, 1.0]]


def test_many_attempts_of_a_small_type_do_not_overflow() -> None:
    many = {"agent": ["a"] * 300, "task": ["s"] * 300, "score": np.ones(300, np.int8)}
    found = Outcomes.from_table(many)
    assert found.successes.tolist() == found.rollouts.tolist() == [[300]]


def test_the_highest_score_may_be_a_number_of_numpy() -> None:
    table = FRAME.assign(score=[4, 0, 2, 4])
    for most in (np.int64(4), np.float32(4)):
        assert Outcomes.from_table(table, max_score=most).rates.tolist() == RATES  # type: ignore[arg-type]


def test_unnamed_numbers_name_agents_that_have_several_rows() -> None:
    table = FRAME.assign(agent=[7, 7, 8, 8]).set_index("agent").rename_axis(None)
    assert Outcomes.from_table(table).agents.tolist() == ["7", "8"]


def test_numbers_with_leading_zeros_stay_different(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text("agent,task,score\n001,1,1\n1,01,0\n")
    found = Outcomes.from_table(path)
    assert found.agents.tolist() == ["001", "1"]
    assert found.tasks.tolist() == ["1", "01"]


@pytest.mark.parametrize("other", ["Ada ", " Ada", "A\u0301da"])
@pytest.mark.parametrize("what", ["agent", "task"])
def test_names_that_look_the_same_are_told(what: str, other: str) -> None:
    first = "\u00c1da" if "\u0301" in other else "Ada"
    columns = {"agent": ["a", "b"], "task": ["t", "t"], "solved": [1, 0], what: [first, other]}
    with pytest.warns(UserWarning, match=f"{what}s {first!r} and"):
        found = Outcomes.from_table(columns)
    assert getattr(found, f"n_{what}s") == 2  # nothing is guessed

"""Columns and rows of tasks, from Gymnasium spaces, arrays and tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Text

from taskspace.envs.base import Column
from taskspace.envs.task_spaces import check_names, read_tasks, sample_rows, space_columns
from tests.messages import says


@pytest.mark.parametrize(
    ("space", "columns"),
    [
        (Box(-1.0, 2.0, (2,)), [("a", -1, 2, False), ("b", -1, 2, False)]),
        (Box(0, 5, (1, 2), np.int64), [("a", 0, 5, True), ("b", 0, 5, True)]),
        (MultiDiscrete([3, 4], start=[1, -1]), [("a", 1, 3, True), ("b", -1, 2, True)]),
    ],
)
def test_every_number_of_a_space_is_a_column(space: Any, columns: Any) -> None:
    assert space_columns(space, ("a", "b")) == tuple(Column(*each) for each in columns)


def test_parts_of_a_dict_name_their_columns() -> None:
    space = Dict(level=Discrete(4, start=2), wind=Box(0.0, 1.0, (2,)))
    columns = (
        Column("level", 2, 5, True),
        Column("wind_0", 0, 1, False),
        Column("wind_1", 0, 1, False),
    )
    assert space_columns(space, None) == columns
    assert space_columns(space, ("level", "wind_0", "wind_1")) == columns
    with pytest.raises(ValueError, match=says("columns level wind_0 wind_1")):
        space_columns(space, ("level", "wind"))


def test_names_and_numbers_must_match() -> None:
    with pytest.raises(ValueError, match=says("columns 2")):
        space_columns(Box(0, 1, (2,)), None)
    with pytest.raises(ValueError, match=says("1 2")):
        space_columns(Box(0, 1, (2,)), ("a",))


@pytest.mark.parametrize("space", [Text(3), MultiBinary(2), Dict(a=Dict(b=Discrete(2))), None, 5])
def test_other_spaces_are_refused(space: Any) -> None:
    with pytest.raises(TypeError, match=says("Box Discrete MultiDiscrete Dict")):
        space_columns(space, ("a",))


def test_rows_are_drawn_in_the_order_of_the_columns() -> None:
    space = Dict(level=Discrete(4, start=2), wind=Box(0.0, 1.0, (2,)))
    rows = sample_rows(space, 50, seed=3)
    assert rows.shape == (50, 3)
    assert rows.dtype == np.float64
    for column, values in zip(space_columns(space, None), rows.T, strict=True):
        assert not column.fault(values).any()
    assert rows[:20].tolist() == sample_rows(space, 20, seed=3).tolist()
    assert sample_rows(space, 0, seed=3).shape == (0, 3)


@pytest.mark.parametrize(
    ("names", "error", "tokens"),
    [
        ("gravity", TypeError, "columns 'gravity'"),
        (5, TypeError, "columns 5"),
        ([], ValueError, "columns"),
        (["a", ""], ValueError, "columns"),
        (["a", 3], ValueError, "columns"),
        (["a", "b", "a"], ValueError, "'a'"),
        (["a", "task"], ValueError, "'task'"),
    ],
)
def test_bad_names_are_refused(names: Any, error: type[Exception], tokens: str) -> None:
    with pytest.raises(error, match=says(tokens)):
        check_names(names)


def test_rows_of_integers_are_told_from_other_numbers() -> None:
    columns, rows = read_tasks([1, 2], ("a", "b"), "Env")
    assert columns == [Column(name, -np.inf, np.inf, True) for name in "ab"]
    assert rows.tolist() == [[1, 2]]
    columns, rows = read_tasks([[1.0, 2.5]], ("a", "b"), "Env")
    assert columns == [Column(name, -np.inf, np.inf, False) for name in "ab"]
    assert rows.tolist() == [[1, 2.5]]


def test_columns_of_a_table_go_by_their_names() -> None:
    frame = pd.DataFrame({"b": [0.5, 1.5], "a": [1, 2]})
    columns, rows = read_tasks(frame, ("a", "b"), "Env")
    assert columns == [Column("a", -np.inf, np.inf, True), Column("b", -np.inf, np.inf, False)]
    assert rows.tolist() == [[1, 0.5], [2, 1.5]]
    assert [column.name for column in read_tasks(frame, None, "Env")[0]] == ["b", "a"]


@pytest.mark.parametrize(
    ("tasks", "names", "tokens"),
    [
        ([[1, 2]], None, "Env columns"),
        ([[1, 2, 3]], ("a", "b"), "Env 2 (1, 3)"),
        (np.zeros((1, 1, 2)), ("a", "b"), "Env 2 (1, 1, 2)"),
        (pd.DataFrame({"a": [1]}), ("a", "b"), "'b' Env"),
        (pd.DataFrame({"a": [1], "c": [1]}), ("a",), "'c' Env"),
        (pd.DataFrame({"a": ["x"]}), ("a",), "'a'"),
    ],
)
def test_bad_tables_are_refused(tasks: Any, names: Any, tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        read_tasks(tasks, names, "Env")

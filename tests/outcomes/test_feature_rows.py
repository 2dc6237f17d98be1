"""Features are found by name in a DataFrame, and by position in an array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from taskspace.outcomes.feature_rows import default_names, in_order, rows
from tests.messages import says

FRAME = pd.DataFrame({"height": [1, 2], "topic": ["a", "b"], "width": [3, 4]}, index=[7, 5])


def test_columns_of_a_data_frame_are_found_by_name() -> None:
    assert in_order(FRAME, ("width", "height")).tolist() == [[3, 1], [4, 2]]


def test_one_row_of_a_data_frame_is_put_in_order_too() -> None:
    assert in_order(FRAME.iloc[0], ("width", "height")).tolist() == [3, 1]


def test_columns_of_polars_are_found_by_name() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"height": [1, 2], "width": [3, 4]})
    assert in_order(frame, ("width", "height")).tolist() == [[3, 1], [4, 2]]


def test_features_without_names_are_taken_in_the_order_of_the_columns() -> None:
    numbers = FRAME[["height", "width"]]
    assert in_order(numbers, default_names(2)).tolist() == [[1, 3], [2, 4]]


@pytest.mark.parametrize("tasks", [[[1, 2]], np.ones((1, 2)), ["a", "b"]])
def test_what_has_no_columns_is_returned_as_it_is(tasks: Any) -> None:
    assert in_order(tasks, ("width", "height")) is tasks


def test_a_missing_feature_is_named() -> None:
    with pytest.raises(ValueError, match=says("'depth' height, width")):
        in_order(FRAME, ("width", "depth"))


def test_a_feature_of_text_is_named() -> None:
    with pytest.raises(ValueError, match=says("'topic' numbers")):
        in_order(FRAME, ("width", "topic"))


def test_bytes_stay_bytes() -> None:
    table = np.ones((2, 3), np.uint8)
    assert rows(table) is table


@pytest.mark.parametrize("tasks", [None, 5, [], [1, 2], np.ones((2, 2, 2)), np.ones((0, 2))])
def test_what_is_no_table_is_refused(tasks: Any) -> None:
    with pytest.raises(ValueError, match=says("tasks")):
        rows(tasks)

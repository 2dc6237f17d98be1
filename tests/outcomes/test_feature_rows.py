"""Features are found by name in a DataFrame, and by position in an array."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from taskspace.outcomes.feature_rows import default_names, in_order, rows, warn_if_far
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


KNOWN = np.array([[0.0, -1.5, 7.0], [10.0, 1.5, 7.0]])


@pytest.mark.parametrize(
    ("task", "tokens"),
    [
        ([5, 77, 7], "'level' -1.5 1.5 77"),
        ([-6, 0, 7], "'width' 0 10 -6"),
        ([5, 0, 8], "'same' 7 8"),  # all known tasks have the same value
    ],
)
def test_values_far_outside_the_known_range_are_named(task: list[float], tokens: str) -> None:
    with pytest.warns(UserWarning, match=says(tokens)):
        warn_if_far(np.array([[5, 0, 7], task]), KNOWN, ("width", "level", "same"))


def test_values_a_little_outside_are_accepted() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_if_far(np.array([[14, -2.9, 7], [0, 1.5, 7]]), KNOWN, ("width", "level", "same"))

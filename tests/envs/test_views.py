"""Views of one lane and arrays on the stack, against NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit

from taskspace.envs.views import column, row, stack_array


@njit
def copied(array: Any, index: int, across: bool) -> Any:
    return column(array, index).copy() if across else row(array, index).copy()


@njit
def add_to(array: Any, index: int, value: float) -> None:
    row(array, index)[:] += value
    column(array, index)[:] += 10 * value


ARRAYS = {
    "C": np.arange(12.0).reshape(3, 4),
    "F": np.asfortranarray(np.arange(12.0).reshape(3, 4)),
    "strided": np.arange(48.0).reshape(6, 8)[::2, 1::2],
}


@pytest.mark.parametrize("array", ARRAYS.values(), ids=ARRAYS)
def test_views_show_what_numpy_shows(array: Any) -> None:
    for index in range(3):
        np.testing.assert_array_equal(copied(array, index, False), array[index])
        np.testing.assert_array_equal(copied(array, index, True), array[:, index])


@pytest.mark.parametrize("array", ARRAYS.values(), ids=ARRAYS)
def test_what_is_written_to_a_view_is_written_to_the_array(array: Any) -> None:
    changed, expected = array.copy(order="K"), array.copy()
    add_to(changed, 2, 0.5)
    expected[2] += 0.5
    expected[:, 2] += 5
    np.testing.assert_array_equal(changed, expected)


@njit
def reversed_through_the_stack(values: Any) -> None:
    kept = stack_array(np.float32, 5)
    for index in range(len(kept)):
        kept[index] = values[index]
    for index in range(len(kept)):
        values[index] = kept[4 - index]


def test_an_array_on_the_stack_keeps_what_is_written_to_it() -> None:
    values = np.arange(5, dtype=np.float32) + np.float32(0.1)
    expected = values[::-1].copy()
    reversed_through_the_stack(values)
    np.testing.assert_array_equal(values, expected)

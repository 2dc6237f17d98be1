"""Checks of what users pass in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from taskspace import checks
from tests.messages import says


@pytest.mark.parametrize("values", [[[1, 2], [3, 4]], np.eye(2, dtype=np.uint8), [[True], [False]]])
def test_numbers_are_doubles_of_their_own(values: Any) -> None:
    found = checks.numbers(values, "x")
    assert found.dtype == np.float64
    assert found.flags.c_contiguous
    np.testing.assert_array_equal(found, values)


def test_a_copy_does_not_change_with_the_original() -> None:
    original = np.zeros(3)
    found = checks.numbers(original, "x")
    original[0] = 1
    assert found.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    "values",
    [None, "text", ["a", "b"], [1j], [[1, 2], [3]], [{}], np.zeros(2, "M8[s]"), np.ma.zeros(2)],
)
def test_what_is_no_array_of_numbers_is_refused(values: Any) -> None:
    with pytest.raises(ValueError, match=says("weights")):
        checks.numbers(values, "weights")


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_the_first_row_that_is_not_finite_is_named(bad: float) -> None:
    rows = np.zeros((5, 2))
    rows[3, 1] = rows[4, 0] = bad
    with pytest.raises(ValueError, match=says("weights row 3")):
        checks.finite(rows, "weights")
    with pytest.raises(ValueError, match=says("weights")):
        checks.numbers([bad], "weights")
    checks.finite(np.zeros((5, 2)), "weights")


@pytest.mark.parametrize(("values", "count"), [([], 0), ((1, 2), 2), (np.zeros((3, 4)), 3)])
def test_a_list_has_a_length(values: Any, count: int) -> None:
    assert checks.listed(values, "agents") == count


@pytest.mark.parametrize("values", ["abc", b"abc", 5, None, np.array(7)])
def test_what_is_no_list_is_refused(values: Any) -> None:
    with pytest.raises(ValueError, match=says("agents")):
        checks.listed(values, "agents")


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3)])
def test_integers_of_every_type_become_int(value: Any) -> None:
    assert checks.whole(value, "rollouts", 3) == 3
    assert type(checks.whole(value, "rollouts")) is int


@pytest.mark.parametrize("value", [2, -1, 3.0, True, "3", None, np.float64(4)])
def test_what_is_no_integer_or_too_small_is_refused(value: Any) -> None:
    shown = repr(value.item() if isinstance(value, np.generic) else value)
    with pytest.raises(ValueError, match=says(f"rollouts 3 {shown}")):
        checks.whole(value, "rollouts", 3)


@pytest.mark.parametrize(
    "value", [np.zeros(10**6), ["name"] * 10**6, "x" * 10**6, dict.fromkeys(range(99), "x" * 99)]
)
def test_a_value_in_a_message_is_short(value: Any) -> None:
    with pytest.raises(ValueError, match=says("rollouts")) as caught:
        checks.whole(value, "rollouts")
    assert len(str(caught.value)) < 1000
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", [1e101, -1e308, np.inf, np.nan])
def test_numbers_whose_squares_overflow_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match=says("features")):
        checks.moderate(np.array([[0.0, value]]), "features")
    checks.moderate(np.array([[1e100, -1e100]]), "features")
    checks.moderate(np.zeros((2, 0)), "features")


@pytest.mark.parametrize("value", [0, 7, 2**63 - 1, np.uint32(7)])
def test_a_seed_is_itself(value: Any) -> None:
    assert checks.seed(value) == int(value)


def test_without_a_seed_one_is_drawn() -> None:
    drawn = {checks.seed(None) for _ in range(20)}
    assert len(drawn) == 20
    assert all(0 <= seed < 2**63 for seed in drawn)


@pytest.mark.parametrize("value", [-1, 2**63, 1.0, False, "1"])
def test_what_is_no_seed_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=says(f"seed {value!r}")):
        checks.seed(value)

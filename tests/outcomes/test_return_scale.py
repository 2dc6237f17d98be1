"""The scale of returns: normalised returns, their reverse, and the three meanings of difficulty."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from taskspace.outcomes.return_scale import ReturnScale
from tests.messages import says

RETURNS = np.array([[-3.0, 0.0, 5.0], [1.0, np.nan, 5.0], [5.0, 2.0, 5.0]])


def reached(shared: bool = False, best: Any = None, success: Any = None) -> ReturnScale:
    return ReturnScale.reached(RETURNS, shared=shared, best=best, success=success)


def scale(*parts: Any) -> ReturnScale:
    return ReturnScale(*parts)


def test_each_task_has_the_range_that_agents_reached() -> None:
    found = reached()
    np.testing.assert_array_equal(found.low, [-3, 0, 5])
    np.testing.assert_array_equal(found.high, [5, 2, 5])
    expected = [[0, 0, 0.5], [0.5, np.nan, 0.5], [1, 1, 0.5]]
    np.testing.assert_allclose(found.normalised(RETURNS), expected)


def test_tasks_of_one_environment_share_one_range() -> None:
    found = reached(shared=True)
    assert (float(found.low), float(found.high)) == (-3, 5)
    np.testing.assert_allclose(found.normalised(RETURNS)[0], [0, 3 / 8, 1])


def test_returns_reverse_what_is_normalised_for_any_tasks() -> None:
    found = reached()
    back = found.returns(found.normalised(RETURNS))
    np.testing.assert_allclose(back, RETURNS)
    some = found.returns(found.normalised(RETURNS[:, [2, 0]], [2, 0]), [2, 0])
    np.testing.assert_allclose(some, RETURNS[:, [2, 0]])
    np.testing.assert_array_equal(found.of_tasks([2, 0]).low, [5, -3])


def test_returns_beyond_the_range_are_clipped() -> None:
    np.testing.assert_array_equal(scale(0, 2).normalised([-1, 3]), [0, 1])


def test_difficulty_is_the_mean_regret_where_the_best_return_is_known() -> None:
    found = reached(best=[6, 3, 5])
    assert found.rule == "best"
    regret = [(9 + 5 + 1) / 3 / 9, (3 + 1) / 2 / 3, 0]  # all agents reached the best of the last
    np.testing.assert_allclose(found.difficulty(found.normalised(RETURNS)), regret)


def test_a_shared_range_knows_the_best_return_of_each_task() -> None:
    found = reached(shared=True, best=[6, 3, 5])  # from -3 to 6
    regret = [(9 + 5 + 1) / 3 / 9, (3 + 1) / 2 / 9, 0]
    np.testing.assert_allclose(found.difficulty(found.normalised(RETURNS)), regret, atol=1e-12)


def test_difficulty_is_the_share_below_a_threshold() -> None:
    for shared in (False, True):
        found = reached(shared, success=2)
        rounded = found.normalised(RETURNS).astype(np.float32)  # as outcomes store them
        np.testing.assert_allclose(found.difficulty(rounded), [2 / 3, 1 / 2, 0])
    assert found.rule == "success"


def test_without_both_difficulty_is_an_ordering_of_what_was_reached() -> None:
    found = reached()
    assert found.rule == "order"
    np.testing.assert_allclose(found.difficulty(found.normalised(RETURNS)), [0.5, 0.5, 0.5])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"best": 4}, "best 4 5"),
        ({"best": [4, 9, 9]}, "best 4 5"),
        ({"best": [9, 9]}, "best task (2,)"),
        ({"best": "much"}, "best much"),
        ({"best": 9, "success": 4}, "success best None"),
        ({"success": np.nan}, "success NaN"),
        ({"success": [1, 2]}, "success task (2,)"),
    ],
)
def test_bad_input(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=says(message)):
        reached(**arguments)


def test_a_range_must_be_one() -> None:
    with pytest.raises(ValueError, match=says("low high")):
        scale(2, 1)
    with pytest.raises(ValueError, match=says("low high (2,)")):
        scale([0, 1], 2)

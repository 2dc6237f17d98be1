"""DataFrames that are given together go by position, so their names must be in the same order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from taskspace.outcomes.outcomes import Outcomes
from tests.messages import says

RETURNS = pd.DataFrame([[-5.0, 20.0], [3.0, 70.0], [1.0, 40.0]], ["x", "y", "z"], ["a", "b"])
COUNTS, SPREADS = RETURNS * 0 + 4, RETURNS * 0 + 1
SWAPPED: dict[str, Any] = {"columns": ["b", "a"], "index": ["z", "y", "x"]}


def test_tables_in_the_same_order_are_taken_as_they_are() -> None:
    found = Outcomes.from_returns(RETURNS, COUNTS, spreads=SPREADS, best=pd.Series([9.0, 90.0]))
    assert found.returns is not None
    np.testing.assert_array_equal(found.returns, RETURNS)
    array = Outcomes.from_returns(RETURNS.to_numpy(), COUNTS[["b", "a"]])  # an array has no names
    assert (array.rollouts == 4).all()


@pytest.mark.parametrize("part", ["columns", "index"])
@pytest.mark.parametrize("which", ["rollouts", "spreads"])
def test_another_order_of_a_table_is_refused(which: str, part: str) -> None:
    given = {"rollouts": COUNTS, "spreads": SPREADS}
    given[which] = given[which].reindex(**{part: SWAPPED[part]})
    with pytest.raises(ValueError, match=says(f"{which} {part} returns order")):
        Outcomes.from_returns(RETURNS, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("which", ["best", "success", "features"])
def test_another_order_of_values_per_task_is_refused(which: str) -> None:
    values: Any = pd.Series([90.0, 9.0], ["b", "a"])
    given = {which: values.to_frame("size") if which == "features" else values}
    with pytest.raises(ValueError, match=says(f"{which} columns returns order")):
        Outcomes.from_returns(RETURNS, 1, **given)


def test_other_names_are_refused() -> None:
    with pytest.raises(ValueError, match=says("best columns returns order")):
        Outcomes.from_returns(RETURNS, 1, best=pd.Series([9.0, 90.0], ["p", "q"]))


def test_numbers_and_texts_are_the_same_names() -> None:
    returns = RETURNS.set_axis(["0", "1"], axis=1)  # as a CSV file has them
    assert Outcomes.from_returns(returns, 1, best=pd.Series([9.0, 90.0])).scale is not None


def test_what_comes_beside_successes_is_compared_too() -> None:
    with pytest.raises(ValueError, match=says("steps columns successes order")):
        Outcomes(COUNTS, COUNTS, steps=COUNTS[["b", "a"]])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=says("returns columns successes order")):
        Outcomes(COUNTS, COUNTS, returns=RETURNS[["b", "a"]])  # type: ignore[arg-type]

"""Answers and predictions in returns."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from taskspace.applications.return_answers import (
    check_return_width,
    difficulty_in_words,
    margin_of,
    on_one_scale,
    overall,
    quiz_returns,
    refuse_returns,
    warn_if_successes,
    widened,
)
from taskspace.models.linear_population import LinearPopulation
from taskspace.outcomes.outcomes import Outcomes
from taskspace.outcomes.return_scale import ReturnScale
from tests.messages import says


def scale_of(*ends: Any, **known: Any) -> ReturnScale:
    return ReturnScale(*ends, **known)


SCALE = scale_of([0.0, -5.0, 7.0], [10.0, 5.0, 7.0])


def test_returns_are_normalised_per_task() -> None:
    numbers = np.array([1, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = quiz_returns([0.0, np.nan], ["b", "a"], SCALE, numbers)
    assert found[0] == 0.5
    assert np.isnan(found[1])


def test_returns_beyond_the_range_are_told_or_refused() -> None:
    with pytest.warns(UserWarning, match=says("12 0 10")):
        assert quiz_returns([12.0], ["a"], SCALE, np.array([0])) == [1.0]
    with pytest.raises(ValueError, match=says("results 0 10 200")):
        quiz_returns([200.0], ["a"], SCALE, np.array([0]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a task on which all agents are the same says nothing
        assert quiz_returns([7.0], ["c"], SCALE, np.array([2])) == [0.5]
    with pytest.warns(UserWarning, match=says("7 200 all")):
        assert quiz_returns([200.0], ["c"], SCALE, np.array([2])) == [0.5]
    with pytest.raises(ValueError, match=says("results 2 1")):
        quiz_returns([1.0, 2.0], ["a"], SCALE, np.array([0]))


def test_zeros_and_ones_are_doubted_where_no_known_return_is_one() -> None:
    known, none = np.array([[-30.0, 40.0], [12.5, 7.0]]), np.array([0.0, np.nan])
    with pytest.warns(UserWarning, match=says("2 0 1 -30 40 returns")):
        warn_if_successes(np.array([0.0, 1.0]), known)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_if_successes(np.array([0.0, 7.0]), known)
        warn_if_successes(none, known)  # a single answer may be 0
        warn_if_successes(np.array([0.0, 1.0]), known - 7)  # one of them is 0
        warn_if_successes(np.array([0.0, 1.0]), np.array([[-30.0, 1.0]]))


def test_a_known_best_return_has_no_margin_above_it() -> None:
    free = widened(Outcomes.from_returns([[0.0], [8.0]]))
    best = widened(Outcomes.from_returns([[0.0], [8.0]], best=8.0))
    assert free.scale is not None
    assert best.scale is not None
    assert (float(free.scale.low[0]), float(free.scale.high[0])) == (-2, 10)
    assert (float(best.scale.low[0]), float(best.scale.high[0])) == (-2, 8)
    np.testing.assert_allclose(best.rates[:, 0], [0.2, 1.0])
    shift, stretch = margin_of(Outcomes.from_returns([[0.0], [8.0]]).scale, free.scale)  # type: ignore[arg-type]
    np.testing.assert_allclose(shift + stretch * np.array([0.0, 1.0]), free.rates[:, 0], rtol=1e-6)


def test_means_on_one_scale_are_means_of_returns() -> None:
    returns = np.random.default_rng(0).normal(size=(9, 4)) * [1, 10, 100, 5]
    outcomes = Outcomes.from_returns(returns)
    assert outcomes.scale is not None
    same = on_one_scale(LinearPopulation.fit(outcomes), outcomes.scale)
    found = overall(outcomes.scale).returns(same.rates.mean(1))
    np.testing.assert_allclose(found, returns.mean(1), atol=1e-3)
    assert 0 < same.unit < 1


def test_words_and_refusals() -> None:
    assert "regret" in difficulty_in_words(scale_of(0, 10, best=10))
    assert "below 4" in difficulty_in_words(scale_of(0, 10, success=4))
    assert "reached" in difficulty_in_words(scale_of(0, 10))
    assert "fail" in difficulty_in_words(None)
    with pytest.raises(ValueError, match=says("test returns")):
        refuse_returns(SCALE, "a test requires successes")
    assert check_return_width(5, scale_of(0, 10)) == 0.5
    with pytest.raises(ValueError, match=says("width positive 0")):
        check_return_width(0, SCALE)

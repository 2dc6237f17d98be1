"""Comparing ways to choose: equal conditions, scores of the definition, and bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from taskspace.applications.quiz_comparison import ChoiceScore, choice_table, compare_choices
from taskspace.outcomes import Outcomes
from tests.messages import says


def table(successes: Any, rollouts: Any) -> Outcomes:
    return Outcomes(np.asarray(successes), np.asarray(rollouts))


def students(count: int, rollouts: int = 1) -> Outcomes:
    """Two skills; half of the questions are so easy that they tell nothing."""
    rng = np.random.default_rng(0)
    levels = np.where(np.arange(40) % 4 < 2, -6.0, 0.0)
    chances = 1 / (1 + np.exp(3 * (levels - rng.normal(size=(count, 2))[:, np.arange(40) % 2])))
    return table(rng.binomial(rollouts, chances), rollouts)


@pytest.mark.slow
def test_choosing_helps_where_many_questions_tell_nothing() -> None:
    scores = compare_choices(students(80), sizes=[4], folds=2)
    gain = {score.choose: (score.gain, score.gain_error) for score in scores}
    assert list(gain) == ["information", "uncertain", "random"]
    assert gain["random"] == (0, 0)
    assert gain["information"][0] > 2 * gain["information"][1] > 0


def scored() -> list[ChoiceScore]:
    return compare_choices(students(16, 4), sizes=[3, 1], folds=2, seed=1)


@pytest.fixture(scope="module")
def scores() -> list[ChoiceScore]:
    return scored()


@pytest.mark.slow
def test_a_row_for_each_choice_and_size_the_same_again(scores: list[ChoiceScore]) -> None:
    assert scores == scored()
    assert [(score.quiz_size, score.choose) for score in scores[:4]] == [
        (1, "information"), (1, "uncertain"), (1, "random"), (3, "information"),
    ]  # fmt: skip
    assert {score.agents for score in scores} == {16}
    assert all(0 <= score.brier <= 1 and 0 <= score.accuracy <= 1 for score in scores)


@pytest.mark.slow
def test_a_random_quiz_differs_from_the_others_by_its_gain(scores: list[ChoiceScore]) -> None:
    for score in scores[:3]:
        assert score.gain == pytest.approx(scores[2].brier - score.brier)


@pytest.mark.slow
def test_the_table_says_it_all(scores: list[ChoiceScore]) -> None:
    [line] = choice_table(scores[2:3]).splitlines()[1:]
    assert line.startswith(f"   1 random      {scores[2].accuracy:.3f} ± ")
    assert line.endswith("+0.0000 ± 0.0000")


@pytest.mark.slow
def test_gaps_are_never_asked_and_the_idle_are_left_out() -> None:
    rng = np.random.default_rng(1)
    tried = rng.integers(0, 2, (20, 40))
    tried[0] = 0
    tried[0, :3] = 1
    outcomes = table(students(20).successes * tried, tried)
    assert compare_choices(outcomes, sizes=[2], folds=2)[0].agents == 19


def test_bad_input_is_refused() -> None:
    outcomes = students(4)
    with pytest.raises(ValueError, match=says("agents 4 folds 5")):
        compare_choices(outcomes)
    with pytest.raises(ValueError, match=says("size 0")):
        compare_choices(outcomes, sizes=[0])
    with pytest.raises(ValueError, match=says("folds 1")):
        compare_choices(outcomes, folds=1)
    with pytest.raises(ValueError, match=says("quiz")):
        compare_choices(outcomes, sizes=[21], folds=2)

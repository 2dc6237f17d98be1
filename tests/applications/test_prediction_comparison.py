"""Comparing predictors: scores in closed form, and that the posterior does not lose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from taskspace.applications.prediction_comparison import (
    BINS,
    Predictor,
    PredictorScore,
    compare_predictors,
    mean_reliability,
    predictors,
    reliability,
    score_table,
)
from taskspace.outcomes import Outcomes
from tests.messages import says


def table(successes: Any, rollouts: Any, **more: Any) -> Outcomes:
    return Outcomes(np.asarray(successes), np.asarray(rollouts), **more)


Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

ALL = np.arange(40)


def constant(chance: float) -> Predictor:
    return lambda quiz, results, tasks: np.full(len(tasks), chance)


def students(count: int, seed: int) -> Outcomes:
    rng = np.random.default_rng(seed)
    questions = np.random.default_rng(0)
    levels, skill = questions.normal(size=40), questions.integers(0, 2, 40)
    chances = 1 / (1 + np.exp(2 * (levels - rng.normal(size=(count, 2))[:, skill])))
    tried = rng.binomial(1, 0.8, chances.shape)
    return table(rng.binomial(1, chances) * tried, tried)


def test_scores_are_those_of_the_definition() -> None:
    new = table([[4, 4, 4, 4], [1, 1, 1, 1]], 4)
    [score] = compare_predictors({"same": constant(0.6)}, new, quiz_sizes=[1])
    assert score.accuracy == pytest.approx((1 + 0.25) / 2)
    assert score.brier == pytest.approx((0.16 + 0.25 * 0.16 + 0.75 * 0.36) / 2)
    assert score.calibration_error == pytest.approx(abs(0.6 - 0.625))


def test_quizzes_are_nested_and_targets_stay() -> None:
    seen: list[tuple[list[int], list[float], list[int]]] = []

    def spy(quiz: Numbers, results: Floats, tasks: Numbers) -> Floats:
        seen.append((quiz.tolist(), results.tolist(), tasks.tolist()))
        return np.full(len(tasks), 0.5)

    new = table([[1, 0, 1, 0, 0, 1]], [[1, 1, 1, 1, 0, 1]])
    compare_predictors({"spy": spy}, new, quiz_sizes=[1, 3])
    (short, _, targets), (long, answers, same) = seen
    assert long[:1] == short
    assert targets == same
    assert sorted(long + targets) == [0, 1, 2, 3, 5]  # what was never tried is not asked
    assert answers == [float(new.successes[0, task]) for task in long]


@pytest.mark.slow
def test_the_posterior_does_not_lose() -> None:
    known, new = students(150, 1), students(80, 2)
    methods = predictors(known, np.random.default_rng(0).normal(size=(40, 2)))
    rivals = ["vote", "quiz mean", "item mean", "Rasch", "2PL"]
    assert list(methods) == [*rivals, "posterior"]
    np.testing.assert_allclose(methods["quiz mean"](np.arange(2), np.array([0, 1.0]), ALL), 0.5)
    scores = compare_predictors(methods, new, quiz_sizes=[1, 10])
    brier = {(score.method, score.quiz_size): score.brier for score in scores}
    for size in (1, 10):
        for other in rivals:
            assert brier["posterior", size] < brier[other, size] + 0.004
    assert brier["posterior", 10] < brier["Rasch", 10] - 0.005  # which knows of one skill only


def test_reliability_has_a_column_for_each_bin() -> None:
    chances, rates = np.array([0.0, 0.05, 0.55, 1.0]), np.array([0.0, 1.0, 0.5, 1.0])
    found = reliability(chances, rates)
    assert found.shape == (3, BINS)
    np.testing.assert_allclose(found[:, 0], [0.025, 0.5, 0.5])
    np.testing.assert_allclose(found[:, 9], [1.0, 1.0, 0.25])
    assert np.isnan(found[:2, 3]).all()
    assert found[2].sum() == 1


def test_reliability_of_runs_together() -> None:
    first = reliability(np.array([0.1, 0.5]), np.array([0.0, 1.0]))
    second = reliability(np.array([0.12, 0.14]), np.array([1.0, 1.0]))
    scores = [PredictorScore("x", 1, 0, 0, curve) for curve in (first, second)]
    together = reliability(np.array([0.1, 0.5, 0.12, 0.14]), np.array([0.0, 1.0, 1.0, 1.0]))
    np.testing.assert_allclose(mean_reliability(scores), together)


def test_the_table_has_mean_and_spread() -> None:
    curve = reliability(np.array([0.5]), np.array([1.0]))
    runs = [[PredictorScore("vote", 5, accuracy, 0.25, curve)] for accuracy in (0.6, 0.8)]
    assert "   5 vote         0.700 ± 0.100   0.250 ± 0.000" in score_table(runs)


def test_bad_input_is_refused() -> None:
    new = table([[1, 0, 1]], 1)
    with pytest.raises(ValueError, match=says("quiz")):
        compare_predictors({"same": constant(0.5)}, new, quiz_sizes=[3])
    with pytest.raises(ValueError, match=says("size 0")):
        compare_predictors({}, new, quiz_sizes=[0])
    with pytest.raises(ValueError, match=says("vectors 3 (2, 2)")):
        predictors(new, np.ones((2, 2)))

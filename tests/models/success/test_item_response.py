"""Rasch and 2PL: known parameters are found again, and predictions are Bayes' rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import quad
from scipy.stats import norm

from taskspace.models.success.item_response import ItemResponse, fit_item_response
from taskspace.outcomes.outcomes import Outcomes
from tests.messages import says


def table(successes: Any, rollouts: Any, **more: Any) -> Outcomes:
    return Outcomes(np.asarray(successes), np.asarray(rollouts), **more)


def simulate(
    slopes: ArrayLike, intercepts: ArrayLike, agents: int, attempts: ArrayLike = 1
) -> Outcomes:
    rng = np.random.default_rng(0)
    ability = norm.ppf((rng.permutation(agents) + 0.5) / agents)[:, None]
    chances = 1 / (1 + np.exp(-(ability * np.asarray(slopes) + np.asarray(intercepts))))
    counts = np.broadcast_to(np.asarray(attempts), chances.shape)
    return table(rng.binomial(counts, chances), counts)


def gaps(agents: int, tasks: int, most: int) -> NDArray[np.int64]:
    return np.random.default_rng(1).integers(0, most + 1, (agents, tasks))


INTERCEPTS = np.linspace(-2, 2, 12)
SLOPES = np.tile([0.6, 1.2, 2.0], 4)


def test_rasch_finds_its_parameters() -> None:
    model = fit_item_response(simulate(1.5, INTERCEPTS, 3000), same_slopes=True)
    assert len(set(model.slopes)) == 1
    np.testing.assert_allclose(model.slopes, 1.5, atol=0.08)
    np.testing.assert_allclose(model.intercepts, INTERCEPTS, atol=0.15)
    np.testing.assert_allclose(model.difficulties, -INTERCEPTS / 1.5, atol=0.12)


def test_2pl_finds_its_parameters() -> None:
    model = fit_item_response(simulate(SLOPES, INTERCEPTS, 6000))
    np.testing.assert_allclose(model.slopes, SLOPES, atol=0.25)
    np.testing.assert_allclose(model.intercepts, INTERCEPTS, atol=0.2)


def test_gaps_and_repeated_attempts_are_allowed() -> None:
    model = fit_item_response(simulate(SLOPES, INTERCEPTS, 3000, gaps(3000, 12, 3)))
    np.testing.assert_allclose(model.slopes, SLOPES, atol=0.25)
    np.testing.assert_allclose(model.intercepts, INTERCEPTS, atol=0.2)


def test_tasks_that_all_or_none_solved_stay_finite() -> None:
    solved = np.random.default_rng(0).integers(0, 2, (30, 5))
    solved[:, 0], solved[:, 1] = 0, 1
    for same in (True, False):
        model = fit_item_response(table(solved, 1), same_slopes=same)
        assert np.abs([model.slopes, model.intercepts]).max() < 10
        assert model.intercepts[0] < model.intercepts[2:].min()
        assert model.intercepts[1] > model.intercepts[2:].max()


def test_the_prediction_is_bayes_rule() -> None:
    model = ItemResponse(np.array([1.0, 2.0, 0.5]), np.array([0.5, -1.0, 0.3]))

    def chance(task: int, ability: float) -> float:
        return float(1 / (1 + np.exp(-model.slopes[task] * ability - model.intercepts[task])))

    def joint(ability: float) -> float:
        return float(norm.pdf(ability)) * chance(0, ability) * (1 - chance(1, ability))

    expected = quad(lambda a: joint(a) * chance(2, a), -8, 8)[0] / quad(joint, -8, 8)[0]
    assert model.predict([0, 1], [1, 0], [2])[0] == pytest.approx(expected, abs=1e-6)


def test_without_answers_the_prediction_is_the_mean() -> None:
    outcomes = simulate(1.0, INTERCEPTS, 3000)
    model = fit_item_response(outcomes, same_slopes=True)
    predicted = model.predict([], [], np.arange(12))
    np.testing.assert_allclose(predicted, outcomes.rates.mean(0), atol=0.02)


def test_half_an_answer_is_between_both() -> None:
    model = ItemResponse(np.ones(2), np.zeros(2))
    wrong, half, right = (model.predict([0], [result], [1])[0] for result in (0, 0.5, 1))
    assert wrong < half < right
    assert half == pytest.approx(0.5)


def test_outcomes_that_nobody_tried_are_refused() -> None:
    with pytest.raises(ValueError, match=says("outcomes empty")):
        fit_item_response(table(np.zeros((2, 2), int), 0))

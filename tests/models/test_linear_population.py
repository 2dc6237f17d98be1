"""The linear population model: the Gaussian conditional distribution, written out plainly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from taskspace.models.linear_population import MOST_AGENTS, LinearPopulation, Shrinkage
from taskspace.models.success.factors import Floats
from taskspace.outcomes.outcomes import Outcomes
from tests.messages import says

SINGLE = 1e-5  # rates are kept in single precision
RNG = np.random.default_rng(0)
RATES = RNG.random((12, 30)).astype(np.float32).astype(np.float64)
POPULATION = LinearPopulation.from_rates(RATES, None, 0)
NEW = RNG.random(30)
SETTINGS = [Shrinkage(), Shrinkage(0.3, 0.5)]
SIZES = [0, 1, 5, 20]  # fewer tasks than agents, and more


def table(successes: Any, rollouts: Any = 1, **more: Any) -> Outcomes:
    """Outcomes of any numbers."""
    return Outcomes(successes, rollouts, **more)


def moments(shrinkage: Shrinkage, known: Floats = RATES) -> tuple[Floats, Floats]:
    """Mean and covariance of the results on all tasks, in variances around the weighted mean."""
    means, count = known.mean(0), len(RATES)
    apart = known - means
    shared = apart.T @ apart / (shrinkage.noise * count)
    shared += shrinkage.common * np.outer(POPULATION.common, POPULATION.common)
    return means, shared + np.diag(POPULATION.variances)


def conditional(
    answered: Any, results: Floats, shrinkage: Shrinkage, known: Floats = RATES
) -> tuple[Floats, Floats]:
    """Mean and covariance of all tasks given results on some, by the textbook formula."""
    means, covariance = moments(shrinkage, known)
    shared = covariance - np.diag(POPULATION.variances)
    gain = shared[:, answered] @ np.linalg.inv(covariance[np.ix_(answered, answered)])
    return means + gain @ (results - means[answered]), covariance - gain @ shared[answered]


@pytest.mark.parametrize("shrinkage", SETTINGS)
@pytest.mark.parametrize("size", SIZES)
def test_predictions_are_the_conditional_mean(size: int, shrinkage: Shrinkage) -> None:
    answered = RNG.permutation(30)[:size]
    expected, _ = conditional(answered, NEW[answered], shrinkage)
    found = POPULATION.predict(answered, NEW[answered], shrinkage=shrinkage)
    np.testing.assert_allclose(found, expected, atol=SINGLE)
    some = POPULATION.predict(answered, NEW[answered], np.array([7, 3]), shrinkage)
    np.testing.assert_allclose(some, expected[[7, 3]], atol=SINGLE)


@pytest.mark.parametrize("size", SIZES)
def test_many_agents_are_predicted_like_each(size: int) -> None:
    results = np.full((3, 30), np.nan)
    for row in results:
        row[RNG.permutation(30)[:size]] = RNG.random(size)
    for found, given in zip(POPULATION.predict_each(results), results, strict=True):
        answered = np.flatnonzero(~np.isnan(given))
        np.testing.assert_allclose(
            found, POPULATION.predict(answered, given[answered]), atol=SINGLE
        )


@pytest.mark.parametrize("shrinkage", SETTINGS)
@pytest.mark.parametrize("size", SIZES)
def test_the_covariance_of_group_means(size: int, shrinkage: Shrinkage) -> None:
    answered = RNG.permutation(30)[:size]
    rest = np.setdiff1d(np.arange(30), answered)
    groups = [rest[::2], rest[1::2]]
    _, covariance = conditional(answered, NEW[answered], shrinkage)
    means = np.zeros((2, 30))
    for row, tasks in zip(means, groups, strict=True):
        row[tasks] = 1 / len(tasks)
    # The tasks' own noise is not shared with the answered ones, so it stays in the covariance.
    expected = means @ covariance @ means.T * shrinkage.noise / (1 + shrinkage.noise)
    np.testing.assert_allclose(
        POPULATION.covariance(answered, groups, shrinkage), expected, atol=SINGLE
    )


@pytest.mark.parametrize("size", SIZES)
def test_an_agent_left_out_is_predicted_from_the_others(size: int) -> None:
    answered = RNG.permutation(30)[:size]
    regression = POPULATION.regression(answered, Shrinkage())
    together = regression.left_out(RATES[:, answered])
    for agent in (0, 7):
        own = RATES[agent, answered]
        expected, _ = conditional(answered, own, Shrinkage(), np.delete(RATES, agent, 0))
        alone = POPULATION.weights(answered, own, Shrinkage(), without=agent)
        for weights in (together[agent], alone, regression.without(agent).weights(own)):
            assert weights[agent] == pytest.approx(0, abs=1e-12)
            assert weights[:-1].sum() == pytest.approx(1)
            found = POPULATION.weighted(weights, slice(None))
            np.testing.assert_allclose(found, expected, atol=SINGLE)


GROUPS = np.arange(30) % 4 - 1  # some tasks are in no group


def drawn(weight: float) -> Floats:
    """Results drawn towards scores, one group and one task at a time."""
    found = RATES.copy()
    for group in range(-1, 3):
        tasks = np.flatnonzero(group == GROUPS)
        level = RATES[:, tasks].mean(1) - RATES[:, tasks].mean()
        for task in tasks:
            factor = POPULATION.variances[task] / POPULATION.variances[tasks].mean()
            scored = RATES[:, task].mean() + level * factor
            found[:, task] = (1 - weight) * RATES[:, task] + weight * scored
    return found


def test_results_are_drawn_towards_scores_in_groups() -> None:
    """Twelve agents count half, as many as the scores are worth; the scores stay the same."""
    found = POPULATION.towards(GROUPS).known(np.arange(30))
    np.testing.assert_allclose(found, drawn(0.5), atol=SINGLE)
    for group in range(-1, 3):
        own = group == GROUPS
        np.testing.assert_allclose(found[:, own].sum(1), RATES[:, own].sum(1), atol=SINGLE)


@pytest.mark.parametrize("size", SIZES)
def test_drawn_results_are_those_of_the_model(size: int) -> None:
    answered = RNG.permutation(30)[:size]
    population, known = POPULATION.towards(GROUPS), drawn(0.5)
    expected, _ = conditional(answered, NEW[answered], Shrinkage(), known)
    found = population.predict(answered, NEW[answered])
    np.testing.assert_allclose(found, expected, atol=SINGLE)
    some = population.predict(answered, NEW[answered], np.array([7, 3]))
    np.testing.assert_allclose(some, expected[[7, 3]], atol=SINGLE)
    np.testing.assert_allclose(
        population.sums(answered)[:-1], known[:, answered].sum(1), atol=SINGLE
    )


def test_missing_pairs_are_predicted() -> None:
    skill, level = RNG.normal(size=(60, 1)), RNG.normal(size=40)
    solved = (RNG.random((60, 40)) < 1 / (1 + np.exp(level - 2 * skill))) * 1
    tried = RNG.random(solved.shape) < 0.7
    population = LinearPopulation.fit(table(solved * tried, tried * 1))
    assert population.tried is not None
    np.testing.assert_array_equal(population.tried, tried)
    np.testing.assert_array_equal(population.rates[tried], solved[tried])
    assert np.abs(population.rates[~tried] - solved[~tried]).mean() < 0.45


def test_of_many_agents_some_are_drawn() -> None:
    outcomes = table(RNG.integers(0, 2, (MOST_AGENTS + 20, 3)), 1)
    one, other = (LinearPopulation.fit(outcomes, seed=3) for _ in range(2))
    assert one.rates.shape == (MOST_AGENTS, 3)
    np.testing.assert_array_equal(one.rates, other.rates)


def test_a_task_that_everybody_solves_does_no_harm() -> None:
    rates = RATES.copy()
    rates[:, 0] = 1.0
    found = LinearPopulation.from_rates(rates, None, 0).predict(np.array([0]), np.array([0.0]))
    assert np.isfinite(found).all()
    assert np.abs(found - rates.mean(0)).max() < 0.5


def test_one_agent_is_refused() -> None:
    with pytest.raises(ValueError, match=says("outcomes 2 agents 1")):
        LinearPopulation.fit(table([[1, 0]], 1))


def test_bad_input_is_told_in_one_sentence() -> None:
    population = LinearPopulation.fit(table([[1, 1, 0, 0]] * 9 + [[0, 0, 1, 1]] * 9))
    for answered, results, tokens in (
        ([4], [1.0], "answered 0 3 4"),
        ([-1], [1.0], "answered 0 3 -1"),
        ([1, 1], [1.0, 0.0], "answered once 1"),
        ([1], [np.nan], "results NaN"),
        ([1], [2.0], "results 0 1"),
        ([1], [1.0, 0.0], "results 0 1"),
    ):
        with pytest.raises(ValueError, match=says(tokens)):
            population.predict(np.array(answered), np.array(results))
    for groups in ([np.array([0])], [np.array([9])], [np.array([2, 2])]):
        with pytest.raises(ValueError, match=says("groups")):
            population.covariance(np.array([0]), groups)
    with pytest.raises(TypeError, match=says("Outcomes list")):
        LinearPopulation.fit([[1, 0], [0, 1]])  # type: ignore[arg-type]

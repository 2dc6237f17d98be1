"""Shrinkage: observed rates where they are many or odd, the model where they are few."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from taskspace.models.success.factors import fit_factors
from taskspace.models.success.low_rank import (
    ENOUGH_AGENTS,
    FEW_TASKS,
    MOST_AGENTS,
    STRENGTHS,
    Settings,
    blend,
    choose_settings,
    fit,
    fit_low_rank,
    log_loss,
)
from taskspace.outcomes.outcomes import Outcomes
from tests.messages import says


def table(successes: Any, rollouts: Any, **more: Any) -> Outcomes:
    return Outcomes(np.asarray(successes), np.asarray(rollouts), **more)


RNG = np.random.default_rng(0)


def low_rank_chances(agents: int, tasks: int) -> NDArray[np.float64]:
    logits = RNG.normal(size=(agents, 2)) @ RNG.normal(size=(2, tasks)) * 1.5
    return 1 / (1 + np.exp(-logits - RNG.normal(size=tasks)))


def test_with_single_attempts_the_model_decides() -> None:
    chances = low_rank_chances(150, 60)
    outcomes = table(RNG.binomial(1, chances), 1)
    model = fit_low_rank(outcomes)
    assert model.settings.strength == STRENGTHS[-1]  # single attempts cannot say otherwise
    assert np.abs(model.profiles - chances).mean() < 0.1
    assert np.abs(outcomes.rates - chances).mean() > 0.2


@pytest.mark.slow
def test_with_many_attempts_at_unrelated_pairs_the_rates_decide() -> None:
    chances = RNG.uniform(size=(40, 30))  # what one pair does says nothing about another
    outcomes = table(RNG.binomial(20, chances), 20)
    model = fit_low_rank(outcomes)
    assert model.settings.strength <= 4
    assert np.abs(model.profiles - outcomes.rates).mean() < 0.06
    assert np.abs(model.profiles - chances).mean() < np.abs(outcomes.rates - chances).mean()


@pytest.mark.slow
def test_with_many_attempts_at_related_pairs_both_are_better_than_each() -> None:
    chances = low_rank_chances(80, 60)
    outcomes = table(RNG.binomial(20, chances), 20)
    model = fit_low_rank(outcomes)
    assert np.abs(model.profiles - chances).mean() < 0.6 * np.abs(outcomes.rates - chances).mean()


@pytest.mark.slow
def test_gaps_and_uneven_attempts_are_fine() -> None:
    chances = low_rank_chances(100, 40)
    attempts = RNG.integers(0, 4, chances.shape)
    model = fit_low_rank(table(RNG.binomial(attempts, chances), attempts))
    assert np.abs(model.profiles - chances)[attempts == 0].mean() < 0.12


def test_given_settings_are_used() -> None:
    outcomes = table(RNG.binomial(3, 0.5, (6, 5)), 3)
    settings = Settings(rank=2, least_spread=0.3, strength=6.0)
    model = fit_low_rank(outcomes, settings=settings)
    assert model.settings == settings
    assert model.factors.agents.mean.shape == (6, 2)
    expected = (6 * model.factors.probabilities() + outcomes.successes) / 9
    np.testing.assert_allclose(model.profiles, expected)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bits() -> None:
    outcomes = table(RNG.binomial(2, 0.4, (20, 15)), 2)
    first, second = (fit_low_rank(outcomes, seed=3) for _ in range(2))
    assert first.settings == second.settings
    np.testing.assert_array_equal(first.profiles, second.profiles)


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (4, 1), (2, 2)])
def test_tiny_tables_are_no_trouble(shape: tuple[int, int]) -> None:
    profiles = fit_low_rank(table(np.ones(shape, int), 1)).profiles
    assert profiles.shape == shape
    assert ((profiles > 0.4) & (profiles < 1)).all()


def test_blending_counts_attempts() -> None:
    assert blend(np.array(0.2), np.array(3.0), np.array(4.0), 6.0) == pytest.approx(4.2 / 10)
    assert blend(np.array(0.2), np.array(0.0), np.array(0.0), 6.0) == pytest.approx(0.2)


def test_log_loss_is_in_nats_and_finite() -> None:
    found = log_loss(np.array([0.25, 1.0]), np.array([1.0, 0.0]), np.array([2.0, 1.0]))
    assert found == pytest.approx(-np.log(0.25) - np.log(0.75) - np.log(1e-6))


def test_outcomes_that_nobody_tried_are_refused() -> None:
    with pytest.raises(ValueError, match=says("outcomes empty")):
        fit_low_rank(table(np.zeros((2, 2), int), 0))


@pytest.mark.parametrize(
    ("agents", "tasks", "few"),
    [
        (ENOUGH_AGENTS, FEW_TASKS, True),
        (ENOUGH_AGENTS, FEW_TASKS + 1, False),
        (ENOUGH_AGENTS - 1, FEW_TASKS, False),
    ],
)
def test_few_tasks_and_enough_agents_take_marginal_likelihood(
    agents: int, tasks: int, few: bool
) -> None:
    solved = np.random.default_rng(0).binomial(1, low_rank_chances(agents, tasks)).astype(float)
    tried = np.ones_like(solved)
    found, rough = (learn(solved, tried, 1, 0.5).tasks.mean for learn in (fit, fit_factors))
    assert (np.abs(found - rough).max() > 0.01) == few


def test_settings_of_many_agents_are_chosen_by_some() -> None:
    solved = np.random.default_rng(0).binomial(1, 0.5, (MOST_AGENTS + 1, 2)).astype(float)
    tried = np.ones_like(solved)
    solved[:, 1] = solved[:, 0]  # one dimension explains the other task
    settings = choose_settings(solved, tried, np.random.default_rng(0))
    assert settings.rank in (1, 2)

"""The posterior over agents: Bayes' rule in closed form, base rates, and agents of a new kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from taskspace.applications.known_tasks import Mix
from taskspace.applications.posterior import (
    IMAGINED,
    SHARES,
    TEMPERS,
    AgentPosterior,
    fit_posterior,
    log_likelihood,
)
from taskspace.outcomes import Outcomes


def table(successes: Any, rollouts: Any, **more: Any) -> Outcomes:
    return Outcomes(np.asarray(successes), np.asarray(rollouts), **more)


RNG = np.random.default_rng(0)
PROFILES = RNG.uniform(0.1, 0.9, size=(6, 5)).astype(np.float32)  # tasks x candidates
KNOWN = table(np.ones((2, 6), int), 1)


def plain(share: float, temper: float) -> AgentPosterior:
    """Two known agents and three imagined ones."""
    return AgentPosterior(KNOWN, PROFILES, share, temper)


def formula(quiz: list[int], results: list[float], task: int, share: float, temper: float) -> float:
    """Bayes' rule, candidate by candidate."""
    above = below = 0.0
    for candidate in range(5):
        weight = (1 - share) / 2 if candidate < 2 else share / 3
        for asked, result in zip(quiz, results, strict=True):
            p = float(PROFILES[asked, candidate])
            weight *= (p**result * (1 - p) ** (1 - result)) ** temper
        above += weight * float(PROFILES[task, candidate])
        below += weight
    return above / below


@pytest.mark.parametrize("share", [0.05, 0.5, 1.0])
@pytest.mark.parametrize("temper", [0.4, 1.0])
def test_the_prediction_is_bayes_rule(share: float, temper: float) -> None:
    quiz, results = [0, 3, 4], [1.0, 0.0, 0.25]
    predicted = plain(share, temper).predict(Mix.known(quiz), np.array(results), Mix.known([1, 2]))
    expected = [formula(quiz, results, task, share, temper) for task in (1, 2)]
    np.testing.assert_allclose(predicted, expected, rtol=1e-5)


def test_a_mixture_of_tasks_has_the_mean_chance_of_its_parts() -> None:
    posterior, quiz = plain(0.5, 1.0), Mix.known([0])
    mixed = posterior.predict(quiz, np.ones(1), Mix(np.array([[1, 2]]), np.array([[0.75, 0.25]])))
    alone = posterior.predict(quiz, np.ones(1), Mix.known([1, 2]))
    np.testing.assert_allclose(mixed, [0.75 * alone[0] + 0.25 * alone[1]], rtol=1e-6)
    # A task that is a mixture can be asked for, too.
    half = Mix(np.array([[0, 3]]), np.array([[0.5, 0.5]]))
    asked = PROFILES[[0, 3]].mean(0)
    weights = asked * np.array([0.25, 0.25, 1 / 6, 1 / 6, 1 / 6])
    expected = (weights @ PROFILES[1]) / weights.sum()
    np.testing.assert_allclose(posterior.predict(half, np.ones(1), Mix.known([1])), [expected])


def test_what_was_not_asked_does_not_count() -> None:
    results = np.array([[1.0, np.nan, 0.0]])
    chances = RNG.uniform(0.1, 0.9, size=(4, 3))
    expected = np.log(chances[:, 0]) + np.log(1 - chances[:, 2])
    np.testing.assert_allclose(log_likelihood(chances, results)[0], expected)


def test_certain_candidates_do_not_break_it() -> None:
    posterior = AgentPosterior(KNOWN, np.eye(6, 5, dtype=np.float32), 0.5, 1.0)
    predicted = posterior.predict(Mix.known([0, 1, 2, 3]), np.ones(4), Mix.known(np.arange(6)))
    assert np.isfinite(predicted).all()


def two_kinds(agents: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Agents of the first kind solve the first ten tasks, the others the last ten; some luck."""
    first = rng.integers(0, 2, agents)[:, None] == np.repeat([0, 1], 10)
    return rng.binomial(1, np.where(first, 0.9, 0.1))


def test_an_answer_tells_the_kind() -> None:
    posterior = fit_posterior(table(two_kinds(60, np.random.default_rng(1)), 1))
    assert posterior.profiles.shape == (20, 60 + IMAGINED)
    assert posterior.share in SHARES
    assert posterior.temper in TEMPERS
    predicted = posterior.predict(Mix.known([0, 1, 12]), np.array([1, 1, 0.0]), Mix.known([5, 15]))
    np.testing.assert_allclose(predicted, [0.9, 0.1], atol=0.1)


def test_after_one_answer_hard_tasks_are_still_hard() -> None:
    rng = np.random.default_rng(2)
    rates = np.linspace(0.05, 0.95, 20)
    posterior = fit_posterior(table(rng.binomial(1, np.tile(rates, (100, 1))), 1))
    predicted = posterior.predict(Mix.known([10]), np.ones(1), Mix.known(np.arange(20)))
    assert np.abs(predicted - rates).mean() < 0.1


def test_an_agent_unlike_all_known_ones_is_believed() -> None:
    rng = np.random.default_rng(3)
    ability = rng.normal(0, 0.5, (40, 1))
    chances = 1 / (1 + np.exp(rng.normal(size=30) - ability))
    posterior = fit_posterior(table(rng.binomial(1, chances), 1))
    others = Mix.known(np.arange(20, 30))
    best = posterior.predict(Mix.known(np.arange(20)), np.ones(20), others)
    worst = posterior.predict(Mix.known(np.arange(20)), np.zeros(20), others)
    assert (best > worst + 0.15).all()


def test_the_same_seed_gives_the_same_bits() -> None:
    outcomes = table(two_kinds(12, np.random.default_rng(4))[:, 5:15], 1)
    first, second = (fit_posterior(outcomes, seed=1) for _ in range(2))
    assert (first.share, first.temper) == (second.share, second.temper)
    np.testing.assert_array_equal(first.profiles, second.profiles)


def test_gaps_are_allowed() -> None:
    rng = np.random.default_rng(5)
    tried = rng.integers(0, 2, (60, 20))
    posterior = fit_posterior(table(two_kinds(60, rng) * tried, tried))
    predicted = posterior.predict(Mix.known([0, 1, 2]), np.ones(3), Mix.known([5, 15]))
    assert predicted[0] > 0.7
    assert predicted[1] < 0.3


@pytest.mark.parametrize("agents", [1, 2, 4])
def test_few_agents_are_better_than_none(agents: int) -> None:
    outcomes = table(np.tile([1, 1, 0, 0], (agents, 1)), 1)
    predicted = fit_posterior(outcomes).predict(Mix.known([0]), np.ones(1), Mix.known([1, 2]))
    assert predicted[0] > predicted[1]

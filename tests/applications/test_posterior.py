"""The posterior over agents: Bayes' rule in closed form, base rates, and agents of a new kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from taskspace.applications.candidates import IMAGINED, ON_MAP, SKILLS, TILTS
from taskspace.applications.known_tasks import Mix
from taskspace.applications.posterior import (
    MAP_SHARE,
    MIXES,
    TEMPERS,
    AgentPosterior,
    fit_posterior,
    log_likelihood,
)
from taskspace.outcomes import Outcomes
from tests import tolerances
from tests.messages import says


def table(successes: Any, rollouts: Any, **more: Any) -> Outcomes:
    return Outcomes(np.asarray(successes), np.asarray(rollouts), **more)


RNG = np.random.default_rng(0)
PROFILES = RNG.uniform(0.1, 0.9, size=(6, 5)).astype(np.float32)  # tasks x candidates
KNOWN = table(np.ones((2, 6), int), 1)


def plain(share: float, temper: float) -> AgentPosterior:
    """Two known agents and three imagined ones."""
    prior = np.repeat([(1 - share) / 2, share / 3], [2, 3])
    return AgentPosterior(PROFILES, prior, temper, 32.0, KNOWN)


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


def test_with_no_answers_it_is_the_base_rate() -> None:
    posterior = plain(0.5, 1.0)
    weights = posterior.weights(Mix.known(np.zeros(0, int)), np.zeros(0))
    np.testing.assert_allclose(weights, posterior.prior)
    found = posterior.chances(weights, Mix.known([2, 4]))
    np.testing.assert_allclose(found, (PROFILES @ posterior.prior)[[2, 4]], rtol=1e-5)


# -- intervals ---------------------------------------------------------------------------------


def test_an_interval_is_that_of_the_mixture() -> None:
    posterior, rng = plain(0.5, 1.0), np.random.default_rng(7)
    weights = posterior.weights(Mix.known([0]), np.ones(1))
    like = PROFILES[:, rng.choice(5, 200_000, p=weights)].astype(float)
    rates = rng.beta(32 * like, 32 * (1 - like))
    for level in (0.5, 0.9):
        low, high = posterior.interval(weights, Mix.known(np.arange(6)), level)
        expected = np.quantile(rates, [(1 - level) / 2, (1 + level) / 2], axis=1)
        np.testing.assert_allclose([low, high], expected, atol=0.005 + 2 * tolerances.BOUND)
        inside = ((rates >= low[:, None]) & (rates <= high[:, None])).mean(1)
        assert (inside > level - 0.01).all()  # rounded outwards
        assert (inside < level + 0.06).all()


def test_intervals_of_sure_candidates_reach_the_ends() -> None:
    sure = AgentPosterior(np.eye(6, 5, dtype=np.float32)[:, :1], np.ones(1), 1.0, 32.0, KNOWN)
    low, high = sure.interval(np.ones(1), Mix.known([0, 1]), 0.9)
    assert high[0] == 1
    assert low[1] == 0
    assert low[0] > 0.9
    assert high[1] < 0.1


def test_an_interval_of_a_mixture_of_tasks() -> None:
    posterior = plain(0.5, 1.0)
    half = Mix(np.array([[1, 1], [1, 2]]), np.full((2, 2), 0.5))
    low, high = posterior.interval(posterior.prior, half, 0.8)
    alone = posterior.interval(posterior.prior, Mix.known([1]), 0.8)
    assert (low[0], high[0]) == pytest.approx((alone[0][0], alone[1][0]), abs=tolerances.BOUND)
    assert low[1] < high[1]


def test_many_tasks_are_taken_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    posterior, tasks = plain(0.5, 1.0), Mix.known(np.arange(6))
    together = posterior.interval(posterior.prior, tasks, 0.9)
    monkeypatch.setattr("taskspace.applications.posterior._MOST_AT_ONCE", 7)
    apart = posterior.interval(posterior.prior, tasks, 0.9)
    np.testing.assert_allclose(apart, together, rtol=0, atol=tolerances.BOUND)


# -- learning ----------------------------------------------------------------------------------


def test_certain_candidates_do_not_break_it() -> None:
    posterior = AgentPosterior(np.eye(6, 5, dtype=np.float32), np.full(5, 0.2), 1.0, 32.0, KNOWN)
    predicted = posterior.predict(Mix.known([0, 1, 2, 3]), np.ones(4), Mix.known(np.arange(6)))
    assert np.isfinite(predicted).all()


def two_kinds(agents: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Agents of the first kind solve the first ten tasks, the others the last ten; some luck."""
    first = rng.integers(0, 2, agents)[:, None] == np.repeat([0, 1], 10)
    return rng.binomial(1, np.where(first, 0.9, 0.1))


def test_an_answer_tells_the_kind() -> None:
    posterior = fit_posterior(table(two_kinds(60, np.random.default_rng(1)), 1))
    assert posterior.profiles.shape == (20, 60 + IMAGINED + SKILLS * len(TILTS))
    parts = np.split(posterior.prior, [60, 60 + IMAGINED])
    assert tuple(part.sum().round(6) for part in parts) in MIXES
    assert posterior.temper in TEMPERS
    predicted = posterior.predict(Mix.known([0, 1, 12]), np.array([1, 1, 0.0]), Mix.known([5, 15]))
    np.testing.assert_allclose(predicted, [0.9, 0.1], atol=0.1)


@pytest.mark.slow
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


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bits() -> None:
    outcomes = table(two_kinds(12, np.random.default_rng(4))[:, 5:15], 1)
    first, second = (fit_posterior(outcomes, seed=1) for _ in range(2))
    assert first.temper == second.temper
    np.testing.assert_array_equal(first.prior, second.prior)
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


# -- agents of a new kind ----------------------------------------------------------------------


@pytest.mark.slow
def test_a_map_helps_with_an_agent_of_a_new_kind() -> None:
    """Known agents tell two halves apart; the new one solves a quarter that lies together."""
    places = np.linspace(0, 1, 40)[:, None]
    can = two_kinds(60, np.random.default_rng(6)).repeat(2, axis=1)
    alone = fit_posterior(table(can, 1))
    mapped = fit_posterior(table(can, 1), vectors=places)
    assert mapped.prior[-ON_MAP:].sum() == pytest.approx(MAP_SHARE)
    truth = (np.arange(40) < 10).astype(float)
    quiz, others = Mix.known(np.arange(0, 40, 2)), Mix.known(np.arange(1, 40, 2))
    errors = [
        np.abs(posterior.predict(quiz, truth[::2], others) - truth[1::2]).mean()
        for posterior in (alone, mapped)
    ]
    assert errors[1] < errors[0] - 0.05


def test_bad_vectors_are_refused() -> None:
    with pytest.raises(ValueError, match=says("vectors 6 (5, 2)")):
        fit_posterior(KNOWN, vectors=np.ones((5, 2)))
    with pytest.raises(ValueError, match=says("vectors finite")):
        fit_posterior(KNOWN, vectors=np.full((6, 2), np.nan))

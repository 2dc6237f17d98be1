"""Similarity of returns: closed forms, successes as a special case, noise, and missing pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from taskspace import Outcomes
from taskspace.similarity.chance import parallel_analysis, shuffled
from taskspace.similarity.estimates import estimates
from taskspace.similarity.normal_scores import normal_scores
from taskspace.similarity.reliability import split_half
from taskspace.similarity.returns import ReturnStatistics, copula_bits, statistics_of
from taskspace.similarity.statistics import SuccessStatistics, warn_if_anti_correlated
from taskspace.similarity.task_statistics import ENOUGH_TOGETHER
from tests.messages import says
from tests.tolerances import BITS

RNG = np.random.default_rng


def bivariate(correlation: float, agents: int, seed: int = 0) -> np.ndarray[Any, Any]:
    """Jointly normal returns (agents, 2)."""
    one, other = RNG(seed).normal(size=(2, agents))
    return np.column_stack([one, correlation * one + np.sqrt(1 - correlation**2) * other])


def test_statistics_fit_the_outcomes() -> None:
    assert isinstance(statistics_of(Outcomes([[1, 0]], 1)), SuccessStatistics)  # type: ignore[arg-type]
    assert isinstance(statistics_of(Outcomes.from_returns([[1, 0]])), ReturnStatistics)
    with pytest.raises(ValueError, match=says("outcomes returns")):
        ReturnStatistics.from_outcomes(Outcomes([[1, 0]], 1))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=says("task-1")):
        statistics_of(Outcomes.from_returns([[1, np.nan], [2, np.nan]]))


@pytest.mark.parametrize("correlation", [-0.9, -0.3, 0.0, 0.5, 0.8])
@pytest.mark.parametrize("bent", [False, True])
def test_bits_of_a_gaussian_copula(correlation: float, bent: bool) -> None:
    returns = bivariate(correlation, 20_000)
    if bent:  # any rising curve per task
        returns = np.column_stack([np.exp(2 * returns[:, 0]), -1000 + returns[:, 1] ** 3])
    statistics = statistics_of(Outcomes.from_returns(returns))
    assert statistics.correlation([0], [1])[0] == pytest.approx(correlation, abs=0.02)
    expected = -0.5 * np.log2(1 - correlation**2)
    assert statistics.pairs([0], [1])[0] == pytest.approx(expected, abs=0.06)


def test_returns_of_zero_and_one_have_the_usual_correlation() -> None:
    rng = RNG(1)
    solved = (rng.random((40, 12)) < rng.random(12)).astype(np.int64)
    returns = statistics_of(Outcomes.from_returns(solved * 30 - 10))
    successes = statistics_of(Outcomes(solved, 1))  # type: ignore[arg-type]
    off = ~np.eye(12, dtype=bool)
    found = returns.matrix(measure="correlation")
    np.testing.assert_allclose(found[off], successes.matrix(measure="correlation")[off], atol=1e-5)


def test_n_agents_show_at_most_half_of_log2_n_bits() -> None:
    np.testing.assert_allclose(copula_bits(np.array([1.0, -1.0]), 64), 3.0)
    np.testing.assert_allclose(copula_bits(np.array([0.6]), 10**9), -0.5 * np.log2(1 - 0.36))
    rising = np.arange(16.0)[:, None] ** np.array([1, 3])
    statistics = statistics_of(Outcomes.from_returns(rising))
    np.testing.assert_allclose(statistics.matrix(), 2.0, atol=BITS)
    np.testing.assert_allclose(statistics.bounds(), 2.0)


def test_independent_tasks_share_nothing_after_the_correction() -> None:
    statistics = statistics_of(Outcomes.from_returns(RNG(2).normal(size=(50, 200))))
    some, others = np.arange(100), np.arange(100, 200)
    assert statistics.matrix(some, others).mean() == pytest.approx(1 / (100 * np.log(2)), rel=0.1)
    assert abs(estimates(statistics, some, others).mean()) < 0.001


@pytest.mark.parametrize("true", [0.3, 0.8])
def test_attenuation_is_corrected(true: float) -> None:
    agents, attempts, rng = 4000, 3, RNG(3)
    skill = bivariate(true, agents, seed=3)
    tries = skill[:, :, None] + rng.normal(size=(agents, 2, attempts)) * np.array([[0.8], [1.2]])
    returns, spreads = tries.mean(2), tries.std(2, ddof=1)
    plain = statistics_of(Outcomes.from_returns(returns, attempts))
    corrected = statistics_of(Outcomes.from_returns(returns, attempts, spreads=spreads))
    lowered = true / np.sqrt((1 + 0.64 / 3) * (1 + 1.44 / 3))
    assert plain.correlation([0], [1])[0] == pytest.approx(lowered, abs=0.03)
    assert corrected.correlation([0], [1])[0] == pytest.approx(true, abs=0.04)
    assert corrected.noise[1] == pytest.approx(1 + 1.44 / 3, abs=0.06)


def test_noisy_agents_show_fewer_bits() -> None:
    returns, spreads = np.arange(16.0)[:, None] * [1, 1], np.tile([0.0, 4.6], (16, 1))
    exact, noisy = (
        statistics_of(Outcomes.from_returns(returns, 2, spreads=part))
        for part in (np.zeros((16, 2)), spreads)
    )
    reliability = 1 / noisy.noise[1]
    assert 0.3 < reliability < 0.8
    assert exact.pairs([0], [1])[0] == pytest.approx(2.0, abs=BITS)
    expected = 0.5 * np.log2(16 * reliability)  # so many agents without noise
    assert noisy.pairs([0], [1])[0] == pytest.approx(expected, abs=1e-4)
    assert noisy.bounds()[1] == pytest.approx(0.5 * np.log2(16 * reliability**2), abs=1e-4)


def test_independent_noisy_tasks_share_nothing_after_the_correction() -> None:
    rng = RNG(7)
    tries = rng.normal(size=(200, 100, 1)) + rng.normal(size=(200, 100, 3))
    outcomes = Outcomes.from_returns(tries.mean(2), 3, spreads=tries.std(2, ddof=1))
    statistics = statistics_of(outcomes)
    plain = statistics.matrix(np.arange(50), np.arange(50, 100)).mean()
    found = estimates(statistics, np.arange(50), np.arange(50, 100)).mean()
    assert abs(found) < 0.05 * plain


def with_gaps(seed: int = 4) -> Outcomes:
    rng = RNG(seed)
    returns = rng.normal(size=(40, 1)) + rng.normal(size=(40, 15)).round(1)
    returns[rng.random(returns.shape) < 0.4] = np.nan
    returns[:30, 14] = np.nan  # hardly tried
    return Outcomes.from_returns(returns)


def plain_correlations(outcomes: Outcomes) -> np.ndarray[Any, Any]:
    """Pair by pair, over the agents that tried both."""
    assert outcomes.returns is not None
    scores = normal_scores(outcomes.returns.T)
    found = np.full((len(scores), len(scores)), np.nan)
    for i, one in enumerate(scores):
        for j, other in enumerate(scores):
            both = ~np.isnan(one) & ~np.isnan(other)
            if both.sum() >= ENOUGH_TOGETHER:
                found[i, j] = np.corrcoef(one[both], other[both])[0, 1]
    return found


@pytest.mark.parametrize("size", [7, 1 << 15])
def test_missing_pairs_equal_a_plain_loop(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("taskspace.similarity.task_statistics._PAIRS_PER_BLOCK", size)
    outcomes = with_gaps()
    statistics, plain = statistics_of(outcomes), plain_correlations(outcomes)
    found = statistics.matrix(measure="correlation")
    np.testing.assert_allclose(found, plain, atol=2e-5)
    assert np.isnan(plain).any()
    pairs = np.triu_indices(15, 1)
    np.testing.assert_allclose(statistics.correlation(*pairs), plain[pairs], atol=2e-5)
    both = (outcomes.rollouts > 0).astype(int).T @ (outcomes.rollouts > 0)
    np.testing.assert_array_equal(statistics.together(*pairs), both[pairs])
    bits = copula_bits(plain, both)
    np.testing.assert_allclose(statistics.pairs(*pairs), bits[pairs], atol=1e-4)


def test_most_similar_tasks_are_those_of_the_matrix() -> None:
    statistics = statistics_of(with_gaps())
    nearest, bits = statistics.most_similar(3)
    matrix = np.nan_to_num(statistics.matrix(), nan=-1.0)
    np.fill_diagonal(matrix, -1.0)
    np.testing.assert_array_equal(nearest[:14, 0], matrix.argmax(1)[:14])
    np.testing.assert_allclose(bits[:14, 0], matrix.max(1)[:14], atol=BITS)
    assert nearest[14, 0] == -1  # too few agents tried it


def test_equal_returns_say_nothing() -> None:
    returns = np.column_stack([np.full(12, 3.0), np.arange(12.0)])
    statistics = statistics_of(Outcomes.from_returns(returns))
    np.testing.assert_array_equal(statistics.matrix()[0], [0, 0])
    np.testing.assert_array_equal(statistics.bounds() > 0, [False, True])


def test_difficulty_follows_the_scale() -> None:
    returns = np.array([[0.0, 4.0], [5.0, 4.0], [10.0, 8.0]])
    for rule, difficulty in (
        ({}, [0.5, 2 / 3]),
        ({"best": 10}, [0.5, (1 + 1 + 2 / 6) / 3]),
        ({"success": 5}, [1 / 3, 2 / 3]),
    ):
        statistics = statistics_of(Outcomes.from_returns(returns, **rule))  # type: ignore[arg-type]
        np.testing.assert_allclose(1 - statistics.success, difficulty, atol=1e-6)


def two_skills(agents: int = 100) -> Outcomes:
    rng = RNG(5)
    skills = np.repeat(rng.normal(size=(agents, 2)), 10, axis=1)
    return Outcomes.from_returns(100 * np.exp(skills + rng.normal(size=(agents, 20))))


def test_chance_and_reliability_work_on_returns() -> None:
    statistics, rng = statistics_of(two_skills()), RNG(0)
    assert parallel_analysis(statistics, np.arange(20), rng).above == 2
    found = split_half(statistics, rng)
    assert 0.7 < found["correlation"].value < 1
    mixed = shuffled(statistics, rng)
    assert split_half(mixed, rng)["correlation"].value < 0.3


def test_halves_of_agents_are_standardised_again() -> None:
    outcomes = two_skills(30)
    half = np.arange(0, 30, 2)
    found = statistics_of(outcomes).of_agents(half).matrix(measure="correlation")
    assert outcomes.returns is not None
    plain = np.corrcoef(normal_scores(outcomes.returns.T)[:, half])
    np.testing.assert_allclose(found, plain, atol=1e-5)


def test_opposite_tasks_are_noticed() -> None:
    one = RNG(6).normal(size=(40, 1))
    outcomes = Outcomes.from_returns(np.hstack([one, one, -one]), tasks=["a", "b", "c"])
    with pytest.warns(UserWarning, match=says("'a' 'c'")):
        warn_if_anti_correlated(statistics_of(outcomes), outcomes.tasks)

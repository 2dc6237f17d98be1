"""Opposite tasks in the report: listed only where chance does not explain them."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.outcomes.outcomes import Outcomes
from taskspace.report.opposites import beyond_chance
from taskspace.similarity.returns import statistics_of
from taskspace.similarity.statistics import SuccessStatistics, sample_pairs


@pytest.mark.parametrize("agents", [10, 30, 100])
def test_results_of_coins_have_no_opposites(agents: int) -> None:
    listed = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        coins = SuccessStatistics.from_rates(rng.integers(0, 2, (agents, 40)))
        listed += len(beyond_chance(coins, *sample_pairs(40, rng))) > 0
    assert listed <= 3


def test_planted_opposites_are_found() -> None:
    rng = np.random.default_rng(0)
    half = np.arange(60)[:, None] % 2 == np.repeat([0, 1], 10)
    solved = half ^ (rng.random(half.shape) < 0.05)
    statistics = SuccessStatistics.from_rates(1.0 * solved)
    first, second = sample_pairs(20, rng)
    found = beyond_chance(statistics, first, second)
    assert set(found.tolist()) == set(np.flatnonzero((first < 10) != (second < 10)).tolist())


def test_opposites_of_skewed_returns_and_of_noise() -> None:
    rng = np.random.default_rng(0)
    skill, other = rng.normal(size=(2, 60))
    means = np.exp(3 * np.column_stack([skill, -skill, other]))
    first, second = np.array([0, 0]), np.array([1, 2])
    found = beyond_chance(statistics_of(Outcomes.from_returns(means)), first, second)
    assert found.tolist() == [0]
    attempts = rng.normal(size=(60, 40, 2))  # nothing but noise
    noise = Outcomes.from_returns(attempts.mean(2), 2, spreads=attempts.std(2, ddof=1))
    pairs = np.triu_indices(40, 1)
    assert not len(beyond_chance(statistics_of(noise), *pairs))

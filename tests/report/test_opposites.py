"""Opposite tasks in the report: listed only where chance does not explain them."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.report.opposites import beyond_chance
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

"""Normal scores: ranks only, two values exactly, and the reliability of noisy means."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri

from taskspace import Outcomes
from taskspace.similarity.normal_scores import (
    LEAST_RELIABILITY,
    normal_scores,
    reliabilities,
    standardised,
)

RNG = np.random.default_rng


def test_scores_are_standardised_quantiles_of_mid_ranks() -> None:
    found = normal_scores(np.array([[3.0, -1.0, 3.0, 9.0, np.nan]]))[0]
    quantiles = ndtri((np.array([2.5, 1.0, 2.5, 4.0]) - 0.5) / 4)
    plain = (quantiles - quantiles.mean()) / quantiles.std()
    np.testing.assert_allclose(found[:4], plain)
    assert np.isnan(found[4])


def test_only_the_order_of_returns_matters() -> None:
    returns = RNG(0).normal(size=(3, 20))
    np.testing.assert_allclose(normal_scores(np.exp(3 * returns)), normal_scores(returns))


def test_two_values_keep_their_shape_and_equal_ones_say_nothing() -> None:
    solved = RNG(1).integers(0, 2, (5, 30)).astype(np.float64)
    np.testing.assert_allclose(normal_scores(solved), standardised(solved))
    np.testing.assert_array_equal(normal_scores(np.full((1, 4), 7.0)), np.zeros((1, 4)))


@pytest.mark.parametrize(("noise", "attempts"), [(0.5, 4), (1.0, 4), (1.0, 1)])
@pytest.mark.parametrize("bent", [False, True])
def test_reliability_is_the_share_of_variance_between_agents(
    noise: float, attempts: int, bent: bool
) -> None:
    rng = RNG(2)
    skill = rng.normal(size=(4000, 1))
    spreads = np.full((4000, 1), noise) if attempts > 1 else None
    returns = skill + noise / np.sqrt(attempts) * rng.normal(size=(4000, 1))
    if bent and spreads is not None:  # another unit in each part of the range; see the delta method
        spreads, returns = spreads * 0.5 * np.exp(returns / 2), np.exp(returns / 2)
    outcomes = Outcomes.from_returns(returns, attempts, spreads=spreads)
    found = reliabilities(outcomes, normal_scores(returns.T))
    expected = 1 / (1 + noise**2 / attempts) if attempts > 1 else 1.0
    assert found[0] == pytest.approx(expected, abs=0.05 if bent else 0.02)


def test_unknown_spreads_are_those_of_other_agents() -> None:
    rng = RNG(3)
    returns, rollouts = rng.normal(size=(3000, 1)), np.where(np.arange(3000) % 2, 1, 4)[:, None]
    spreads = np.where(rollouts > 1, 0.6, np.nan)
    outcomes = Outcomes.from_returns(returns, rollouts, spreads=spreads)
    found = reliabilities(outcomes, normal_scores(returns.T))
    assert found[0] == pytest.approx(1 - (0.36 + 0.09) / 2, abs=0.03)


def test_reliability_is_bounded() -> None:
    returns = RNG(4).normal(size=(50, 2))
    outcomes = Outcomes.from_returns(returns, 2, spreads=np.tile([100.0, 0.0], (50, 1)))
    found = reliabilities(outcomes, normal_scores(returns.T))
    np.testing.assert_allclose(found, [LEAST_RELIABILITY, 1.0])

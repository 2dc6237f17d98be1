"""The low-rank model: what it recovers, what it must not depend on, and its limits."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.models.success import factors
from taskspace.models.success.factors import Factors, Floats, blocks, fit_factors


def simulate(agents: int, tasks: int, rank: int, seed: int = 0) -> tuple[Floats, Floats]:
    """True success probabilities, and one attempt at seven of ten pairs (NaN: never tried)."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(agents, rank)) @ rng.normal(size=(rank, tasks)) * 1.5
    chances = 1 / (1 + np.exp(-logits - rng.normal(size=tasks)))
    results = (rng.random(chances.shape) < chances).astype(np.float64)
    return chances, np.where(rng.random(chances.shape) < 0.7, results, np.nan)


def fitted(results: Floats, rank: int, least_spread: float = 0.05) -> Factors:
    tried = ~np.isnan(results)
    return fit_factors(np.nan_to_num(results), tried.astype(np.float64), rank, least_spread)


def test_it_fills_the_gaps_better_than_the_tasks_means() -> None:
    chances, results = simulate(200, 80, rank=2)
    gaps = np.isnan(results)
    error = np.abs(fitted(results, 2).probabilities() - chances)[gaps].mean()
    by_mean = np.abs(np.nanmean(results, axis=0) - chances)[gaps].mean()
    assert error < 0.1
    assert error < 0.4 * by_mean


def test_dimensions_that_are_not_needed_are_switched_off() -> None:
    _, results = simulate(200, 80, rank=1)
    one, many = (fitted(results, rank).probabilities() for rank in (1, 6))
    assert np.abs(one - many).max() < 0.05


def test_agents_have_mean_0_and_covariance_1() -> None:
    _, results = simulate(60, 50, rank=2)
    agents = fitted(results, 3, 0.5).agents
    covariance = np.cov(agents.mean.T, bias=True) + agents.covariance.mean(0)
    np.testing.assert_allclose(agents.mean.mean(0), 0, atol=1e-9)
    np.testing.assert_allclose(covariance, np.eye(3), atol=1e-6)


def test_no_result_says_nothing_and_no_one_is_lost() -> None:
    _, results = simulate(50, 30, rank=1)
    results[3], results[:, 7] = np.nan, np.nan
    chances = fitted(results, 2).probabilities()
    assert np.isfinite(chances).all()
    by_task = np.delete(chances, 3, axis=0).mean(0)
    assert np.corrcoef(chances[3], by_task)[0, 1] > 0.95  # nobody knows this agent: base rates
    assert chances[:, 7].std() < 0.5 * chances.std()


def test_more_attempts_say_more() -> None:
    one = fit_factors(np.array([[1.0, 1.0], [0.0, 0.0]]), np.ones((2, 2)), 1, 0.1)
    many = fit_factors(np.array([[20.0, 20.0], [0.0, 0.0]]), np.full((2, 2), 20.0), 1, 0.1)
    assert (many.probabilities()[0] > one.probabilities()[0]).all()
    assert many.probabilities()[0].min() > 0.85


def test_failures_mirror_successes() -> None:
    _, results = simulate(40, 30, rank=1)
    straight, mirrored = fitted(results, 1), fitted(1 - results, 1)
    np.testing.assert_allclose(straight.probabilities(), 1 - mirrored.probabilities(), atol=0.01)


def test_the_same_table_gives_the_same_bits() -> None:
    _, results = simulate(30, 20, rank=2)
    first, second = (fitted(results, 2).probabilities() for _ in range(2))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("agents", [60, 20])  # more than tasks, and fewer
def test_blocks_of_agents_give_the_same(agents: int, monkeypatch: pytest.MonkeyPatch) -> None:
    _, results = simulate(agents, 30, rank=2)
    at_once = fitted(results, 2).probabilities()
    monkeypatch.setattr(factors, "_MOST_AT_ONCE", 7 * 30)
    np.testing.assert_allclose(fitted(results, 2).probabilities(), at_once, atol=1e-6)


def test_blocks_cover_every_agent_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(factors, "_MOST_AT_ONCE", 100)
    for agents, tasks in ((25, 10), (20, 10), (3, 1000), (1, 1), (0, 5)):
        covered = [np.arange(agents)[rows] for rows in blocks(agents, tasks)]
        assert [agent for block in covered for agent in block] == [*range(agents)]


@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (5, 1), (3, 2)])
@pytest.mark.parametrize("result", [0.0, 1.0, 0.5])
def test_tiny_and_uniform_tables_are_no_trouble(shape: tuple[int, int], result: float) -> None:
    chances = fit_factors(np.full(shape, result), np.ones(shape), 4, 0.05).probabilities()
    assert chances.shape == shape
    assert ((chances > 0) & (chances < 1)).all()

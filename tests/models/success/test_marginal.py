"""Marginal likelihood: it agrees with brute-force quadrature, and restores minor loadings."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from taskspace.models.success.factors import Floats, fit_factors
from taskspace.models.success.marginal import gaussian_sample, posterior, refine

LOADINGS = (1.5, 0.7)


def simulate(agents: int, tasks: int, seed: int = 0) -> tuple[Floats, Floats]:
    """The true (bias, loadings) of tasks, and one attempt at each by agents with two skills."""
    rng = np.random.default_rng(seed)
    axes = np.linalg.qr(np.column_stack([np.ones(tasks), rng.normal(size=tasks)]))[0]
    truth = np.column_stack([rng.normal(size=tasks), axes * np.sqrt(tasks) * LOADINGS])
    logits = rng.normal(size=(agents, 2)) @ truth[:, 1:].T + truth[:, 0]
    return truth, (rng.random(logits.shape) < 1 / (1 + np.exp(-logits))).astype(np.float64)


def grid(rank: int, size: int = 41) -> tuple[Floats, Floats]:
    """Nodes and weights of a product rule of the standard normal distribution."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(size)
    points = np.array([*itertools.product(nodes, repeat=rank)])
    products = np.array([*itertools.product(weights / weights.sum(), repeat=rank)]).prod(1)
    return points, products


def likelihoods(tasks: Floats, results: Floats, points: Floats) -> Floats:
    """The likelihood (agents, points) of results, multiplied out."""
    chances = 1 / (1 + np.exp(-points @ tasks[:, 1:].T - tasks[:, 0]))
    return np.where(results[:, None, :] > 0, chances, 1 - chances).prod(2)


def log_marginal(tasks: Floats, results: Floats) -> float:
    points, weights = grid(tasks.shape[1] - 1)
    return float(np.log(likelihoods(tasks, results, points) @ weights).sum())


def main_axes(loadings: Floats) -> Floats:
    """Root mean square loadings along the main axes, largest first."""
    return np.sqrt(np.linalg.eigvalsh(loadings.T @ loadings / len(loadings)))[::-1]


@pytest.mark.parametrize("rank", [1, 2, 4, 8])
def test_the_sample_is_standard_normal(rank: int) -> None:
    sample = gaussian_sample(rank)
    np.testing.assert_allclose(sample.mean(0), 0, atol=1e-9)
    np.testing.assert_allclose(sample.T @ sample / len(sample), np.eye(rank), atol=1e-9)
    np.testing.assert_allclose((sample**4).mean(0), 3, rtol=0.15)
    assert abs(np.cos(sample.sum(1)).mean() - np.exp(-rank / 2)) < 0.02  # a closed form


@pytest.mark.parametrize("rank", [1, 2])
def test_the_agents_posterior_is_that_of_a_fine_grid(rank: int) -> None:
    truth, results = simulate(50, 10)
    tasks = truth[:, : 1 + rank]
    points, weights = grid(rank)
    exact = likelihoods(tasks, results, points) * weights
    exact /= exact.sum(1, keepdims=True)
    sample = gaussian_sample(rank)
    found = posterior(tasks, results, np.ones_like(results), sample)
    np.testing.assert_allclose(found @ sample, exact @ points, atol=0.1)
    np.testing.assert_allclose(found @ sample**2, exact @ points**2, rtol=0.15, atol=0.02)


def test_the_marginal_likelihood_grows_beyond_that_of_the_truth() -> None:
    truth, results = simulate(600, 10)
    tried = np.ones_like(results)
    rough = fit_factors(results, tried, 2, 0.5)
    fine = refine(rough, results, tried, 0.5)
    assert log_marginal(fine.tasks.mean, results) > log_marginal(truth, results)
    assert log_marginal(truth, results) > log_marginal(rough.tasks.mean, results)


def test_minor_loadings_are_recovered() -> None:
    _, results = simulate(1500, 12, seed=1)
    tried = np.ones_like(results)
    rough = fit_factors(results, tried, 2, 0.5)
    fine = refine(rough, results, tried, 0.5)
    shrunk, found = (main_axes(each.tasks.mean[:, 1:]) for each in (rough, fine))
    np.testing.assert_allclose(found, LOADINGS, atol=0.15)
    assert (shrunk < found).all()
    assert shrunk[1] < 0.8 * found[1]


def test_untried_pairs_say_nothing() -> None:
    _, results = simulate(300, 8)
    tried = np.ones_like(results)
    tried[0] = 0.0
    fine = refine(fit_factors(results * tried, tried, 2, 0.5), results * tried, tried, 0.5)
    np.testing.assert_allclose(fine.agents.mean[0], 0, atol=1e-9)
    np.testing.assert_allclose(fine.agents.covariance[0], np.eye(2), atol=1e-9)


def test_several_attempts_count_as_several() -> None:
    sample, tasks = gaussian_sample(1), np.array([[0.0, 1.0]])
    twice = posterior(tasks, np.array([[2.0]]), np.array([[3.0]]), sample)
    chance = 1 / (1 + np.exp(-sample[:, 0]))
    expected = chance**2 * (1 - chance)
    np.testing.assert_allclose(twice[0], expected / expected.sum(), rtol=1e-9)


@pytest.mark.parametrize("result", [0.0, 1.0])
def test_uniform_tables_are_no_trouble(result: float) -> None:
    results, tried = np.full((50, 3), result), np.ones((50, 3))
    fine = refine(fit_factors(results, tried, 4, 0.05), results, tried, 0.05)
    chances = fine.probabilities()
    assert ((chances > 0) & (chances < 1)).all()


def test_the_same_table_gives_the_same_bits() -> None:
    _, results = simulate(60, 8)
    tried = np.ones_like(results)
    rough = fit_factors(results, tried, 2, 0.5)
    first, second = (refine(rough, results, tried, 0.5).tasks.mean for _ in range(2))
    np.testing.assert_array_equal(first, second)

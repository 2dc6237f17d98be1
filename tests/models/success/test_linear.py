"""The linear model: limits of its penalties, agents that share strength, a true minimum."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.models.success.linear import (
    Floats,
    LinearModel,
    Penalty,
    agent_means,
    fit_linear,
)


def data(
    tasks: int = 80, agents: int = 5, size: int = 3, seed: int = 0
) -> tuple[Floats, Floats, Floats]:
    rng = np.random.default_rng(seed)
    features, weights = rng.normal(size=(tasks, size)), rng.normal(size=(agents, size))
    chances = 1 / (1 + np.exp(-features @ weights.T))
    rollouts = rng.integers(0, 4, chances.shape)
    return features, rng.binomial(rollouts, chances).astype(float), rollouts.astype(float)


def fitted(own: float, shared: float, seed: int = 0) -> LinearModel:
    features, successes, rollouts = data(seed=seed)
    start = agent_means(successes, rollouts, features.shape[1])
    return fit_linear(features, successes, rollouts, Penalty(own, shared), start)


def objective(model: LinearModel, common: Floats, penalty: Penalty) -> float:
    """The definition, in plain terms."""
    features, successes, rollouts = data()
    logits = model.logits(features)
    loss = (rollouts * np.logaddexp(0, logits) - successes * logits).sum()
    loss += (np.logaddexp(0, model.biases) + np.logaddexp(0, -model.biases)).sum()
    drawn = penalty.own * np.square(model.weights - common).sum()
    drawn += len(model.weights) * penalty.shared * np.square(common).sum()
    return float(loss + drawn / 2)


def test_the_fit_minimizes_the_objective() -> None:
    penalty, model = Penalty(2.0, 0.5), fitted(2.0, 0.5)
    common = model.weights.mean(0) * penalty.own / (penalty.own + penalty.shared)
    least, rng = objective(model, common, penalty), np.random.default_rng(1)
    for _ in range(20):
        moved = LinearModel(
            model.weights + 0.03 * rng.normal(size=model.weights.shape),
            model.biases + 0.03 * rng.normal(size=model.biases.shape),
        )
        nudged = common + 0.03 * rng.normal(size=common.shape)
        assert objective(moved, common, penalty) > least
        assert objective(model, nudged, penalty) > least


def test_an_infinite_penalty_leaves_the_means_of_agents() -> None:
    _, successes, rollouts = data()
    rates = (successes.sum(0) + 1) / (rollouts.sum(0) + 2)
    means = agent_means(successes, rollouts, 3)
    np.testing.assert_allclose(1 / (1 + np.exp(-means.logits(np.ones((1, 3)))))[0], rates)
    heavy = fitted(1e9, 1e9)
    np.testing.assert_allclose(heavy.biases, means.biases, atol=1e-2)
    np.testing.assert_allclose(heavy.weights, 0, atol=1e-3)


def test_an_infinite_penalty_on_differences_makes_all_agents_alike() -> None:
    alike = fitted(1e7, 0.1)
    np.testing.assert_allclose(alike.weights, alike.weights[:1].repeat(5, 0), atol=1e-3)
    assert np.abs(alike.weights).max() > 0.1
    apart = fitted(0.1, 0.1)
    assert apart.weights.std(0).max() > 0.3


@pytest.mark.parametrize("solved", [0.0, 1.0])
def test_agents_that_solve_all_or_nothing_stay_finite(solved: float) -> None:
    features, rollouts = data()[0], np.ones((80, 2))
    start = agent_means(solved * rollouts, rollouts, 3)
    model = fit_linear(features, solved * rollouts, rollouts, Penalty(1, 1), start)
    assert np.isfinite(model.logits(10 * features)).all()
    assert (np.sign(model.biases) == 2 * solved - 1).all()

"""Estimators of success: against plain references, and on planted truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from taskspace.curriculum.estimators import Episodes, LogisticEstimator, TaskEstimator


def episodes(basis: np.ndarray, weights: np.ndarray, count: int, seed: int) -> Episodes:  # type: ignore[type-arg]
    rng = np.random.default_rng(seed)
    tasks = rng.integers(len(basis), size=count)
    return Episodes.of(tasks, rng.random(count) < expit(basis[tasks] @ weights))


def test_the_mean_minimizes_the_penalized_loss() -> None:
    rng = np.random.default_rng(0)
    basis = np.column_stack([np.ones(40), rng.normal(size=(40, 2))])
    estimator = LogisticEstimator(basis)
    prior, start = np.diag(estimator.prior), estimator.mean.copy()
    some = episodes(basis, np.array([-1.0, 2.0, 0.5]), 300, seed=1)

    def loss(mean: np.ndarray) -> float:  # type: ignore[type-arg]
        logits = basis[some.tasks] @ mean
        data = np.logaddexp(0, logits) - some.successes * logits
        return float(data.sum() + 0.5 * (mean - start) @ prior @ (mean - start))

    estimator.update(some, memory=1e12)
    best = minimize(loss, start, method="BFGS", options={"gtol": 1e-8})
    np.testing.assert_allclose(estimator.mean, best.x, atol=0.02)


def test_it_finds_a_planted_truth_and_follows_a_change() -> None:
    rng = np.random.default_rng(0)
    basis = np.column_stack([np.ones(500), rng.normal(size=(500, 3))])
    estimator = LogisticEstimator(basis)
    for truth in (np.array([-1.0, 2.0, 0.0, 0.0]), np.array([1.0, 0.0, -2.0, 0.0])):
        for seed in range(20):
            estimator.update(episodes(basis, truth, 200, seed), memory=1000)
        error = np.abs(estimator.probabilities() - expit(basis @ truth)).mean()
        assert error < 0.05


def test_one_side_only_does_not_diverge() -> None:
    estimator = LogisticEstimator(np.column_stack([np.ones(10), np.arange(10.0)]))
    for _ in range(50):
        estimator.update(Episodes.of(np.arange(10), np.ones(10)), memory=100)
    assert np.isfinite(estimator.mean).all()
    assert estimator.probabilities().min() > 0.5


def test_task_estimates_are_shrunk_rates() -> None:
    estimator = TaskEstimator(3)
    won = np.array([1, 1, 0, 0, 0])
    estimator.update(Episodes.of(np.array([0, 0, 1, 1, 1]), won), memory=1e12)
    mean = (2 + expit(-3.0)) / 6
    expected = [(2 + 2 * mean) / 4, 2 * mean / 5, mean]
    np.testing.assert_allclose(estimator.probabilities(), expected)
    np.testing.assert_allclose(estimator.probabilities(np.array([1])), expected[1:2])


def test_thinned_failures_stand_for_all() -> None:
    won = np.zeros(1000)
    won[[3, 500]] = 1
    some = Episodes.of(np.arange(1000), won).thinned(100)
    assert len(some.tasks) == 102
    assert some.weights.sum() == pytest.approx(1000)
    assert some.successes @ some.weights == 2


@pytest.mark.parametrize("kind", ["logistic", "tasks"])
def test_state_restores(kind: str) -> None:
    basis = np.column_stack([np.ones(5), np.arange(5.0)])
    made = [LogisticEstimator(basis) if kind == "logistic" else TaskEstimator(5) for _ in range(2)]
    made[0].update(Episodes.of(np.arange(5), np.arange(5) > 2), memory=100)
    made[1].restore(made[0].state())
    assert (made[0].probabilities() == made[1].probabilities()).all()

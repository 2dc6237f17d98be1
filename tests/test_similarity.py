"""Similarity: closed forms on agents with known success probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.similarity import (
    SuccessStatistics,
    entropy,
    mutual_information,
    paired_similarity,
)


def known_rates(agents: int = 40, tasks: int = 30, seed: int = 0) -> Any:
    """Agents with two skills on tasks that need them to different degrees."""
    rng = np.random.default_rng(seed)
    skills, needs = rng.uniform(-2, 2, (agents, 2)), rng.uniform(0, 2, (tasks, 2))
    return 1 / (1 + np.exp(-3 * (skills @ needs.T - 0.5)))


def plain_information(p: Any, q: Any) -> float:
    """The definition, summed over the four outcomes and the agents."""
    total = 0.0
    for a in (0, 1):
        for b in (0, 1):
            joint = np.mean((p if a else 1 - p) * (q if b else 1 - q))
            first, second = np.mean(p if a else 1 - p), np.mean(q if b else 1 - q)
            total += joint * np.log2(joint / (first * second)) if joint > 0 else 0.0
    return float(total)


def play(rates: Any, rollouts: int, seed: int = 1) -> Any:
    """Outcomes of so many rollouts, (agents, tasks, rollouts)."""
    return np.random.default_rng(seed).random((*rates.shape, rollouts)) < rates[..., None]


def counted(results: Any) -> ts.Outcomes:
    return ts.Outcomes(results.sum(2), results.shape[2])


def test_entropy_has_its_closed_form() -> None:
    np.testing.assert_allclose(entropy([0, 0.11002786443835955, 0.5, 1]), [0, 0.5, 1, 0], atol=1e-9)


@pytest.mark.parametrize(
    ("both", "first", "second", "bits"),
    [
        (0.5, 0.5, 0.5, 1.0),  # the same outcome
        (0.0, 0.5, 0.5, 1.0),  # the opposite outcome tells as much
        (0.12, 0.3, 0.4, 0.0),  # independent
        (1.0, 1.0, 1.0, 0.0),  # constant
        (0.0, 0.0, 0.7, 0.0),
    ],
)
def test_information_has_its_closed_form(
    both: float, first: float, second: float, bits: float
) -> None:
    assert mutual_information(both, first, second) == pytest.approx(bits, abs=1e-12)


def test_the_matrix_equals_the_definition() -> None:
    rates = known_rates()
    matrix = SuccessStatistics.from_rates(rates).matrix()
    plain = [[plain_information(p, q) for q in rates.T] for p in rates.T]
    np.testing.assert_allclose(matrix, plain, atol=2e-6)


def test_pairs_equal_the_matrix_and_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    statistics = SuccessStatistics.from_outcomes(counted(play(known_rates(), 5)))
    matrix = statistics.matrix()
    first, second = np.indices(matrix.shape).reshape(2, -1)
    np.testing.assert_allclose(statistics.pairs(first, second), matrix.ravel(), atol=1e-6)
    monkeypatch.setattr("taskspace.similarity._PAIRS_PER_BLOCK", 7)
    np.testing.assert_allclose(statistics.matrix(), matrix, atol=1e-6)
    np.testing.assert_allclose(statistics.pairs(first, second), matrix.ravel(), atol=1e-6)
    np.testing.assert_allclose(statistics.matrix([3, 1], [2]), matrix[[3, 1]][:, [2]], atol=1e-6)


def test_similarity_is_symmetric_and_never_negative() -> None:
    matrix = SuccessStatistics.from_outcomes(counted(play(known_rates(), 3))).matrix()
    np.testing.assert_allclose(matrix, matrix.T, atol=1e-6)
    assert matrix.min() >= 0


def test_constant_outcomes_share_nothing() -> None:
    rates = known_rates()
    rates[:, 0], rates[:, 1] = 0, 1
    matrix = SuccessStatistics.from_rates(rates).matrix()
    np.testing.assert_allclose(matrix[:2], 0, atol=1e-7)


def test_the_diagonal_is_not_fooled_by_few_rollouts() -> None:
    """Two rollouts of one agent on one task, not one rollout with itself."""
    rates = known_rates(agents=2000, tasks=5)
    truth = np.diag(SuccessStatistics.from_rates(rates).matrix())
    few = np.mean(
        [
            np.diag(SuccessStatistics.from_outcomes(counted(play(rates, 2, seed))).matrix())
            for seed in range(5)
        ],
        axis=0,
    )
    np.testing.assert_allclose(few, truth, atol=0.02)


def paired_matrix(results: Any) -> Any:
    """Algorithm 2 for all pairs of different tasks."""
    by_task = results.transpose(1, 0, 2)
    return np.array([[paired_similarity(p, q) for q in by_task] for p in by_task])


def test_both_estimators_agree_in_the_limit() -> None:
    rates = known_rates(tasks=8)
    results = play(rates, 4000)
    off = ~np.eye(8, dtype=bool)
    ours = SuccessStatistics.from_outcomes(counted(results)).matrix()
    truth = SuccessStatistics.from_rates(rates).matrix()
    np.testing.assert_allclose(ours[off], truth[off], atol=0.01)
    np.testing.assert_allclose(paired_matrix(results)[off], truth[off], atol=0.01)


def test_success_rates_err_less_than_pairs_of_rollouts() -> None:
    rates = known_rates(agents=15, tasks=12)
    truth, off = SuccessStatistics.from_rates(rates).matrix(), ~np.eye(12, dtype=bool)
    errors = np.zeros((2, 10))
    for seed in range(10):
        results = play(rates, 4, seed)
        ours = SuccessStatistics.from_outcomes(counted(results)).matrix()
        for row, estimate in enumerate((ours, paired_matrix(results))):
            errors[row, seed] = np.sqrt(((estimate - truth)[off] ** 2).mean())
    assert (errors[0] < errors[1]).mean() >= 0.9
    assert errors[0].mean() < 0.97 * errors[1].mean()


def test_success_is_the_mean_over_agents() -> None:
    outcomes = ts.Outcomes(np.array([[1, 4], [3, 0]]), np.array(4))
    np.testing.assert_allclose(SuccessStatistics.from_outcomes(outcomes).success, [0.5, 0.5])


def test_untried_pairs_are_refused() -> None:
    with pytest.raises(ValueError, match="agent-1 never tried task-0"):
        SuccessStatistics.from_outcomes(ts.Outcomes([[1, 1], [0, 1]], [[1, 1], [0, 1]]))  # type: ignore[arg-type]


@pytest.mark.parametrize("rates", [[0.5], [[1.5]], [[-0.1]], np.zeros((0, 2))])
def test_bad_rates_are_refused(rates: Any) -> None:
    with pytest.raises(ValueError, match="success rates must be a table"):
        SuccessStatistics.from_rates(rates)


def test_pairs_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="as many outcomes on both tasks; got 1 and 2"):
        paired_similarity([1], [1, 0])

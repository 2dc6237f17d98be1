"""Ways to choose the tasks of a short test, against plain references and planted truth."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.applications import subset_choices
from taskspace.applications.subset_choices import (
    anchor_points,
    at_random,
    disputed,
    half_random,
    informative,
)
from taskspace.applications.subset_limits import Limits
from taskspace.models.linear_population import LinearPopulation


def simulate(agents: int, tasks: int, seed: int = 0) -> LinearPopulation:
    """Agents of two skills, on tasks that need one of them."""
    rng = np.random.default_rng(seed)
    skills, levels = rng.normal(size=(agents, 2)), rng.normal(size=tasks)
    solved = skills[:, np.arange(tasks) % 2] > levels + 0.7 * rng.normal(size=(agents, tasks))
    return LinearPopulation.from_rates(solved.astype(np.float64), None, 0)


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def test_informative_tasks_are_those_of_exact_gaussian_conditioning() -> None:
    population, limits = simulate(12, 30), Limits(np.arange(30) % 3)
    targets = np.random.default_rng(1).random((30, 2)) / 30
    factors = subset_choices._factors(population, limits, rng()).astype(np.float64)
    covariance = factors.T @ factors + np.diag(population.variances)
    plain: list[int] = []
    for _ in range(6):
        left = [
            np.trace(targets.T @ _conditional(covariance, [*plain, task]) @ targets)
            if task not in plain
            else np.inf
            for task in range(30)
        ]
        plain.append(int(np.argmin(left)))
    assert informative(population, targets, 6, limits, rng()).tolist() == plain


def _conditional(covariance: np.ndarray, known: list[int]) -> np.ndarray:
    across = covariance[:, known]
    found: np.ndarray = covariance - across @ np.linalg.solve(
        covariance[np.ix_(known, known)], across.T
    )
    return found


def test_informative_tasks_are_about_the_target() -> None:
    population = simulate(60, 80)
    targets = (np.arange(80)[:, None] % 2 == 0) / 40  # the score on the first skill
    chosen = informative(population, targets, 8, Limits(np.zeros(80, np.int64)), rng())
    assert (chosen % 2 == 0).mean() >= 0.75


def test_a_task_is_not_chosen_for_rates_that_were_only_predicted() -> None:
    noise = np.random.default_rng(0)
    skill = noise.normal(size=40)
    rates = (skill[:, None] > 1.5 * noise.normal(size=(40, 20))).astype(np.float64)
    hidden = rates.copy()
    hidden[2:, 5] = np.nan  # tried by two agents; the prediction is perfect for all others
    predicted = rates.copy()
    predicted[:, 5] = skill > 0
    targets = np.full((20, 1), 1 / 20)
    limits = Limits(np.zeros(20, np.int64))
    trusted = LinearPopulation.from_rates(np.where(np.isnan(hidden), predicted, hidden), None, 0)
    assert 5 in informative(trusted, targets, 4, limits, rng())
    population = LinearPopulation.from_rates(hidden, predicted, 0)
    assert 5 not in informative(population, targets, 4, limits, rng())


def test_disputed_tasks_have_success_rates_near_a_half() -> None:
    rates = np.array([[0, 0, 1, 1, 1], [0, 0, 0, 1, 1], [0, 1, 0, 1, 1], [0, 0, 1, 1, 0]]) * 1.0
    population = LinearPopulation.from_rates(rates, None, 0)
    limits = Limits(np.zeros(5, np.int64))
    assert disputed(population, 3, limits).tolist() == [2, 1, 4]


def test_random_tasks_differ_by_draw_and_keep_the_limits() -> None:
    limits, draw = Limits(np.arange(40) % 4, least=2), rng()
    one, other = (at_random(8, limits, draw) for _ in range(2))
    assert sorted(one.tolist()) != sorted(other.tolist())
    assert np.bincount(one % 4).tolist() == [2, 2, 2, 2]
    assert at_random(8, limits, rng()).tolist() == one.tolist()


def test_anchor_points_are_one_of_each_planted_cluster() -> None:
    noise = np.random.default_rng(0)
    profiles = noise.integers(0, 2, size=(20, 4)).astype(np.float64)
    cluster = np.repeat(np.arange(4), [10, 20, 30, 40])
    rates = np.clip(profiles[:, cluster] + 0.05 * noise.normal(size=(20, 100)), 0, 1)
    population = LinearPopulation.from_rates(rates, None, 0)
    chosen, weights = anchor_points(population, 4, Limits(np.zeros(100, np.int64)), rng())
    assert dict(zip(cluster[chosen].tolist(), weights.tolist(), strict=True)) == {
        0: pytest.approx(0.1), 1: pytest.approx(0.2), 2: pytest.approx(0.3), 3: pytest.approx(0.4),
    }  # fmt: skip


def test_anchor_points_of_labels_keep_the_limits_and_fill_up_with_random_tasks() -> None:
    different = np.random.default_rng(0).integers(0, 2, size=(10, 3)).astype(np.float64)
    rates = np.repeat(different, 10, axis=1)
    population = LinearPopulation.from_rates(rates, None, 0)  # three different tasks, ten times
    limits = Limits(np.repeat([0, 1], 15), least=4)
    chosen, weights = anchor_points(population, 12, limits, rng())
    assert len(set(chosen.tolist())) == 12
    assert weights.sum() == pytest.approx(1)


def test_half_of_the_tasks_are_informative_ones_of_each_label_and_the_others_random() -> None:
    population, labels = simulate(30, 60), np.arange(60) % 3
    targets, limits = np.full((60, 1), 1 / 60), Limits(labels, least=6)
    found = [
        half_random(population, targets, 18, limits, np.random.default_rng(seed))
        for seed in range(2)
    ]
    for chosen in found:
        assert len(set(chosen.tolist())) == 18
        assert np.bincount(labels[chosen]).tolist() == [6, 6, 6]
    first = informative(population, targets, 9, Limits(labels, least=3), np.random.default_rng(0))
    assert found[0][:9].tolist() == first.tolist()
    assert set(found[0][9:].tolist()) != set(found[1][9:].tolist())


def test_half_random_tests_keep_one_task_per_label() -> None:
    population, labels = simulate(30, 20), np.arange(20) % 5
    chosen = half_random(population, np.full((20, 1), 1 / 20), 5, Limits(labels, least=1), rng())
    assert sorted(labels[chosen].tolist()) == [0, 1, 2, 3, 4]

"""Bayes' rule in closed form, base rates, and intervals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from taskspace.applications.dependence import Dependence
from taskspace.applications.posterior import Posterior
from taskspace.applications.task_mixtures import TaskMixture
from tests import tolerances

Floats = NDArray[np.float64]

RNG = np.random.default_rng(0)
PROFILES = RNG.uniform(0.1, 0.9, size=(6, 5)).astype(np.float32)  # tasks x candidates


def plain(share: float, temper: float) -> Posterior:
    """Two known agents and three simulated ones."""
    prior = np.repeat([(1 - share) / 2, share / 3], [2, 3])
    return Posterior(PROFILES, prior, temper, 32.0)


def formula(quiz: list[int], results: list[float], task: int, share: float, temper: float) -> float:
    """Bayes' rule, candidate by candidate."""
    above = below = 0.0
    for candidate in range(5):
        weight = (1 - share) / 2 if candidate < 2 else share / 3
        for asked, result in zip(quiz, results, strict=True):
            p = float(PROFILES[asked, candidate])
            weight *= (p**result * (1 - p) ** (1 - result)) ** temper
        above += weight * float(PROFILES[task, candidate])
        below += weight
    return above / below


@pytest.mark.parametrize("share", [0.05, 0.5, 1.0])
@pytest.mark.parametrize("temper", [0.4, 1.0])
def test_the_prediction_is_bayes_rule(share: float, temper: float) -> None:
    quiz, results = [0, 3, 4], [1.0, 0.0, 0.25]
    predicted = plain(share, temper).predict_proba(
        TaskMixture.known(quiz), np.array(results), TaskMixture.known([1, 2])
    )
    expected = [formula(quiz, results, task, share, temper) for task in (1, 2)]
    np.testing.assert_allclose(predicted, expected, rtol=1e-5)


def test_repeated_and_all_tasks_have_the_means_of_each() -> None:
    posterior, weights = plain(0.5, 1.0), np.full(5, 0.2)
    each = [posterior.mean(weights, TaskMixture.known([task]))[0] for task in range(6)]
    for tasks in ([2, 2, 0], [5, 4, 3, 2, 1, 0], [1] * 9):
        found = posterior.mean(weights, TaskMixture.known(tasks))
        np.testing.assert_allclose(found, np.array(each)[tasks], rtol=1e-6)
    halves = TaskMixture(np.array([[1, 3]]), np.array([[0.5, 0.5]]))
    np.testing.assert_allclose(posterior.mean(weights, halves), (each[1] + each[3]) / 2, rtol=1e-6)


def bayes(
    profiles: Floats, prior: Floats, temper: float, quiz: Floats, results: Floats
) -> tuple[Floats, Floats]:
    """Weights (candidates,) and predictions (tasks,) in double precision, by the textbook."""
    likelihood = np.ones(len(prior))
    for chances, result in zip(quiz, results, strict=True):
        likelihood *= chances**result * (1 - chances) ** (1 - result)
    weights = prior * likelihood**temper
    weights /= weights.sum()
    return weights, profiles @ weights


@pytest.mark.parametrize("rates", [False, True])
@pytest.mark.parametrize("temper", [0.4, 1.0])
def test_many_candidates_and_answers_agree_with_double_precision(
    rates: bool, temper: float
) -> None:
    rng = np.random.default_rng(1)
    profiles = rng.uniform(0.01, 0.99, size=(200, 1000)).astype(np.float32)
    prior, asked = rng.dirichlet(np.ones(1000)), rng.permutation(200)[:30]
    results = rng.random(30) if rates else rng.integers(0, 2, 30).astype(np.float64)
    posterior, quiz = Posterior(profiles, prior, temper, 30.0), TaskMixture.known(asked)
    exact = profiles.astype(np.float64)
    weights, chances = bayes(exact, prior, temper, exact[asked], results)
    np.testing.assert_allclose(posterior.weights(quiz, results), weights, rtol=1e-4, atol=1e-12)
    predicted = posterior.predict_proba(quiz, results, TaskMixture.known(np.arange(200)))
    np.testing.assert_allclose(predicted, chances, rtol=0, atol=tolerances.CHANCE)


def test_mixtures_in_the_quiz_agree_with_double_precision() -> None:
    posterior, exact = plain(0.5, 0.7), PROFILES.astype(np.float64)
    mixture = TaskMixture(np.array([[0, 1], [4, 5]]), np.array([[0.25, 0.75], [0.5, 0.5]]))
    quiz = np.stack([0.25 * exact[0] + 0.75 * exact[1], 0.5 * exact[4] + 0.5 * exact[5]])
    results = np.array([1.0, 0.0])
    weights, _ = bayes(exact, posterior.prior, 0.7, quiz, results)
    np.testing.assert_allclose(posterior.weights(mixture, results), weights, rtol=1e-6)


def test_a_mixture_of_tasks_has_the_mean_chance_of_its_parts() -> None:
    posterior, quiz = plain(0.5, 1.0), TaskMixture.known([0])
    both = TaskMixture(np.array([[1, 2]]), np.array([[0.75, 0.25]]))
    mixed = posterior.predict_proba(quiz, np.ones(1), both)
    alone = posterior.predict_proba(quiz, np.ones(1), TaskMixture.known([1, 2]))
    np.testing.assert_allclose(mixed, [0.75 * alone[0] + 0.25 * alone[1]], rtol=1e-6)
    # A task that is a mixture can be asked for, too.
    half = TaskMixture(np.array([[0, 3]]), np.array([[0.5, 0.5]]))
    asked = PROFILES[[0, 3]].mean(0)
    weights = asked * np.array([0.25, 0.25, 1 / 6, 1 / 6, 1 / 6])
    expected = (weights @ PROFILES[1]) / weights.sum()
    found = posterior.predict_proba(half, np.ones(1), TaskMixture.known([1]))
    np.testing.assert_allclose(found, [expected])


def test_with_no_answers_it_is_the_base_rate() -> None:
    posterior = plain(0.5, 1.0)
    weights = posterior.weights(TaskMixture.known(np.zeros(0, int)), np.zeros(0))
    np.testing.assert_allclose(weights, posterior.prior)
    found = posterior.mean(weights, TaskMixture.known([2, 4]))
    np.testing.assert_allclose(found, (PROFILES @ posterior.prior)[[2, 4]], rtol=1e-5)


@pytest.mark.parametrize("temper", [0.4, 1.0])
def test_answers_may_come_one_after_the_other(temper: float) -> None:
    posterior, quiz, results = plain(0.5, temper), [0, 3, 4, 0], [1.0, 0.0, 0.25, 0.0]
    weights = posterior.prior
    for task, result in zip(quiz, results, strict=True):
        weights = posterior.weights(TaskMixture.known([task]), np.array([result]), weights)
    together = posterior.weights(TaskMixture.known(quiz), np.array(results))
    np.testing.assert_allclose(weights, together, rtol=1e-5)


def test_weights_of_many_are_those_of_each() -> None:
    posterior = plain(0.5, 0.7)
    quiz, results = np.array([[0, 3, 5], [5, 1, 2]]), np.array([[1.0, 0, 1], [0, 0, 1]])
    many = posterior.weights_of_many(quiz, results)
    for row, tasks, answers in zip(many, quiz, results, strict=True):
        expected = posterior.weights(TaskMixture.known(tasks), answers)
        np.testing.assert_allclose(row, expected, rtol=1e-4)


def test_certain_candidates_do_not_break_it() -> None:
    posterior = Posterior(np.eye(6, 5, dtype=np.float32), np.full(5, 0.2), 1.0, 32.0)
    predicted = posterior.predict_proba(
        TaskMixture.known([0, 1, 2, 3]), np.ones(4), TaskMixture.known(np.arange(6))
    )
    assert np.isfinite(predicted).all()


# -- intervals ---------------------------------------------------------------------------------


def test_an_interval_is_that_of_the_mixture() -> None:
    posterior, rng = plain(0.5, 1.0), np.random.default_rng(7)
    weights = posterior.weights(TaskMixture.known([0]), np.ones(1))
    like = PROFILES[:, rng.choice(5, 200_000, p=weights)].astype(float)
    rates = rng.beta(32 * like, 32 * (1 - like))
    for level in (0.5, 0.9):
        low, high = posterior.interval(weights, TaskMixture.known(np.arange(6)), level)
        expected = np.quantile(rates, [(1 - level) / 2, (1 + level) / 2], axis=1)
        np.testing.assert_allclose([low, high], expected, atol=0.005 + 2 * tolerances.BOUND)
        inside = ((rates >= low[:, None]) & (rates <= high[:, None])).mean(1)
        assert (inside > level - 0.01).all()  # rounded outwards
        assert (inside < level + 0.06).all()


def test_intervals_of_sure_candidates_reach_the_ends() -> None:
    sure = Posterior(np.eye(6, 5, dtype=np.float32)[:, :1], np.ones(1), 1.0, 32.0)
    low, high = sure.interval(np.ones(1), TaskMixture.known([0, 1]), 0.9)
    assert high[0] == 1
    assert low[1] == 0
    assert low[0] > 0.9
    assert high[1] < 0.1


def test_an_interval_of_a_mixture_of_tasks() -> None:
    posterior = plain(0.5, 1.0)
    half = TaskMixture(np.array([[1, 1], [1, 2]]), np.full((2, 2), 0.5))
    low, high = posterior.interval(posterior.prior, half, 0.8)
    alone = posterior.interval(posterior.prior, TaskMixture.known([1]), 0.8)
    assert (low[0], high[0]) == pytest.approx((alone[0][0], alone[1][0]), abs=tolerances.BOUND)
    assert low[1] < high[1]


def test_many_tasks_are_taken_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    posterior, tasks = plain(0.5, 1.0), TaskMixture.known(np.arange(6))
    together = posterior.interval(posterior.prior, tasks, 0.9)
    monkeypatch.setattr("taskspace.applications.posterior._MOST_AT_ONCE", 7)
    apart = posterior.interval(posterior.prior, tasks, 0.9)
    np.testing.assert_allclose(apart, together, rtol=0, atol=tolerances.BOUND)


def test_of_no_tasks_there_are_no_chances_and_no_intervals() -> None:
    posterior, none = plain(0.5, 1.0), TaskMixture.known([])
    assert posterior.mean(posterior.prior, none).shape == (0,)
    assert [bound.shape for bound in posterior.interval(posterior.prior, none, 0.9)] == [(0,)] * 2


def test_dependent_tasks_follow_an_answer() -> None:
    dependence = Dependence(np.array([[0, 2]]), np.array([0.1]), np.full(len(PROFILES), 0.2))
    alone = plain(0.4, 1.0)
    posterior = replace(alone, dependence=dependence)
    asked, slope = np.array([0, 0, 3, -1]), 0.1 / (0.2 + 1e-3)
    after = posterior.after(asked, np.array([1.0, 0.0, 1.0, 1.0]))  # twice, on average 0.5
    everything = np.arange(len(PROFILES))
    expected = PROFILES.copy()
    expected[[0, 2]] += slope * (0.5 - PROFILES[0])
    np.testing.assert_allclose(after.rows(everything), np.clip(expected, 0, 1), atol=1e-6)
    np.testing.assert_allclose(after.rows(np.array([2, 1])), np.clip(expected, 0, 1)[[2, 1]], 1e-5)
    weights = posterior.prior
    for tasks in (everything, np.array([2, 0])):
        means = after.mean(weights, TaskMixture.known(tasks))
        np.testing.assert_allclose(means, np.clip(expected, 0, 1)[tasks] @ weights, atol=1e-6)
    assert posterior.after(np.array([1, 3]), np.ones(2)) is posterior
    assert alone.after(np.array([0]), np.ones(1)) is alone

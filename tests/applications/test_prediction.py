"""Prediction from a quiz: the vote in closed form, the way to the posterior, and bad input."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from taskspace.applications.known_tasks import Mix
from taskspace.applications.posterior import AgentPosterior, fit_posterior
from taskspace.applications.prediction import (
    SHARPNESS,
    default_beta,
    level_of,
    mean_squared_distance,
    predict,
    soft_vote,
    squared_distances,
)
from taskspace.outcomes import Outcomes
from tests import tolerances
from tests.messages import says

RNG = np.random.default_rng(0)
QUIZ = RNG.normal(size=(7, 3))
RESULTS = np.array([1, 0, 0, 1, 1, 0, 1])
TASKS = RNG.normal(size=(20, 3))


class Plain:
    """A map that multiplies and shifts the tasks."""

    def __init__(self, scale: Any = 1.0, shift: Any = 0.0) -> None:
        self.scale, self.shift = scale, shift

    def transform(self, tasks: Any, /) -> NDArray[np.float64]:
        rows = np.asarray(tasks, np.float64)
        return (rows @ self.scale if np.ndim(self.scale) else rows * self.scale) + self.shift


class Fixed:
    """A map that gives the same vectors whatever the tasks are."""

    def __init__(self, vectors: Any) -> None:
        self.vectors = vectors

    def transform(self, tasks: Any, /) -> Any:
        return self.vectors


def formula(quiz: Any, results: Any, task: Any, beta: float) -> float:
    """The paper's c, term by term."""
    above = below = 0.0
    for vector, result in zip(quiz, results, strict=True):
        weight = math.exp(-beta * sum((a - b) ** 2 for a, b in zip(vector, task, strict=True)))
        above += result * weight
        below += weight
    return above / below


# -- the vote ----------------------------------------------------------------------------------


@pytest.mark.parametrize("beta", [0.0, 0.1, 1.0, 5.0])
def test_the_vote_is_the_papers(beta: float) -> None:
    expected = [formula(QUIZ, RESULTS, task, beta) for task in TASKS]
    np.testing.assert_allclose(predict(Plain(), QUIZ, RESULTS, TASKS, beta=beta), expected)


def test_every_example_may_have_a_quiz_of_its_own() -> None:
    quizzes, results = RNG.normal(size=(5, 4, 2)), RNG.integers(0, 2, (5, 4))
    tasks = RNG.normal(size=(5, 2))
    expected = [formula(*example, 0.7) for example in zip(quizzes, results, tasks, strict=True)]
    distances = squared_distances(tasks, quizzes.transpose(1, 0, 2))
    assert distances.shape == (5, 4)
    np.testing.assert_allclose(soft_vote(distances, results, 0.7), expected)


def test_beta_0_is_the_mean_and_a_huge_beta_the_nearest() -> None:
    np.testing.assert_allclose(predict(Plain(), QUIZ, RESULTS, TASKS, beta=0), RESULTS.mean())
    nearest = ((TASKS[:, None] - QUIZ) ** 2).sum(2).argmin(1)
    for beta in (1e9, 1e308):
        voted = predict(Plain(), QUIZ, RESULTS, TASKS, beta=beta)
        np.testing.assert_array_equal(voted, RESULTS[nearest])


@pytest.mark.parametrize("far", [1e3, 1e100, 1e200, 1e308])
@pytest.mark.parametrize("beta", [None, 0, 1e-300, 1.0, 1e308])
def test_far_away_tasks_get_an_answer(far: float, beta: float | None) -> None:
    with np.errstate(all="raise", under="ignore"):
        voted = predict(Plain(), [[0.0], [1.0], [-far]], [1, 1, 0], [[far], [0.5]], beta=beta)
    assert np.isfinite(voted).all()
    assert voted.min() >= 0
    assert voted.max() <= 1


def test_of_far_away_tasks_the_nearest_still_decides() -> None:
    voted = predict(Plain(), [[0.0], [1.0]], [0, 1], [[1000.0], [-1000.0]], beta=1.0)
    np.testing.assert_array_equal(voted, [1, 0])


@pytest.mark.parametrize("result", [0.0, 0.3, 1.0])
def test_a_quiz_of_one_or_of_equal_results_leaves_no_choice(result: float) -> None:
    one = predict(Plain(), QUIZ[:1], [result], TASKS)
    same = predict(Plain(), QUIZ, np.full(len(QUIZ), result), TASKS)
    np.testing.assert_allclose([one, same], result)
    assert same.max() <= 1


def test_quiz_tasks_in_one_place_count_the_same() -> None:
    quiz = np.full((4, 2), 0.1)
    np.testing.assert_allclose(predict(Plain(), quiz, [1, 0, 0, 0], TASKS[:, :2]), 0.25)
    nearly = [[0.0], [1e-160]]  # so near that their squared distance is 0
    np.testing.assert_allclose(predict(Plain(), nearly, [1, 0], [[0.0]]), 0.5)


# -- what it does not depend on ----------------------------------------------------------------


def test_the_order_of_the_quiz_does_not_matter() -> None:
    order = RNG.permutation(len(QUIZ))
    one = predict(Plain(), QUIZ, RESULTS, TASKS)
    np.testing.assert_allclose(predict(Plain(), QUIZ[order], RESULTS[order], TASKS), one)


def test_failures_mirror_successes() -> None:
    one = predict(Plain(), QUIZ, RESULTS, TASKS)
    np.testing.assert_allclose(predict(Plain(), QUIZ, 1 - RESULTS, TASKS), 1 - one)


def test_what_else_is_asked_does_not_matter() -> None:
    together = predict(Plain(), QUIZ, RESULTS, TASKS)
    alone = [predict(Plain(), QUIZ, RESULTS, TASKS[i : i + 1])[0] for i in range(len(TASKS))]
    np.testing.assert_allclose(together, alone, rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-5, 3.0, 1e5])
def test_by_default_the_maps_scale_place_and_direction_do_not_matter(scale: float) -> None:
    turn, _ = np.linalg.qr(RNG.normal(size=(3, 3)))
    moved = Plain(scale * turn, scale * np.array([1.0, -2.0, 0.5]))
    one = predict(Plain(), QUIZ, RESULTS, TASKS)
    np.testing.assert_allclose(predict(moved, QUIZ, RESULTS, TASKS), one, rtol=1e-6)


def test_booleans_integers_and_rates_are_all_results() -> None:
    one = predict(Plain(), QUIZ, RESULTS, TASKS)
    for kind in (bool, np.uint8, float):
        np.testing.assert_array_equal(predict(Plain(), QUIZ, RESULTS.astype(kind), TASKS), one)
    rates = predict(Plain(), QUIZ, RESULTS / 2, TASKS)
    np.testing.assert_allclose(rates, one / 2)


def test_the_scale_is_the_mean_over_pairs() -> None:
    pairs = [(a, b) for a in range(7) for b in range(a)]
    expected = np.mean([((QUIZ[a] - QUIZ[b]) ** 2).sum() for a, b in pairs])
    assert mean_squared_distance(QUIZ) == pytest.approx(expected)
    assert default_beta(QUIZ) == pytest.approx(SHARPNESS / expected)
    assert mean_squared_distance(QUIZ[:1]) == default_beta(QUIZ[:1]) == 0


# -- with outcomes -----------------------------------------------------------------------------


def table(successes: Any, rollouts: Any, **more: Any) -> Outcomes:
    return Outcomes(np.asarray(successes), np.asarray(rollouts), **more)


KNOWN = table(np.ones((2, 7), int), 1, features=QUIZ)
PROFILES = RNG.uniform(size=(7, 4)).astype(np.float32)
POSTERIOR = AgentPosterior(PROFILES, np.full(4, 0.25), 1.0, 32.0, KNOWN)


def test_names_numbers_and_features_give_the_same() -> None:
    expected = POSTERIOR.predict(Mix.known([0, 2]), np.array([1.0, 0.0]), Mix.known([1, 5]))
    for quiz, tasks in (
        (["task-0", "task-2"], ["task-1", "task-5"]),
        ([0, 2], np.array([1, 5])),
        (QUIZ[[0, 2]], QUIZ[[1, 5]]),
    ):
        predicted = predict(None, quiz, [1, 0], tasks, outcomes=POSTERIOR)
        np.testing.assert_allclose(predicted, expected, rtol=0, atol=tolerances.CHANCE)


def test_new_tasks_are_predicted_from_those_near_on_the_map() -> None:
    predicted = predict(Plain(), QUIZ[:2], [1, 0], [QUIZ[3] + 1e-3, QUIZ[3]], outcomes=POSTERIOR)
    alone = POSTERIOR.predict(Mix.known([0, 1]), np.array([1.0, 0.0]), Mix.known(np.arange(7)))
    assert predicted[1] == pytest.approx(alone[3], abs=tolerances.CHANCE)
    assert alone.min() < predicted[0] < alone.max()
    assert predicted[0] != predicted[1]


def test_an_interval_comes_with_the_chances() -> None:
    weights = POSTERIOR.weights(Mix.known([0, 2]), np.array([1.0, 0.0]))
    expected = POSTERIOR.interval(weights, Mix.known([1, 5]), 0.8)
    chances, low, high = predict(None, [0, 2], [1, 0], [1, 5], outcomes=POSTERIOR, interval=0.8)
    same = POSTERIOR.chances(weights, Mix.known([1, 5]))
    np.testing.assert_allclose(chances, same, rtol=0, atol=tolerances.CHANCE)
    np.testing.assert_allclose([low, high], expected, rtol=0, atol=tolerances.BOUND)
    wide = predict(None, [0, 2], [1, 0], [1, 5], outcomes=POSTERIOR, interval=0.99)
    assert (wide[1] <= low).all()
    assert (wide[2] >= high).all()


@pytest.mark.parametrize("interval", [0, 1, 90, -0.1, np.nan, "wide", [0.9, 0.5]])
def test_bad_intervals_are_refused(interval: Any) -> None:
    with pytest.raises(ValueError, match=says("interval")):
        predict(None, [0], [1], [1], outcomes=POSTERIOR, interval=interval)


def test_the_vote_has_no_interval() -> None:
    with pytest.raises(ValueError, match=says("interval outcomes")):
        predict(Plain(), QUIZ, RESULTS, TASKS, interval=0.9)


@pytest.mark.slow
def test_the_map_helps_to_learn_from_outcomes() -> None:
    solved = RNG.integers(0, 2, (12, 7))
    for known in (table(solved, 1, features=QUIZ), table(solved, 1)):
        embedder: Any = Plain() if known.features is not None else Fixed(QUIZ)
        expected = fit_posterior(known, vectors=QUIZ).predict(
            Mix.known([0]), np.ones(1), Mix.known([1, 2])
        )
        predicted = predict(embedder, [0], [1], [1, 2], outcomes=known)
        np.testing.assert_allclose(predicted, expected, rtol=0, atol=tolerances.CHANCE)


def test_outcomes_are_learned_from() -> None:
    solved = [[1, 1, 0, 0]] * 9 + [[0, 1, 1, 0]] * 9
    first, other = (
        predict(
            None, ["task-0"], [result], ["task-1", "task-2", "task-3"], outcomes=table(solved, 1)
        )
        for result in (1, 0)
    )
    assert first[0] > 0.8
    assert other[0] > 0.8
    assert first[1] < 0.4 < 0.6 < other[1]
    assert max(first[2], other[2]) < 0.2


def test_what_does_not_go_together_is_refused() -> None:
    for arguments, tokens in (
        ({"outcomes": POSTERIOR, "beta": 1.0}, "beta outcomes"),
        ({}, "embedder outcomes"),
    ):
        with pytest.raises(ValueError, match=says(tokens)):
            predict(None, [0], [1], [1], **arguments)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=says("outcomes AgentPosterior 3")):
        predict(None, [0], [1], [1], outcomes=3)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match=says("tasks 'nothing'")):
        predict(None, [0], [1], ["nothing"], outcomes=POSTERIOR)


# -- bad input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("results", "tokens"),
    [
        ([1, 0, np.nan, 0, 0, 0, 0], "quiz_results finite"),
        ([1, 0], "quiz 7 2"),
        ([[1]] * 7, "quiz_results (7, 1)"),
        ([2, 0, 0, 0, 0, 0, 0], "quiz_results 0 1"),
        ([-0.1, 0, 0, 0, 0, 0, 0], "quiz_results 0 1"),
        (["yes"] * 7, "quiz_results numbers"),
        (None, "quiz_results numbers"),
    ],
)
def test_bad_results_are_refused(results: Any, tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        predict(Plain(), QUIZ, results, TASKS)


@pytest.mark.parametrize(
    ("quiz", "tasks", "tokens"),
    [
        (3, [1], "quiz_tasks 3"),
        ("task-0", [1], "quiz_tasks 'task-0'"),
        ([0], 5, "tasks 5"),
        ([0], np.array(5), "tasks array(5)"),
        ([0], None, "tasks None"),
    ],
)
def test_what_is_no_list_of_tasks_is_refused(quiz: Any, tasks: Any, tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        predict(None, quiz, [1], tasks, outcomes=POSTERIOR)


@pytest.mark.parametrize("interval", ["0.9", True, 1, 0.0, None, [0.9], np.nan, 0.9j])
def test_what_is_no_level_is_refused(interval: Any) -> None:
    tokens = f"interval 0 1 {interval!r}"
    with pytest.raises(ValueError, match=says(tokens)):
        level_of(interval)


def test_an_empty_quiz_is_refused() -> None:
    with pytest.raises(ValueError, match=says("quiz empty")):
        predict(Plain(), QUIZ[:0], [], TASKS)


@pytest.mark.parametrize("beta", [-1.0, np.nan, np.inf, "sharp", [1.0, 2.0]])
def test_bad_betas_are_refused(beta: Any) -> None:
    with pytest.raises(ValueError, match="beta"):
        predict(Plain(), QUIZ, RESULTS, TASKS, beta=beta)


def test_bad_vectors_are_refused() -> None:
    for vectors, tokens in (
        (np.ones(7), "embedder quiz (7,) 7"),
        (np.ones((6, 2)), "embedder quiz (6, 2) 7"),
        (np.full((7, 2), np.nan), "quiz finite"),
    ):
        with pytest.raises(ValueError, match=says(tokens)):
            predict(Fixed(vectors), QUIZ, RESULTS, TASKS)

"""Soft nearest neighbours: the vote in closed form, what it does not depend on, and bad input."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from taskspace.applications.soft_neighbours import (
    SHARPNESS,
    default_beta,
    mean_squared_distance,
    soft_neighbours,
    soft_vote,
    squared_distances,
)
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
    np.testing.assert_allclose(soft_neighbours(Plain(), QUIZ, RESULTS, TASKS, beta=beta), expected)


def test_every_example_may_have_a_quiz_of_its_own() -> None:
    quizzes, results = RNG.normal(size=(5, 4, 2)), RNG.integers(0, 2, (5, 4))
    tasks = RNG.normal(size=(5, 2))
    expected = [formula(*example, 0.7) for example in zip(quizzes, results, tasks, strict=True)]
    distances = squared_distances(tasks, quizzes.transpose(1, 0, 2))
    assert distances.shape == (5, 4)
    np.testing.assert_allclose(soft_vote(distances, results, 0.7), expected)


def test_beta_0_is_the_mean_and_a_huge_beta_the_nearest() -> None:
    np.testing.assert_allclose(
        soft_neighbours(Plain(), QUIZ, RESULTS, TASKS, beta=0), RESULTS.mean()
    )
    nearest = ((TASKS[:, None] - QUIZ) ** 2).sum(2).argmin(1)
    for beta in (1e9, 1e308):
        voted = soft_neighbours(Plain(), QUIZ, RESULTS, TASKS, beta=beta)
        np.testing.assert_array_equal(voted, RESULTS[nearest])


@pytest.mark.parametrize("far", [1e3, 1e100, 1e200, 1e308])
@pytest.mark.parametrize("beta", [None, 0, 1e-300, 1.0, 1e308])
def test_far_away_tasks_get_an_answer(far: float, beta: float | None) -> None:
    with np.errstate(all="raise", under="ignore"):
        voted = soft_neighbours(
            Plain(), [[0.0], [1.0], [-far]], [1, 1, 0], [[far], [0.5]], beta=beta
        )
    assert np.isfinite(voted).all()
    assert voted.min() >= 0
    assert voted.max() <= 1


def test_of_far_away_tasks_the_nearest_still_decides() -> None:
    voted = soft_neighbours(Plain(), [[0.0], [1.0]], [0, 1], [[1000.0], [-1000.0]], beta=1.0)
    np.testing.assert_array_equal(voted, [1, 0])


@pytest.mark.parametrize("result", [0.0, 0.3, 1.0])
def test_a_quiz_of_one_or_of_equal_results_leaves_no_choice(result: float) -> None:
    one = soft_neighbours(Plain(), QUIZ[:1], [result], TASKS)
    same = soft_neighbours(Plain(), QUIZ, np.full(len(QUIZ), result), TASKS)
    np.testing.assert_allclose([one, same], result)
    assert same.max() <= 1


def test_quiz_tasks_in_one_place_count_the_same() -> None:
    quiz = np.full((4, 2), 0.1)
    np.testing.assert_allclose(soft_neighbours(Plain(), quiz, [1, 0, 0, 0], TASKS[:, :2]), 0.25)
    nearly = [[0.0], [1e-160]]  # so near that their squared distance is 0
    np.testing.assert_allclose(soft_neighbours(Plain(), nearly, [1, 0], [[0.0]]), 0.5)


# -- what it does not depend on ----------------------------------------------------------------


def test_the_order_of_the_quiz_does_not_matter() -> None:
    order = RNG.permutation(len(QUIZ))
    one = soft_neighbours(Plain(), QUIZ, RESULTS, TASKS)
    np.testing.assert_allclose(soft_neighbours(Plain(), QUIZ[order], RESULTS[order], TASKS), one)


def test_failures_mirror_successes() -> None:
    one = soft_neighbours(Plain(), QUIZ, RESULTS, TASKS)
    np.testing.assert_allclose(soft_neighbours(Plain(), QUIZ, 1 - RESULTS, TASKS), 1 - one)


def test_what_else_is_asked_does_not_matter() -> None:
    together = soft_neighbours(Plain(), QUIZ, RESULTS, TASKS)
    alone = [
        soft_neighbours(Plain(), QUIZ, RESULTS, TASKS[i : i + 1])[0] for i in range(len(TASKS))
    ]
    np.testing.assert_allclose(together, alone, rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-5, 3.0, 1e5])
def test_by_default_the_maps_scale_place_and_direction_do_not_matter(scale: float) -> None:
    turn, _ = np.linalg.qr(RNG.normal(size=(3, 3)))
    moved = Plain(scale * turn, scale * np.array([1.0, -2.0, 0.5]))
    one = soft_neighbours(Plain(), QUIZ, RESULTS, TASKS)
    np.testing.assert_allclose(soft_neighbours(moved, QUIZ, RESULTS, TASKS), one, rtol=1e-6)


def test_booleans_integers_and_rates_are_all_results() -> None:
    one = soft_neighbours(Plain(), QUIZ, RESULTS, TASKS)
    for kind in (bool, np.uint8, float):
        np.testing.assert_array_equal(
            soft_neighbours(Plain(), QUIZ, RESULTS.astype(kind), TASKS), one
        )
    rates = soft_neighbours(Plain(), QUIZ, RESULTS / 2, TASKS)
    np.testing.assert_allclose(rates, one / 2)


def test_the_scale_is_the_mean_over_pairs() -> None:
    pairs = [(a, b) for a in range(7) for b in range(a)]
    expected = np.mean([((QUIZ[a] - QUIZ[b]) ** 2).sum() for a, b in pairs])
    assert mean_squared_distance(QUIZ) == pytest.approx(expected)
    assert default_beta(QUIZ) == pytest.approx(SHARPNESS / expected)
    assert mean_squared_distance(QUIZ[:1]) == default_beta(QUIZ[:1]) == 0


# -- bad input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("results", "token"),
    [
        ([1, 0, np.inf, 0, 0, 0, 0], "success rates"),
        ([1, 0], "2 for 7"),
        ([[1]] * 7, r"\(7, 1\)"),
        ([2, 0, 0, 0, 0, 0, 0], "rates"),
        ([-0.1, 0, 0, 0, 0, 0, 0], "rates"),
        (["yes"] * 7, "numbers"),
        (None, "numbers"),
    ],
)
def test_bad_results_are_refused(results: Any, token: str) -> None:
    with pytest.raises(ValueError, match=f"results .*{token}"):
        soft_neighbours(Plain(), QUIZ, results, TASKS)


@pytest.mark.parametrize("wrong", [3, "task-0", np.array(5), None])
def test_what_is_no_list_of_tasks_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match="quiz must be a list"):
        soft_neighbours(Plain(), wrong, [1], TASKS)
    with pytest.raises(ValueError, match="tasks must be a list"):
        soft_neighbours(Plain(), QUIZ, RESULTS, wrong)


def test_an_empty_quiz_is_refused() -> None:
    with pytest.raises(ValueError, match=says("quiz none")):
        soft_neighbours(Plain(), QUIZ[:0], [], TASKS)


@pytest.mark.parametrize("beta", [-1.0, np.nan, np.inf, "sharp", [1.0, 2.0]])
def test_bad_betas_are_refused(beta: Any) -> None:
    with pytest.raises(ValueError, match="beta"):
        soft_neighbours(Plain(), QUIZ, RESULTS, TASKS, beta=beta)


@pytest.mark.parametrize(
    ("vectors", "token"),
    [
        (np.ones(7), r"quiz tasks .*\(7,\)"),
        (np.ones((6, 2)), "row"),
        (np.full((7, 2), np.nan), "quiz tasks .*finite"),
    ],
)
def test_bad_vectors_are_refused(vectors: Any, token: str) -> None:
    with pytest.raises(ValueError, match=token):
        soft_neighbours(Fixed(vectors), QUIZ, RESULTS, TASKS)

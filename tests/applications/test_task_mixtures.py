"""Finding tasks: by name, number, features, and what is near on the map."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from taskspace.applications.task_mixtures import (
    NEIGHBOURS,
    KnownTasks,
    TaskMixture,
    quiz_results,
    vectors_of,
)
from tests.applications.predictors import Fixed, Plain

FEATURES = np.arange(20.0).reshape(20, 1)
NAMES = np.array([f"task-{number}" for number in range(20)])
KNOWN = KnownTasks(NAMES, FEATURES)


# -- known tasks -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "tasks",
    [
        ["task-3", "task-0"],
        np.array(["task-3", "task-0"]),
        np.array(["task-3", "task-0"], object),
        [3, 0],
        np.array([3, 0], np.uint8),
    ],
)
def test_names_and_numbers_are_found(tasks: Any) -> None:
    numbers, given = KNOWN.find(tasks, "tasks")
    np.testing.assert_array_equal(numbers, [3, 0])
    np.testing.assert_array_equal(given, tasks)
    mixture = TaskMixture.known(numbers)
    np.testing.assert_array_equal(mixture.numbers, [[3], [0]])
    np.testing.assert_array_equal(mixture.shares, [[1], [1]])


@pytest.mark.parametrize("none", [[], np.zeros((0, 1))])
def test_no_tasks_are_found(none: Any) -> None:
    assert KNOWN.find(none, "tasks")[0].shape == (0,)


def test_features_of_a_known_task_need_no_map() -> None:
    numbers, rows = KNOWN.find([[7.0], [-0.0]], "tasks")
    np.testing.assert_array_equal(numbers, [7, 0])
    np.testing.assert_array_equal(rows, [[7], [0]])


def test_bytes_are_found_as_well() -> None:
    known = KnownTasks(NAMES[:3], np.array([[1, 2], [3, 4], [1, 2]], np.uint8))
    rows = np.array([[3, 4], [1, 2]], np.uint8)
    np.testing.assert_array_equal(known.find(rows, "tasks")[0], [1, 0])
    # What does not fit into a byte is another task, not the one that it would become.
    np.testing.assert_array_equal(known.find([[3.5, 4], [257, 2]], "tasks")[0], [-1, -1])


@pytest.mark.parametrize(
    ("tasks", "token"),
    [
        (["task-1", "nothing"], "'nothing'"),
        ([1, 20], "0 to 19.* 20"),
        ([-1], " -1"),
        ([0.5, 1.0], "names.*positions.* 0.5"),
        ([True, False], "names.*positions.*True"),
        ("task-1", "list"),
        ([[3.0], [0.5]], "row 1.*embedder"),
        ([[3.0, 0.5]], "1 features"),
    ],
)
def test_tasks_that_are_not_there_are_refused(tasks: Any, token: str) -> None:
    with pytest.raises(ValueError, match=f"the quiz.*{token}"):
        KNOWN.refuse_new(*KNOWN.find(tasks, "the quiz"), "the quiz")


def test_features_without_features_are_refused() -> None:
    with pytest.raises(ValueError, match="name alone"):
        KnownTasks(NAMES, None).find([[1.0]], "tasks")


# -- new tasks ---------------------------------------------------------------------------------


def test_a_new_task_is_a_mixture_of_its_neighbours() -> None:
    rows = np.array([[10.5], [4.0]])
    mixture = TaskMixture.near(rows, cKDTree(FEATURES), KNOWN.find(rows, "tasks")[0])
    assert mixture.numbers.shape == (2, NEIGHBOURS)
    assert sorted(mixture.numbers[0]) == list(range(7, 15))
    squares = (mixture.numbers[0] - 10.5) ** 2
    weights = np.exp(-squares / squares.mean())
    np.testing.assert_allclose(mixture.shares[0], weights / weights.sum())
    # The second is known, and nothing but itself.
    assert mixture.numbers[1, 0] == 4
    np.testing.assert_array_equal(mixture.shares[1], np.eye(1, NEIGHBOURS)[0])


def test_few_known_tasks_and_tasks_in_one_place_are_fine() -> None:
    mixture = TaskMixture.near(np.ones((1, 1)), cKDTree(np.ones((3, 1))), np.array([-1]))
    np.testing.assert_allclose(mixture.shares, [[1 / 3] * 3])


# -- checks ------------------------------------------------------------------------------------


def test_vectors_are_a_row_each() -> None:
    np.testing.assert_array_equal(vectors_of(Plain(), [[1], [2]], "the tasks"), [[1.0], [2.0]])


def test_points_are_preferred_to_vectors() -> None:
    class Halved(Plain):
        def points(self, tasks: Any, /) -> NDArray[np.float64]:
            return self.transform(tasks) / 2

    np.testing.assert_array_equal(vectors_of(Halved(), [[1], [2]], "the tasks"), [[0.5], [1.0]])


@pytest.mark.parametrize(
    ("vectors", "token"),
    [
        (np.ones(2), r"the tasks .*\(2,\)"),
        (np.ones((3, 2)), "row"),
        (np.full((2, 2), np.nan), "the tasks .*finite"),
    ],
)
def test_bad_vectors_are_refused(vectors: Any, token: str) -> None:
    with pytest.raises(ValueError, match=token):
        vectors_of(Fixed(vectors), [[1], [2]], "the tasks")


@pytest.mark.parametrize("results", [[1, 0], (True, False), np.array([1.0, 0.0], np.float32)])
def test_results_become_numbers(results: Any) -> None:
    found = quiz_results(results, ["a", "b"])
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, [1, 0])


@pytest.mark.parametrize("results", [[1, np.nan], [1, None], np.array([1.0, np.nan])])
def test_a_skipped_answer_is_nan(results: Any) -> None:
    np.testing.assert_array_equal(quiz_results(results, ["a", "b"]), [1, np.nan])


def test_a_quiz_may_be_empty() -> None:
    assert quiz_results([], []).shape == (0,)
    with pytest.raises(ValueError, match="0 for 1"):
        quiz_results([], ["a"])

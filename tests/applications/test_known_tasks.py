"""Finding tasks in outcomes: by name, number, features, and what is near on the map."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from taskspace.applications.known_tasks import NEIGHBOURS, mix_of

from taskspace.outcomes import Outcomes
from tests.messages import says


def table(successes: Any, rollouts: Any, **more: Any) -> Outcomes:
    return Outcomes(np.asarray(successes), np.asarray(rollouts), **more)


FEATURES = np.arange(20.0).reshape(20, 1)
OUTCOMES = table(np.ones((1, 20), int), 1, features=FEATURES)


class Line:
    """A map that is the feature itself."""

    def transform(self, tasks: Any, /) -> NDArray[np.float64]:
        return np.asarray(tasks, np.float64)


def test_names_and_numbers_are_found() -> None:
    for tasks in (
        ["task-3", "task-0"],
        np.array(["task-3", "task-0"]),
        [3, 0],
        np.array([3, 0], np.uint8),
    ):
        mix = mix_of(tasks, OUTCOMES, None, "tasks")
        np.testing.assert_array_equal(mix.numbers, [[3], [0]])
        np.testing.assert_array_equal(mix.shares, [[1], [1]])


def test_features_of_a_known_task_need_no_map() -> None:
    mix = mix_of([[7.0], [-0.0]], OUTCOMES, None, "tasks")
    np.testing.assert_array_equal(mix.numbers, [[7], [0]])


def test_bytes_are_found_as_well() -> None:
    outcomes = table(np.ones((1, 3), int), 1, features=np.array([[1, 2], [3, 4], [1, 2]], np.uint8))
    rows = np.array([[3, 4], [1, 2]], np.uint8)
    np.testing.assert_array_equal(mix_of(rows, outcomes, None, "tasks").numbers, [[1], [0]])


def test_a_new_task_is_a_mixture_of_its_neighbours() -> None:
    mix = mix_of([[10.5], [4.0]], OUTCOMES, Line(), "tasks")
    assert mix.numbers.shape == (2, NEIGHBOURS)
    assert sorted(mix.numbers[0]) == list(range(7, 15))
    squares = (mix.numbers[0] - 10.5) ** 2
    weights = np.exp(-squares / squares.mean())
    np.testing.assert_allclose(mix.shares[0], weights / weights.sum())
    # The second is known, and nothing but itself.
    assert mix.numbers[1, 0] == 4
    np.testing.assert_array_equal(mix.shares[1], np.eye(1, NEIGHBOURS)[0])


def test_few_known_tasks_and_tasks_in_one_place_are_fine() -> None:
    outcomes = table(np.ones((1, 3), int), 1, features=np.array([[1.0, 0], [1.0, 1], [1.0, 2]]))

    class Point(Line):
        def transform(self, tasks: Any, /) -> NDArray[np.float64]:
            return np.asarray(tasks, np.float64)[:, :1]

    mix = mix_of([[1.0, 5.0]], outcomes, Point(), "tasks")
    np.testing.assert_allclose(mix.shares, [[1 / 3] * 3])


@pytest.mark.parametrize(
    ("tasks", "tokens"),
    [
        (["task-1", "nothing"], "quiz 'nothing'"),
        ([1, 20], "quiz 20 19"),
        ([-1], "quiz -1"),
        ([0.5, 1.0], "quiz (2,) float64"),
        ("task-1", "quiz () <U6"),
        ([[3.0], [0.5]], "quiz row 1 embedder"),
    ],
)
def test_tasks_that_are_not_there_are_refused(tasks: Any, tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        mix_of(tasks, OUTCOMES, None, "the quiz")


def test_features_without_features_are_refused() -> None:
    outcomes = table(np.ones((1, 2), int), 1)
    with pytest.raises(ValueError, match="features"):
        mix_of([[1.0]], outcomes, Line(), "tasks")

"""Tasks by name or position: one rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from taskspace.outcomes.task_names import as_list, find, positions
from tests.messages import says

KNOWN = np.array(["north", "south", "east"])
INDEX = {name: position for position, name in enumerate(KNOWN.tolist())}


@pytest.mark.parametrize(
    "tasks",
    [
        ["east", "north"], ("east", "north"), KNOWN[[2, 0]], KNOWN[[2, 0]].astype(object),
        [KNOWN[2], "north"], [2, 0], (2, 0), np.array([2, 0]), np.array([2, 0], np.uint8),
        [np.int8(2), 0],
    ],
)  # fmt: skip
def test_text_is_a_name_and_an_integer_is_a_position(tasks: Any) -> None:
    assert find(INDEX, tasks, "tasks").tolist() == [2, 0]
    assert positions(KNOWN, tasks, "map").tolist() == [2, 0]


@pytest.mark.parametrize("tasks", [[], (), np.zeros(0), np.zeros(0, np.str_)])
def test_an_empty_list_has_no_tasks(tasks: Any) -> None:
    assert find(INDEX, tasks, "tasks").tolist() == []


@pytest.mark.parametrize(
    ("tasks", "got"),
    [
        ([1.0], "1.0"), (np.array([1.0, 2.0]), "1.0"), ([True], "True"), ([np.bool_(True)], "True"),
        (np.array([True]), "True"), ([None], "None"), ([b"east"], "b'east'"), ([np.nan], "nan"),
        (["east", 1], "'east' 1"), ([1, "east"], "'east' 1"), ([-1], "-1"), ([3], "3 2"),
        ([2**70], str(2**70)),
    ],
)  # fmt: skip
def test_anything_else_is_refused(tasks: Any, got: str) -> None:
    with pytest.raises(ValueError, match=says(f"quiz {got}")):
        find(INDEX, tasks, "quiz")


def test_a_position_that_is_the_name_of_another_task_is_ambiguous() -> None:
    shifted = {"1": 0, "2": 1, "3": 2}
    for ambiguous in ([1], [0, 2], [3]):
        with pytest.raises(ValueError, match=says("quiz text")):
            find(shifted, ambiguous, "quiz")
    assert find(shifted, ["1", "3"], "quiz").tolist() == [0, 2]
    assert find(shifted, [0], "quiz").tolist() == [0]  # no task is named 0
    assert find({"0": 0, "1": 1}, [1, 0], "quiz").tolist() == [1, 0]


def test_an_unknown_name_is_told() -> None:
    assert find(INDEX, ["west", "east"], "tasks").tolist() == [-1, 2]
    with pytest.raises(ValueError, match=says("'west' model features 3")):
        positions(KNOWN, ["east", "west"], "model")
    with pytest.raises(ValueError, match=says("map features (1, 1)")):
        positions(KNOWN, [["east"]], "map")


@pytest.mark.parametrize(
    ("given", "tasks"), [("east", ["east"]), (1, [1]), (["east", 1], ["east", 1])]
)
def test_one_task_is_a_list_of_one(given: Any, tasks: Any) -> None:
    assert as_list(given) == tasks

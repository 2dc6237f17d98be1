"""The contract of an environment, for one that says little of itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray

from taskspace.envs.base import Column, Environment, Tasks, check_environment
from tests.messages import says

TABLE = np.array([[i, i / 10] for i in range(8)])


class Boxes(Environment):
    """Eight tasks in a table, with no steps to play."""

    columns = (Column("size", 0, 9, True), Column("weight", 0.0, 1.0, False, -2.0, 5.0))
    context = ("weight",)
    action_names = ("open", "shut", "leave")
    horizon = 5
    distributions = ("all", "small")

    def faults(self, tasks: Tasks) -> Iterator[tuple[NDArray[np.bool_], str]]:
        yield tasks[:, 0] < tasks[:, 1], "it is heavier than large"

    def table(self, distribution: str) -> Tasks:
        return TABLE[:3] if distribution == "small" else TABLE


class Forces(Boxes):
    action_bound = 2.5


ENV = Boxes()


def test_the_number_of_an_invalid_task_among_many_is_its_own() -> None:
    tasks = np.tile([9.0, 0.5], (5000, 1))
    tasks[3456, 1] = 7.0
    with pytest.raises(ValueError, match=says("task 3456 weight 7")):
        ENV.check_tasks(tasks)
    tasks[2345] = 0.25, 0.5  # not an integer, and before the other one
    with pytest.raises(ValueError, match=says("task 2345 size 0.25")):
        ENV.check_tasks(tasks)


def test_a_column_knows_which_values_are_at_fault() -> None:
    size, weight = Boxes.columns
    assert size.fault(np.array([-1.0, 0.0, 0.5, 9.0, 10.0])).tolist() == [1, 0, 1, 0, 1]
    assert weight.fault(np.array([-1.0, 0.0, 0.5, 1.0, 1.5])).tolist() == [1, 0, 0, 0, 1]
    assert size.fault(np.array([np.nan])).all()


def test_a_column_says_what_is_expected() -> None:
    assert Column("x", 3, 3).expected == "3"
    assert {"0", "1"} <= set(Column("x", 0, 1, True).expected.split())
    assert "[0, 0.5]" in Column("x", 0, 0.5).expected


def test_facts_follow_from_the_columns_and_actions() -> None:
    assert (ENV.name, ENV.state_size, ENV.state_names) == ("Boxes", 2, ("size", "weight"))
    assert ENV.context_columns.tolist() == [1]
    low, high = np.array([[0, -2], [9, 5]], np.float32)
    assert ENV.observation_space == Box(low, high)
    assert (ENV.discrete, ENV.action_space) == (True, Discrete(3))
    assert (Forces().discrete, Forces().action_space) == (False, Box(-2.5, 2.5, (3,)))


def test_tasks_of_a_table_are_drawn_without_repeats() -> None:
    drawn = ENV.sample_tasks(8, seed=1)
    assert sorted(drawn.tolist()) == TABLE.tolist()
    assert drawn.tolist() == ENV.sample_tasks(8, seed=1).tolist()
    assert drawn.tolist() != ENV.sample_tasks(8, seed=2).tolist()
    assert len(ENV.sample_tasks(0)) == 0
    with pytest.raises(ValueError, match=says("Boxes 3 'small' 4")):
        ENV.sample_tasks(4, distribution="small")
    with pytest.raises(ValueError, match=says("Boxes 'huge' all")):
        ENV.sample_tasks(1, distribution="huge")


def test_one_task_becomes_a_row() -> None:
    assert ENV.check_tasks([3, 0.5]).tolist() == [[3, 0.5]]
    assert ENV.check_tasks(TABLE).tolist() == TABLE.tolist()
    assert ENV.rows([[99, -7]]).tolist() == [[99, -7]]  # a state need not be a task
    assert ENV.clusters(TABLE).tolist() == [0] * 8


@pytest.mark.parametrize(
    ("tasks", "tokens"),
    [
        ([[1, 2, 3]], "Boxes 2 (1, 3)"),
        (np.zeros((1, 1, 2)), "Boxes 2 (1, 1, 2)"),
        ([[1, 0.5], [10, 0.5]], "1 Boxes size 10"),
        ([[1, 0.5], [1, 1.5]], "1 Boxes weight 1.5"),
        ([[1, 0.5], [1, 0.5], [0, 0.5]], "2 Boxes heavier"),
    ],
)
def test_bad_tasks_are_refused(tasks: Any, tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        ENV.check_tasks(tasks)


def test_without_steps_nothing_can_be_played() -> None:
    with pytest.raises(ValueError, match=says("Boxes")):
        _ = ENV.lanes
    with pytest.raises(ValueError, match=says("Boxes")):
        ENV.expert_actions(TABLE)


def test_drawings_are_of_one_task_or_of_a_whole_episode() -> None:
    assert len(ENV.draw_task(TABLE[2]).patches) == 2
    assert len(ENV.draw_episode(TABLE[:4], [0, 1, 2]).lines) == 2
    with pytest.raises(ValueError, match=says("2")):
        ENV.draw_task(TABLE[:2])
    with pytest.raises(ValueError, match=says("4 4")):
        ENV.draw_episode(TABLE[:4], [0, 1, 2, 0])


def test_an_environment_is_told_from_other_things() -> None:
    assert check_environment(ENV) is ENV
    for other in (None, "MultiKeyNav", Boxes):
        with pytest.raises(TypeError, match="environment"):
            check_environment(other)

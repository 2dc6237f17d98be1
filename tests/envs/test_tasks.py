"""Tasks: how they are drawn, checked and clustered, and the data set of BasicKarel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

import taskspace as ts
from taskspace.envs.registry import ENVIRONMENTS
from tests.envs.twin import karel_task
from tests.messages import says

# -- sampling --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_a_seed_gives_the_same_tasks_again(name: str) -> None:
    env = ts.make(name)
    assert (env.sample_tasks(100, seed=3) == ts.make(name).sample_tasks(100, seed=3)).all()
    assert (env.sample_tasks(100, seed=3) != env.sample_tasks(100, seed=4)).any()


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_without_a_seed_tasks_differ_from_call_to_call(name: str) -> None:
    env = ts.make(name)
    assert (env.sample_tasks(20) != env.sample_tasks(20)).any()


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_tasks_of_every_distribution_are_valid(name: str) -> None:
    env = ts.make(name)
    for distribution in env.distributions:
        tasks = env.sample_tasks(1000, seed=0, distribution=distribution)
        assert env.check_tasks(tasks).shape == (1000, env.state_size)


def test_the_first_tasks_do_not_depend_on_how_many_are_drawn() -> None:
    env = ts.make("CartPoleVar")
    assert (env.sample_tasks(5, seed=1) == env.sample_tasks(50, seed=1)[:5]).all()


def test_no_tasks_may_be_drawn_and_fewer_not() -> None:
    env = ts.make("PointMass")
    assert env.sample_tasks(0, seed=0).shape == (0, 7)
    with pytest.raises(ValueError, match=says("tasks -1")):
        env.sample_tasks(-1)


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, True, "1"])
def test_a_bad_seed_is_refused(seed: Any) -> None:
    with pytest.raises(ValueError, match=says(f"seed {seed!r}")):
        ts.make("MultiKeyNav").sample_tasks(1, seed=seed)


def test_an_unknown_distribution_is_refused_with_the_known_ones() -> None:
    known = "all left not-left right"
    with pytest.raises(ValueError, match=says(f"PointMass 'up' {known}")):
        ts.make("PointMass").sample_tasks(1, distribution="up")


# -- checking --------------------------------------------------------------------------------------

NAV = [0.5, 0, 0, 0, 0, 0, 0]
CART = [0, 0, 0, 0, 10, 0, 0]
MASS = [0, 0, 3, 0, 1, 1, 1]
ENCLOSED = karel_task(0, 0, to=15, walls=[1, 4])


def winding(markers: int) -> NDArray[np.float64]:
    """A way of 14 moves and turns between walls, with some markers to pick on it."""
    walls, way = [4, 5, 6, 13, 14, 15], [0, 1, 2, 3, 7, 11]
    return karel_task(0, 3, to=12, facing=1, walls=walls, markers=way[:markers], wanted=[])


def changed(task: ArrayLike, column: int, value: Any) -> NDArray[np.float64]:
    values = np.array(task, np.float64)
    values[column] = value
    return values


@pytest.mark.parametrize(
    ("name", "tasks", "tokens"),
    [
        ("MultiKeyNav", [0.5, 0, 0], "7 location keyA (3,)"),
        ("MultiKeyNav", np.zeros((2, 8)), "7 location (2, 8)"),
        ("MultiKeyNav", np.zeros((2, 2, 7)), "7 location (2, 2, 7)"),
        ("MultiKeyNav", 0.5, "7 location ()"),
        ("MultiKeyNav", [], "7 location (0,)"),
        ("MultiKeyNav", [NAV, changed(NAV, 0, np.nan)], "finite row 1"),
        ("MultiKeyNav", [NAV, changed(NAV, 0, np.inf)], "finite row 1"),
        ("MultiKeyNav", changed(NAV, 0, 1.1), "task 0 location 1.1 [0, 1]"),
        ("MultiKeyNav", changed(NAV, 0, -0.1), "task 0 location -0.1 [0, 1]"),
        ("MultiKeyNav", [NAV, changed(NAV, 2, 0.5)], "task 1 keyB 0.5 0 1"),
        ("MultiKeyNav", changed(NAV, 6, 2), "doorBit2 2 0 1"),
        ("MultiKeyNav", [NAV, NAV[:3]], "MultiKeyNav numbers"),
        ("MultiKeyNav", {"location": 0.5}, "MultiKeyNav numbers"),
        ("CartPoleVar", changed(CART, 4, 4.9), "F 5 15"),
        ("CartPoleVar", changed(CART, 4, -4.9), "F 5 15"),
        ("CartPoleVar", changed(CART, 4, 15.1), "F 15.1 [-15, 15]"),
        ("CartPoleVar", changed(CART, 2, 0.06), "theta 0.06 [-0.05, 0.05]"),
        ("CartPoleVar", changed(CART, 5, 0.5), "TaskType 0.5 0 1"),
        ("CartPoleVar", changed(CART, 6, 1), "NumSteps 1 0"),
        ("PointMass", changed(MASS, 2, 2), "y 2 3"),
        ("PointMass", changed(MASS, 4, 4.5), "gatePosition 4.5 [-4, 4]"),
        ("PointMass", changed(MASS, 5, 0.4), "gateWidth 0.4 [0.5, 8]"),
        ("PointMass", changed(MASS, 6, -1), "friction -1 [0, 4]"),
        ("BasicKarel", changed(karel_task(), 48, 1), "task 0 position"),
        ("BasicKarel", changed(karel_task(), 53, 0), "task 0 position"),
        ("BasicKarel", changed(karel_task(), 64, 1), "task 0 wanted position"),
        ("BasicKarel", changed(karel_task(), 81, 1), "task 0 heading"),
        ("BasicKarel", changed(karel_task(), 85, 1), "task 0 wanted heading"),
        ("BasicKarel", karel_task(5, walls=[5]), "task 0 agent wall"),
        ("BasicKarel", karel_task(5, to=6, walls=[6]), "task 0 agent wall"),
        ("BasicKarel", karel_task(5, walls=[7], markers=[7], wanted=[]), "task 0 agent wall"),
        ("BasicKarel", karel_task(5, walls=[7], wanted=[7]), "task 0 agent wall"),
        ("BasicKarel", ENCLOSED, "task 0 solution"),
        ("BasicKarel", [karel_task(), ENCLOSED], "task 1 BasicKarel solution"),
        ("BasicKarel", winding(6), "shortest solution 20"),
        ("BasicKarel", changed(karel_task(), 3, 0.5), "wall3 0.5 0 1"),
        ("BasicKarel", ["a task"], "BasicKarel numbers"),
        ("BasicKarel", [["wall"] * 88], "BasicKarel numbers"),
    ],
)
def test_a_bad_task_is_refused_with_the_reason(name: str, tasks: Any, tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        ts.make(name).check_tasks(tasks)


def test_nan_in_a_single_task_is_not_taken_for_a_row() -> None:
    with pytest.raises(ValueError, match=r"^(?!.*\brow\b).*finite"):
        ts.make("MultiKeyNav").check_tasks(changed(NAV, 3, np.nan))


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("MultiKeyNav", [0, 1, 1, 1, 1, 1, 1]),
        ("MultiKeyNav", [1, 0, 0, 0, 0, 0, 0]),
        ("CartPoleVar", [0.05, -0.05, 0.05, -0.05, 5, 1, 0]),
        ("CartPoleVar", [0, 0, 0, 0, -15, 1, 0]),
        ("PointMass", [0, 0, 3, 0, -4, 0.5, 0]),
        ("PointMass", [0, 0, 3, 0, 4, 8, 4]),
        ("BasicKarel", karel_task()),
        ("BasicKarel", winding(5)),
    ],
)
def test_a_task_on_the_edge_of_what_is_allowed_passes(name: str, task: ArrayLike) -> None:
    checked = ts.make(name).check_tasks(task)
    assert checked.shape == (1, np.size(task))
    assert checked.dtype == np.float64


# -- clusters and context --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "count"),
    [("MultiKeyNav", 9), ("MultiKeyNavAB", 4), ("MultiKeyNavA", 2), ("CartPoleVar", 2),
     ("PointMass", 3), ("BasicKarel", 3)],
)  # fmt: skip
def test_every_cluster_has_a_name_and_tasks(name: str, count: int) -> None:
    env = ts.make(name)
    assert len(set(env.cluster_names)) == count
    assert set(env.clusters(env.sample_tasks(3000, seed=0))) == set(range(count))


@pytest.mark.parametrize(
    ("name", "task", "cluster"),
    [
        ("MultiKeyNav", [0.5, 0, 0, 1, 1, 0, 0], "A+B"),
        ("MultiKeyNav", [0.5, 0, 0, 0, 0, 0, 1], "A+C"),
        ("MultiKeyNav", [0.5, 0, 0, 0, 0, 1, 0], "B+D"),
        ("MultiKeyNav", [0.5, 0, 0, 0, 0, 1, 1], "C+D"),
        ("MultiKeyNav", [0.5, 1, 0, 0, 0, 0, 0], "B"),
        ("MultiKeyNav", [0.5, 1, 0, 0, 0, 1, 0], "B+D"),
        ("MultiKeyNav", [0.5, 0, 0, 1, 0, 0, 1], "A"),
        ("MultiKeyNav", [0.5, 1, 1, 1, 0, 1, 1], "D"),
        ("MultiKeyNav", [0.5, 0, 0, 0, 1, 1, 1], "C"),
        ("MultiKeyNav", [0.5, 1, 1, 0, 0, 0, 0], "none"),
        ("MultiKeyNavAB", [0.5, 0, 0, 0, 0, 1, 1], "A+B"),
        ("MultiKeyNavA", [0.5, 0, 0, 0, 0, 1, 1], "A"),
        ("MultiKeyNavA", [0.5, 1, 0, 0, 0, 1, 1], "none"),
        ("CartPoleVar", [0, 0, 0, 0, 10, 0, 0], "action 0 moves left"),
        ("CartPoleVar", [0, 0, 0, 0, 10, 1, 0], "action 0 moves right"),
        ("CartPoleVar", [0, 0, 0, 0, -10, 0, 0], "action 0 moves right"),
        ("CartPoleVar", [0, 0, 0, 0, -10, 1, 0], "action 0 moves left"),
        ("PointMass", [0, 0, 3, 0, -2, 3.9, 1], "steer left"),
        ("PointMass", [0, 0, 3, 0, -2, 4.0, 1], "straight"),
        ("PointMass", [0, 0, 3, 0, 2, 4.0, 1], "straight"),
        ("PointMass", [0, 0, 3, 0, 2, 3.9, 1], "steer right"),
        ("BasicKarel", karel_task(5, to=6, markers=[7]), "navigation"),
        ("BasicKarel", karel_task(5, markers=[5, 7], wanted=[7]), "pick"),
        ("BasicKarel", karel_task(5, markers=[7], wanted=[5, 7]), "put"),
    ],
)
def test_clusters_follow_the_rules(name: str, task: ArrayLike, cluster: str) -> None:
    env = ts.make(name)
    assert env.cluster_names[env.clusters(task)[0]] == cluster


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("MultiKeyNav", [5, 6]),
        ("CartPoleVar", [4, 5]),
        ("PointMass", [4, 5, 6]),
        ("BasicKarel", [*range(16), *range(32, 48), *range(64, 80), *range(84, 88)]),
    ],
)
def test_context_columns_are_those_that_never_change(name: str, columns: list[int]) -> None:
    assert ts.make(name).context_columns.tolist() == columns

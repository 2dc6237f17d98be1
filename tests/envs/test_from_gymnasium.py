"""A user's environment: what its tasks, its rules and its limits are."""

from __future__ import annotations

import re
from typing import Any

import gymnasium as gym
import numpy as np
import pandas as pd
import pytest
from gymnasium.spaces import Box, Dict, Discrete, MultiDiscrete, Text
from numba import njit

from taskspace.agents.policies import MLPPolicy
from taskspace.envs.base import Column, Environment
from taskspace.envs.from_gymnasium import GymEnvironment, as_task
from taskspace.envs.lanes import RUNNING, SOLVED
from taskspace.envs.streams import integer
from taskspace.rollouts.evaluate import evaluate
from tests.messages import says


def set_gravity(env: Any, task: dict[str, Any]) -> None:
    env.gravity = task["gravity"]


def cart(**named: Any) -> GymEnvironment:
    given: dict[str, Any] = {"set_task": set_gravity, "success": 475, "columns": ["gravity"]}
    return GymEnvironment("CartPole-v1", **{**given, **named})


# -- tasks -----------------------------------------------------------------------------------------


def test_a_dict_space_names_bounds_and_rounds_the_columns() -> None:
    space = Dict(
        speed=Box(0.1, 0.7), doors=Discrete(3, start=2), place=MultiDiscrete([4, 5]),
        corner=Box(-1, 1, (2,)), whole=Box(0, 9, dtype=np.int64),
    )  # fmt: skip
    env = cart(space=space, columns=None)
    assert env.columns is not None
    assert set(env.columns) == {
        "speed", "doors", "place_0", "place_1", "corner_0", "corner_1", "whole",
    }  # fmt: skip
    tasks = env.sample_tasks(200, seed=3)
    assert (env.check_tasks(tasks) == tasks).all()
    columns, rows = env.read_tasks(tasks)
    task = as_task(columns, rows[0])
    assert [name for name in task if isinstance(task[name], int)] == [
        name for name in env.columns if name in ("doors", "place_0", "place_1", "whole")
    ]
    for name, values in zip(env.columns, tasks.T, strict=True):
        assert len(np.unique(values)) > 2, name


def test_sampling_is_repeatable_and_more_tasks_begin_with_the_same() -> None:
    env = cart(space=Box(1, 20, (1,)))
    few, many = env.sample_tasks(5, seed=1), env.sample_tasks(50, seed=1)
    assert (many[:5] == few).all()
    assert (env.sample_tasks(5, seed=2) != few).any()
    assert (env.sample_tasks(5) != env.sample_tasks(5)).any()
    assert env.sample_tasks(0, seed=0).shape[0] == 0


def test_sampling_leaves_the_users_space_alone() -> None:
    space = Box(0, 1, (1,))
    space.seed(5)
    expected = space.sample()
    space.seed(5)
    cart(space=space).sample_tasks(3, seed=0)
    assert space.sample() == expected


def test_a_bound_in_single_precision_holds_the_number_meant() -> None:
    env = cart(space=Box(0.1, 0.7, (1,)))
    assert env.check_tasks([[0.1], [0.7]]).tolist() == [[0.1], [0.7]]
    with pytest.raises(ValueError, match=says("task 1 CartPole-v1 gravity 0.71 [0.1, 0.7]")):
        env.check_tasks([[0.5], [0.71]])


def test_data_frames_go_by_the_names_of_their_columns() -> None:
    env = cart(columns=["gravity", "length"])
    frame = pd.DataFrame({"length": [1, 2], "gravity": [9.8, 1.6]})
    assert env.check_tasks(frame).tolist() == [[9.8, 1], [1.6, 2]]
    columns, rows = cart(columns=None).read_tasks(frame)
    assert as_task(columns, rows[1]) == {"length": 2, "gravity": 1.6}
    assert isinstance(as_task(columns, rows[1])["length"], int)
    with pytest.raises(ValueError, match=says("column 'mass' CartPole-v1 gravity length")):
        env.check_tasks(frame.assign(mass=1))
    with pytest.raises(ValueError, match=says("column 'length' CartPole-v1 gravity")):
        env.check_tasks(frame[["gravity"]])
    with pytest.raises(ValueError, match=says("column 'gravity' finite")):
        env.check_tasks(frame.assign(gravity=[np.nan, 1]))
    with pytest.raises(ValueError, match=says("column 'gravity' numbers")):
        env.check_tasks(frame.assign(gravity=["a", "b"]))


@pytest.mark.parametrize(
    ("tasks", "tokens"),
    [
        ([[1.0, 2.0]], "CartPole-v1 1 gravity (1, 2)"),
        ([[np.nan]], "CartPole-v1 finite row 1"),
        (["a"], "CartPole-v1 numbers"),
        (None, "CartPole-v1 numbers"),
    ],
)
def test_tasks_that_are_none(tasks: Any, tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        cart().check_tasks(tasks)


@pytest.mark.parametrize(
    ("named", "error", "tokens"),
    [
        ({"columns": "gravity"}, TypeError, "columns 'gravity'"),
        ({"columns": []}, ValueError, "columns []"),
        ({"columns": ["a", "a"]}, ValueError, "columns 'a'"),
        ({"columns": ["agent"]}, ValueError, "column 'agent'"),
        ({"space": Box(0, 1, (2,))}, ValueError, "names 1 columns 2 Box"),
        ({"space": Text(3)}, TypeError, "Box Discrete MultiDiscrete Text"),
        ({"space": Box(0, 1, (2,)), "columns": None}, ValueError, "Box 2 columns="),
        ({"space": Dict(a=Box(0, 1))}, ValueError, "(a) columns="),
        ({"set_task": "reset"}, ValueError, "set_task 'options' 'constructor' 'reset'"),
        ({"success": []}, TypeError, "success 'is_success' EpisodeSummary None []"),
        ({"success": True}, TypeError, "success 'is_success' EpisodeSummary True"),
        ({"success": float("nan")}, TypeError, "success 'is_success' EpisodeSummary nan"),
        ({"success_at": "first"}, ValueError, "success_at 'last' 'any' 'first'"),
        ({"success_at": "any"}, ValueError, "success_at='any' success"),
        ({"max_steps": 0}, ValueError, "max_steps 0"),
    ],
)
def test_what_makes_no_environment(named: Any, error: Any, tokens: str) -> None:
    with pytest.raises(error, match=says(tokens)):
        cart(**named)


def test_makers_that_make_nothing() -> None:
    with pytest.raises(ValueError, match=says("'Nowhere-v0'")):
        GymEnvironment("Nowhere-v0", set_task="options", success=1)
    with pytest.raises(TypeError, match=says("make TimeLimit")):
        GymEnvironment(gym.make("CartPole-v1"), set_task="options", success=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=says("make 3 gymnasium.Env")):
        GymEnvironment(lambda: 3, set_task="options", success=1, max_steps=5).spaces({})  # type: ignore
    with pytest.raises(ValueError, match=says("CartPole-v1 space=")):
        cart().sample_tasks(3)
    with pytest.raises(ValueError, match=says("CartPole-v1 columns=")):
        cart(columns=None).check_tasks([[1.0]])


# -- limits ----------------------------------------------------------------------------------------


def test_an_environment_that_never_ends_needs_a_limit() -> None:
    def endless() -> gym.Env[Any, Any]:
        return gym.make("CartPole-v1").unwrapped

    named: dict[str, Any] = {"set_task": set_gravity, "success": 1}
    with_limit = GymEnvironment(endless, max_steps=7, **named)
    assert with_limit.spaces({"gravity": 1.0}).max_steps == 7
    assert with_limit.name == "endless"
    bare = endless()
    bare.spec = None
    with pytest.raises(ValueError, match=says("bare max_steps=")):
        GymEnvironment(lambda: bare, name="bare", **named).spaces({"gravity": 1.0})


def test_the_limit_is_the_registered_one_unless_told() -> None:
    assert cart().spaces({"gravity": 1.0}).max_steps == 500
    assert cart(max_steps=900).spaces({"gravity": 1.0}).max_steps == 900
    env = cart(max_steps=900).make_env({"gravity": 1.0})
    assert env.spec is not None
    assert env.spec.max_episode_steps == 900


def test_it_tells_what_it_is() -> None:
    assert repr(cart()).startswith("GymEnvironment(CartPole-v1: gravity;")
    assert re.search(says("return 475"), repr(cart()))


# -- compiled environments -------------------------------------------------------------------------


@njit
def sample(task, stream, distribution):  # type: ignore[no-untyped-def]
    task[0] = integer(stream, 7) - 3


@njit
def step(state, action, stream):  # type: ignore[no-untyped-def]
    state[0] += 1 if action == 1 else -1
    return SOLVED if state[0] >= 4 else RUNNING


class Walk(Environment):
    """As little as an environment can say of itself."""

    columns = (Column("place", -3, 3, integer=True, state_low=-13, state_high=4),)
    action_names = ("left", "right")
    horizon = 10
    sample, step = sample, step


@pytest.mark.slow
def test_a_compiled_environment_needs_few_facts_and_gets_the_engine() -> None:
    env = Walk()
    assert env.name == "Walk"
    right = MLPPolicy([np.zeros((2, 1))], [np.array([-50.0, 50.0])])
    tasks = np.arange(-3.0, 4.0)[:, None]
    outcomes = evaluate([right], env, tasks, 3)
    assert outcomes.rates.tolist() == [[1.0] * 7]
    assert outcomes.mean_lengths.tolist() == [[7, 6, 5, 4, 3, 2, 1]]
    assert env.clusters(tasks).tolist() == [0] * 7
    assert env.draw_task(tasks[0]).patches
    assert env.draw_episode(tasks[:2], [1]).lines


def test_a_subclass_keeps_the_name_that_it_inherits() -> None:
    class Longer(Walk):
        horizon = 20

    assert Longer.name == "Walk"

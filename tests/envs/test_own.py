"""A user's environment: what its tasks, its rules and its limits are."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pandas as pd
import pytest
from gymnasium.spaces import Box, Dict, Discrete, MultiDiscrete, Text
from numba import njit

from taskspace.envs.base import Column, Environment
from taskspace.envs.lanes import RUNNING, SOLVED
from taskspace.envs.own import GymEnvironment, as_task
from taskspace.envs.streams import integer
from taskspace.envs.success_rules import EpisodeSummary, InfoKey, success_rule
from taskspace.population.policies import MLPPolicy
from taskspace.rollout.evaluate import evaluate


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
    with pytest.raises(ValueError, match=r"task 1 of CartPole-v1: gravity is 0.71, expected a nu"):
        env.check_tasks([[0.5], [0.71]])


def test_data_frames_go_by_the_names_of_their_columns() -> None:
    env = cart(columns=["gravity", "length"])
    frame = pd.DataFrame({"length": [1, 2], "gravity": [9.8, 1.6]})
    assert env.check_tasks(frame).tolist() == [[9.8, 1], [1.6, 2]]
    columns, rows = cart(columns=None).read_tasks(frame)
    assert as_task(columns, rows[1]) == {"length": 2, "gravity": 1.6}
    assert isinstance(as_task(columns, rows[1])["length"], int)
    with pytest.raises(ValueError, match="the table of tasks has an unknown column 'mass'; CartPo"):
        env.check_tasks(frame.assign(mass=1))
    with pytest.raises(ValueError, match="has no column 'length'; CartPole-v1 has: gravity, lengt"):
        env.check_tasks(frame[["gravity"]])
    with pytest.raises(ValueError, match="the column 'gravity' of the tasks must be finite"):
        env.check_tasks(frame.assign(gravity=[np.nan, 1]))
    with pytest.raises(ValueError, match="the column 'gravity' of the tasks must be an array of n"):
        env.check_tasks(frame.assign(gravity=["a", "b"]))


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        ([[1.0, 2.0]], r"tasks of CartPole-v1 have 1 columns \(gravity\); got an array of shape"),
        ([[np.nan]], "tasks of CartPole-v1 must be finite numbers; there is a NaN or infinity in"),
        (["a"], "tasks of CartPole-v1 must be an array of numbers"),
        (None, "tasks of CartPole-v1 must be an array of numbers"),
    ],
)
def test_tasks_that_are_none(tasks: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cart().check_tasks(tasks)


@pytest.mark.parametrize(
    ("named", "error", "message"),
    [
        ({"columns": "gravity"}, TypeError, "columns must be a list of names"),
        ({"columns": []}, ValueError, "columns must be names, at least one"),
        ({"columns": ["a", "a"]}, ValueError, "two columns have the name 'a'"),
        ({"columns": ["agent"]}, ValueError, "a column cannot be called 'agent'"),
        ({"space": Box(0, 1, (2,))}, ValueError, "1 names for the 2 columns of Box"),
        ({"space": Text(3)}, TypeError, "sampled from a Box, Discrete or MultiDiscrete space"),
        ({"space": Box(0, 1, (2,)), "columns": None}, ValueError, "does not name its 2 columns"),
        ({"space": Dict(a=Box(0, 1))}, ValueError, r"names its own columns \(a\); leave out"),
        ({"set_task": "reset"}, ValueError, "set_task must be 'options', 'constructor' or a fun"),
        ({"success": None}, TypeError, "success is the name of an info entry"),
        ({"success": True}, TypeError, "success is the name of an info entry"),
        ({"success": float("nan")}, TypeError, "success is the name of an info entry"),
        ({"success_at": "first"}, ValueError, "success_at must be 'last' or 'any'"),
        ({"success_at": "any"}, ValueError, "success_at='any' goes with the name of an info ent"),
        ({"max_steps": 0}, ValueError, "max_steps must be a whole number from 1 on"),
    ],
)
def test_what_makes_no_environment(named: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        cart(**named)


def test_makers_that_make_nothing() -> None:
    with pytest.raises(ValueError, match="there is no Gymnasium environment 'Nowhere-v0'"):
        GymEnvironment("Nowhere-v0", set_task="options", success=1)
    with pytest.raises(TypeError, match="make is the id of a registered environment or a functio"):
        GymEnvironment(gym.make("CartPole-v1"), set_task="options", success=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"make returned 3, expected a gymnasium\.Env"):
        GymEnvironment(lambda: 3, set_task="options", success=1, max_steps=5).spaces({})  # type: ignore
    with pytest.raises(ValueError, match="CartPole-v1 has no space of tasks to sample from"):
        cart().sample_tasks(3)
    with pytest.raises(ValueError, match="the columns of the tasks of CartPole-v1 have no names"):
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
    with pytest.raises(ValueError, match="bare has no limit of steps, so an episode might never"):
        GymEnvironment(lambda: bare, name="bare", **named).spaces({"gravity": 1.0})


def test_the_limit_is_the_registered_one_unless_told() -> None:
    assert cart().spaces({"gravity": 1.0}).max_steps == 500
    assert cart(max_steps=900).spaces({"gravity": 1.0}).max_steps == 900
    env = cart(max_steps=900).make_env({"gravity": 1.0})
    assert env.spec is not None
    assert env.spec.max_episode_steps == 900


# -- success ---------------------------------------------------------------------------------------


def summary(rewards: list[float], **named: Any) -> EpisodeSummary:
    given: dict[str, Any] = {"task": {}, "observation": 0, "info": {}}
    given |= {"terminated": True, "truncated": False}
    return EpisodeSummary(rewards=np.array(rewards), **{**given, **named})


def test_rules_say_in_words_what_they_do() -> None:
    def solved(episode: EpisodeSummary) -> bool:
        """The episode ends early.

        And nothing else.
        """
        return episode.terminated and episode.length < 3

    rule = success_rule(solved, "last")
    assert rule.words == "The episode ends early."
    assert rule.solved(summary([1, 1]), False)
    assert not rule.solved(summary([1, 1, 1]), True)
    assert success_rule(lambda episode: True, "last").words.endswith("<lambda> says so")
    at_least = success_rule(np.float32(1.5), "last")
    assert at_least.words == "the return is at least 1.5"
    assert at_least.solved(summary([1, 0.5]), False)
    assert not at_least.solved(summary([1, 0.4]), False)
    assert success_rule("done", "last").words == "info['done'] is true at the last step"


@pytest.mark.parametrize(
    ("infos", "last", "any_step"),
    [
        ([{}, {"won": True}], True, True),
        ([{"won": True}, {"won": False}], False, True),
        ([{"won": 1.0}, {}], False, True),
        ([{"won": np.array([0.0])}, {"won": None}], False, False),
        ([{"won": np.bool_(True)}], True, True),
        ([{"won": float("nan")}], False, False),
    ],
)
def test_info_entries_at_the_last_or_at_any_step(infos: Any, last: bool, any_step: bool) -> None:
    for at, expected in (("last", last), ("any", any_step)):
        rule = InfoKey("", "won", at)  # type: ignore[arg-type]
        noticed = False
        for info in infos:
            noticed = rule.noticed(info, noticed)
        assert rule.solved(summary([0.0]), noticed) == expected


def test_an_entry_that_is_no_truth_value() -> None:
    with pytest.raises(ValueError, match=r"info\['won'\] is 'yes', expected true or false"):
        InfoKey("", "won", "last").noticed({"won": "yes"}, False)


def test_it_tells_what_it_is() -> None:
    assert repr(cart()) == (
        "GymEnvironment(CartPole-v1: gravity; solved when the return is at least 475)"
    )


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

    columns = (Column("place", -3, 3, whole=True, state_low=-13, state_high=4),)
    action_names = ("left", "right")
    horizon = 10
    sample, step = sample, step


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

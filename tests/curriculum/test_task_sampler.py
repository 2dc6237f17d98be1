"""Tasks are drawn at every reset, also at automatic ones."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import taskspace as ts
from tests.messages import says

TASKS = ts.make("MultiKeyNav").sample_tasks(20, seed=0)


def own_env() -> gym.Env[Any, Any]:
    return gym.make("taskspace/MultiKeyNav-v0", tasks=TASKS)


def set_gravity(env: Any, task: Any) -> None:
    env.gravity = task["gravity"] if isinstance(task, dict) else task[0]


def test_the_library_s_environments_start_the_drawn_task() -> None:
    env = ts.TaskSampler(own_env(), seed=0)
    env.set_task_weights(np.arange(20) == 7)
    observation, info = env.reset(seed=3)
    assert info["task"] == 7
    np.testing.assert_array_equal(observation, TASKS[7].astype(np.float32))
    *_, terminated, _, info = env.step(6)
    assert terminated
    assert info["task"] == 7
    assert isinstance(info["is_success"], bool)
    assert env.reset(options={"task_index": 2})[1]["task"] == 2


def test_users_environments_by_function_columns_and_return() -> None:
    for columns in (None, ["gravity"]):
        env = ts.TaskSampler(
            gym.make("CartPole-v1", max_episode_steps=5), [[1.0], [20.0]],
            set_task=set_gravity, success=5, columns=columns, seed=0,
        )  # fmt: skip
        seen = set()
        for _ in range(20):
            _, info = env.reset()
            gravity: Any = env.unwrapped.gravity  # type: ignore[attr-defined]
            assert gravity == [1.0, 20.0][info["task"]]
            seen.add(info["task"])
            ended = False
            while not ended:
                _, _, terminated, truncated, info = env.step(env.action_space.sample())
                ended = terminated or truncated
            assert info["is_success"] == truncated
        assert seen == {0, 1}


def test_options_reach_the_environment() -> None:
    class Env(gym.Env[Any, Any]):
        observation_space = gym.spaces.Discrete(2)
        action_space = gym.spaces.Discrete(2)

        def reset(self, *, seed: Any = None, options: Any = None) -> Any:
            self.options = options
            return 0, {}

        def step(self, action: Any) -> Any:
            return 0, 1.0, True, False, {"is_success": True}

    plain, named = Env(), Env()
    ts.TaskSampler(plain, ["only"], seed=0).reset()
    assert plain.options == {"task": "only"}
    ts.TaskSampler(named, [[3.0]], columns=["mass"], seed=0).reset()
    assert named.options == {"mass": 3.0}


def test_automatic_resets_draw_by_the_weights() -> None:
    envs = gym.vector.SyncVectorEnv([lambda: ts.TaskSampler(own_env()) for _ in range(3)])
    envs.reset(seed=0)
    envs.call("set_task_weights", np.arange(20) == 4)
    for _ in range(10):
        *_, infos = envs.step(np.full(3, 6))  # finish: every episode has one step
    assert (infos["task"][infos["_task"]] == 4).all()


def test_a_misspelled_entry_of_the_info_is_told_at_the_first_end() -> None:
    env = ts.TaskSampler(own_env(), success="is_sucess", seed=0)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=says("is_sucess info it has is_success")):
        env.step(6)


def test_an_entry_may_be_missing_once_it_was_seen() -> None:
    class Env(gym.Env[Any, Any]):
        observation_space = gym.spaces.Discrete(2)
        action_space = gym.spaces.Discrete(2)

        def reset(self, *, seed: Any = None, options: Any = None) -> Any:
            return 0, {}

        def step(self, action: Any) -> Any:
            return 0, 1.0, True, False, {"won": True} if action else {}

    env = ts.TaskSampler(Env(), ["only"], success="won", seed=0)
    solved = []
    for action in (1, 0):
        env.reset()
        solved.append(env.step(action)[4]["is_success"])
    assert solved == [True, False]


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match=says("set_task 3")):
        ts.TaskSampler(own_env(), set_task=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=says("tasks")):
        ts.TaskSampler(gym.make("taskspace/MultiKeyNav-v0"))
    with pytest.raises(ValueError, match=says("tasks None")):
        ts.TaskSampler(gym.make("CartPole-v1"))
    with pytest.raises(ValueError, match=says("columns 2 (1,)")):
        ts.TaskSampler(gym.make("CartPole-v1"), [[1.0]], columns=["mass", "width"])
    with pytest.raises(TypeError, match=says("success None")):
        ts.TaskSampler(own_env(), success=None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=says("task_index 20")):
        ts.TaskSampler(own_env()).reset(options={"task_index": 20})

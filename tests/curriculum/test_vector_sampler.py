"""Many copies whose tasks are drawn by weights."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import taskspace as ts
from taskspace.envs.to_gymnasium import TaskVectorEnv
from tests.messages import says

TASKS = ts.make("MultiKeyNav").sample_tasks(20, seed=0)


def copies(count: int = 8) -> ts.VectorTaskSampler:
    return ts.VectorTaskSampler(TaskVectorEnv("MultiKeyNav", count, tasks=TASKS), seed=0)


def test_all_episodes_begin_with_drawn_tasks() -> None:
    envs = copies()
    observations, infos = envs.reset(seed=0)
    rows = TASKS.astype(np.float32)
    np.testing.assert_array_equal(observations, rows[infos["task"]])
    ended = np.zeros(8, np.bool_)
    rng, finished = np.random.default_rng(0), 0
    for _ in range(200):
        before = envs.positions.copy()
        observations, _, terminated, truncated, infos = envs.step(rng.integers(7, size=8))
        if ended.any():
            np.testing.assert_array_equal(observations[ended], rows[envs.positions[ended]])
        ended = terminated | truncated
        if ended.any():
            assert (infos["_task"] == ended).all()
            assert (infos["task"][ended] == before[ended]).all() or finished == 0
            finished += int(ended.sum())
    assert finished > 100


def test_weights_count_from_the_next_episode() -> None:
    envs = copies()
    envs.reset(seed=0)
    envs.set_task_weights(np.arange(20) == 5)
    finish = np.full(8, 6)
    envs.step(finish)
    envs.step(finish)
    assert (envs.positions == 5).all()
    *_, infos = envs.step(finish)
    assert (infos["task"] == 5).all()


def test_results_agree_with_single_environments() -> None:
    """Finishing at once solves exactly the tasks at the door with all keys."""
    envs = copies(64)
    _, first = envs.reset(seed=1)
    *_, infos = envs.step(np.full(64, 6))
    env = ts.make("MultiKeyNav")
    expected = (env.missing(TASKS) == 0) & (TASKS[:, 0] >= 0.9)  # type: ignore[attr-defined]
    solved = infos["is_success"]
    assert (solved <= expected[first["task"]]).all()  # a step fails at random now and then


def test_bad_arguments() -> None:
    wrong: Any = gym.vector.SyncVectorEnv([lambda: gym.make("CartPole-v1")])
    with pytest.raises(ValueError, match=says("envs TaskVectorEnv")):
        ts.VectorTaskSampler(wrong)
    with pytest.raises(ValueError, match=says("envs tasks")):
        ts.VectorTaskSampler(TaskVectorEnv("MultiKeyNav", 2))

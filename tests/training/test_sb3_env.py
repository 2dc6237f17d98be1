"""Environments and callbacks for Stable-Baselines3."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from stable_baselines3.common.vec_env import VecEnv

from taskspace.envs.to_gymnasium import TaskVectorEnv
from taskspace.training.sb3_env import SB3Env


def adapter(name: str, copies: int, **options: Any) -> SB3Env:
    return SB3Env(TaskVectorEnv(name, copies, **options), seed=5)


@pytest.mark.parametrize("name", ["MultiKeyNav", "PointMass"])
def test_steps_are_those_of_the_vector_env(name: str) -> None:
    """Ours begins a new episode one step later; else every number is the same, copy by copy."""
    theirs = adapter(name, 4)
    actions = [theirs.action_space.sample() for _ in range(400)]
    observations = theirs.reset()
    seen: list[list[Any]] = [[observation] for observation in observations]
    for action in actions:
        theirs.step_async(np.array([action] * 4))
        observations, rewards, ended, infos = theirs.step_wait()
        for copy in range(4):
            if ended[copy]:
                seen[copy].append((infos[copy]["terminal_observation"], rewards[copy], True))
                seen[copy].append(observations[copy])
            else:
                assert "terminal_observation" not in infos[copy]
                seen[copy].append((observations[copy], rewards[copy], False))
    for copy in range(4):
        replay(TaskVectorEnv(name, 1), 5 + copy, actions, seen[copy])


def replay(env: TaskVectorEnv, seed: int, actions: list[Any], seen: list[Any]) -> None:
    expected = iter(seen)
    observation, _ = env.reset(seed=seed)
    assert (next(expected) == observation[0]).all()
    for action in actions:
        observation, reward, terminated, truncated, _ = env.step(np.array([action]))
        their_observation, their_reward, ended = next(expected)
        assert (their_observation == observation[0]).all()
        assert their_reward == pytest.approx(reward[0])
        assert ended == (terminated | truncated)[0]
        if ended:
            observation, *_ = env.step(np.array([action]))  # the action is ignored: a new task
            assert (next(expected) == observation[0]).all()


def test_running_out_of_time_is_told_from_an_end() -> None:
    env = adapter("MultiKeyNav", 64)
    env.reset()
    left, told = np.zeros(64, np.int64), []
    for _ in range(40):
        _, _, ended, infos = env.step(left)
        told += [infos[copy]["TimeLimit.truncated"] for copy in np.flatnonzero(ended)]
    assert sum(told) > 50  # standing at the left end, most copies run out of time …
    assert not all(told)  # … and some fail at random


def test_it_is_a_vec_env_with_seeds_and_attributes() -> None:
    env = adapter("CartPoleVar", 3)
    assert isinstance(env, VecEnv)
    first, later = env.reset(), env.reset()
    env.seed(5)
    assert (env.reset() == first).all()
    assert (later != first).any()
    assert env.get_attr("num_envs", [0, 1]) == [3, 3]
    assert env.env_is_wrapped(object) == [False] * 3
    with pytest.raises(NotImplementedError):
        env.set_attr("x", 1)
    with pytest.raises(AttributeError):
        env.env_method("x")
    env.close()


def test_survival_rewards_every_step() -> None:
    env = SB3Env(TaskVectorEnv("CartPoleVar", 3), 0, survival=True)
    env.reset()
    assert (env.step(np.zeros(3, np.int64))[1] == 1).all()

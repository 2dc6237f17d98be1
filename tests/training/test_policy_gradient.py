"""Policy gradient: the adapter, the snapshots, processes of their own."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from stable_baselines3.common.vec_env import VecEnv

import taskspace as ts
from taskspace.agents.agent import Agent
from taskspace.agents.policies import MLPPolicy
from taskspace.envs.to_gymnasium import TaskVectorEnv
from taskspace.training.policy_gradient import PolicyGradient, reinforce
from taskspace.training.sb3_env import SB3Env
from taskspace.training.subpopulations import Subpopulation
from tests.messages import says

TINY = PolicyGradient(steps=2048, every=1024, copies=8, batch=256, epochs=2, hidden=(16,))


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
    with pytest.raises(NotImplementedError):
        env.env_method("x")
    env.close()


def test_survival_rewards_every_step() -> None:
    env = SB3Env(TaskVectorEnv("CartPoleVar", 3), 0, survival=True)
    env.reset()
    assert (env.step(np.zeros(3, np.int64))[1] == 1).all()


@pytest.fixture(scope="module")
def agents() -> list[Agent]:
    return short_training(0)


def short_training(seed: int) -> list[Agent]:
    env = ts.make("PointMass")
    subpopulation = Subpopulation("left", distribution="left")
    return reinforce(env, subpopulation, TINY, env.sample_tasks(20, seed=1), seed=seed, delta=0.0)


@pytest.mark.slow
def test_snapshots_are_networks_for_the_engine(agents: list[Agent]) -> None:
    assert agents[0].step == 0
    assert all(isinstance(agent.policy, MLPPolicy) for agent in agents)
    assert agents[0].policy.sizes == (7, 16, 2)
    assert (np.diff([agent.skill for agent in agents]) >= 0).all()


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bits(agents: list[Agent]) -> None:
    again, other = short_training(0), short_training(1)
    assert [(a.step, a.skill) for a in again] == [(a.step, a.skill) for a in agents]
    for one, two in zip(agents[-1].policy.weights, again[-1].policy.weights, strict=True):
        assert (one == two).all()
    assert (other[0].policy.weights[0] != agents[0].policy.weights[0]).any()


@pytest.mark.slow
def test_sac_trains_too() -> None:
    env = ts.make("PointMass")
    settings = PolicyGradient("SAC", steps=800, every=400, copies=8, batch=64, hidden=(16,))
    agents = reinforce(env, Subpopulation("all"), settings, env.sample_tasks(5, seed=1), delta=-1)
    assert [agent.step for agent in agents] == [0, 400, 800]
    assert agents[-1].policy.output.squashed


def test_bad_settings_are_refused() -> None:
    with pytest.raises(ValueError, match=says("'PPO' 'SAC' 'DQN'")):
        PolicyGradient("DQN")
    env = ts.make("MultiKeyNav")
    with pytest.raises(ValueError, match=says("x masks")):
        reinforce(env, Subpopulation("x", masked=("finish",)), TINY, env.sample_tasks(1, seed=0))


def test_without_stable_baselines3_there_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)
    env = ts.make("PointMass")
    with pytest.raises(ImportError, match=says("'taskspace[rl]'")):
        reinforce(env, Subpopulation("all"), TINY, env.sample_tasks(1, seed=0))

"""Recorded episodes: the same ones that `evaluate` counts."""

from __future__ import annotations

import numpy as np
import pytest

import taskspace as ts
from taskspace.agents.policies import ExpertPolicy
from taskspace.rollouts.trajectories import record
from taskspace.testing.agents import trained_like


@pytest.mark.slow
@pytest.mark.parametrize("name", ["MultiKeyNav", "CartPoleVar", "PointMass", "BasicKarel"])
def test_recorded_episodes_are_those_that_evaluate_plays(name: str) -> None:
    env = ts.make(name)
    policy, tasks = trained_like(env)[1], env.sample_tasks(1500, seed=2)
    episodes = record(policy, env, tasks, seed=9)
    outcomes = ts.evaluate([policy], env, tasks, 1, seed=9)
    assert outcomes.steps is not None
    assert (episodes.solved == outcomes.successes[0]).all()
    assert (episodes.lengths == outcomes.steps[0]).all()


def test_states_follow_each_other() -> None:
    env = ts.make("MultiKeyNav")
    tasks = env.sample_tasks(30, seed=0)
    episodes = record(ExpertPolicy(env), env, tasks)
    assert len(episodes) == 30
    assert len(episodes.states) == episodes.lengths.sum()
    for index in range(30):
        states, actions = episodes[index]
        assert (states[0] == tasks[index]).all()
        steps = slice(episodes.starts[index], episodes.starts[index + 1])
        assert (episodes.next_states[steps][:-1] == episodes.states[steps][1:]).all()
        assert len(states) == len(actions) + 1
    np.testing.assert_array_equal(episodes[-1][0], episodes[29][0])


def test_the_expert_finishes_last_and_earns_the_reward() -> None:
    env = ts.make("BasicKarel")
    episodes = record(ExpertPolicy(env), env, env.sample_tasks(200, seed=0))
    last = episodes.starts[1:] - 1
    assert (episodes.actions[last][episodes.solved] == 5).all()
    assert (episodes.rewards[last] == episodes.solved).all()
    assert episodes.rewards.sum() == episodes.solved.sum()

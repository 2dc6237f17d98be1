"""Policy gradient: the adapter, the snapshots, processes of their own."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import taskspace as ts
from taskspace.agents.agent import Agent
from taskspace.agents.policies import MLPPolicy
from taskspace.training.policy_gradient import PolicyGradient, reinforce
from taskspace.training.subpopulations import Subpopulation
from tests.messages import says

TINY = PolicyGradient(steps=2048, every=1024, copies=8, batch=256, epochs=2, hidden=(16,))


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

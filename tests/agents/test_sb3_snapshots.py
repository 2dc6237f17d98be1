"""Snapshots of a training as a population."""

from __future__ import annotations

import numpy as np
import pytest

import taskspace as ts
from taskspace.agents.sb3 import frozen
from tests.agents.test_sb3 import ppo, set_gravity

sb3 = pytest.importorskip("stable_baselines3")
ENV = ts.GymEnvironment(
    "CartPole-v1", set_task=set_gravity, success=30, max_steps=30, columns=["gravity"]
)


@pytest.mark.slow
def test_snapshots_do_not_learn_on() -> None:
    snapshots = ts.SnapshotCallback(every=64, name="ppo")
    model = ppo()
    start = frozen(model)
    model.learn(128, callback=snapshots)
    population = snapshots.population
    assert list(population) == ["ppo-0", "ppo-64", "ppo-128"]
    for one, other in zip(start.weights, population["ppo-0"].weights, strict=True):
        np.testing.assert_array_equal(one, other)
    last, first = population["ppo-128"].weights[0], population["ppo-0"].weights[0]
    assert not np.array_equal(last, first)
    model.learn(64, callback=snapshots, reset_num_timesteps=False)
    assert list(snapshots.population)[-1] == "ppo-192"


@pytest.mark.slow
def test_models_that_are_no_plain_network_are_copied() -> None:
    model = sb3.DQN("MlpPolicy", "CartPole-v1", seed=0, device="cpu", learning_starts=10)
    snapshots = ts.SnapshotCallback(every=30)
    model.learn(60, callback=snapshots)
    kept = snapshots.population["agent-0"]
    assert isinstance(kept, sb3.DQN)
    assert kept.get_env() is None
    outcomes = ts.evaluate(snapshots.population, ENV, [[9.8]], rollouts=1)
    assert outcomes.n_agents == len(snapshots.population)

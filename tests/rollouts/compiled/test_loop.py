"""Policies laid out for the engine, and what they do in many lanes."""

from __future__ import annotations

import numpy as np
import pytest

import taskspace as ts
from taskspace.agents.policies import Categorical, Gaussian
from taskspace.envs.compiling import build
from taskspace.rollouts.compiled.actions import draw_categorical, draw_gaussian
from taskspace.rollouts.compiled.loop import EnginePolicy, act_factory
from taskspace.rollouts.compiled.network import LANES
from tests.envs.twin import new_stream

NAV, MASS = ts.make("MultiKeyNav"), ts.make("PointMass")


def test_a_discrete_policy_is_laid_out() -> None:
    policy = ts.MLPPolicy.random(NAV, hidden=(5, 9), seed=0)
    engine = EnginePolicy.prepare(policy, NAV)
    assert engine.sizes.tolist() == [7, 5, 9, 7]
    assert (engine.continuous, engine.squash, engine.bound) == (False, False, 0.0)
    assert engine.tanh == (policy.activation == "tanh")
    assert engine.draw is draw_categorical
    assert engine.empty_actions(3).shape == (3,)
    assert engine.empty_actions(3).dtype == np.int64
    buffers = engine.empty_buffers()
    assert buffers.shape[0] == 2
    assert buffers.shape[1] >= 9
    assert buffers.shape[2] == LANES


@pytest.mark.parametrize("squashed", [False, True])
def test_a_continuous_policy_is_laid_out(squashed: bool) -> None:
    policy = ts.MLPPolicy([np.ones((4, 7))], [np.zeros(4)], output=Gaussian(squashed=squashed))
    engine = EnginePolicy.prepare(policy, MASS)
    assert engine.sizes.tolist() == [7, 4]
    assert (engine.continuous, engine.squash, engine.bound) == (True, squashed, 10.0)
    assert engine.draw is draw_gaussian
    assert engine.empty_actions(3).shape == (3, 2)


def test_a_constant_deviation_takes_outputs_of_its_own() -> None:
    policy = ts.MLPPolicy([np.ones((2, 7))], [np.zeros(2)], output=Gaussian((0.1, 0.2)))
    assert EnginePolicy.prepare(policy, MASS).sizes.tolist() == [7, 4]


def test_a_sure_network_does_in_every_lane_what_it_says() -> None:
    rng = np.random.default_rng(0)
    weight = 1e4 * rng.standard_normal((7, 7)).astype(np.float32)
    policy = ts.MLPPolicy([weight], [np.zeros(7)], output=Categorical((2,)))
    engine = EnginePolicy.prepare(policy, NAV)
    states, lanes = rng.standard_normal((7, 2 * LANES)), 2 * LANES
    streams = np.stack([new_stream(0, task=lane) for lane in range(lanes)], axis=1)
    actions = engine.empty_actions(lanes)
    act = build(act_factory, engine.draw)
    act(*engine.network, states, streams, engine.empty_buffers(), actions)
    logits = weight.astype(np.float64) @ states
    logits[2] = -np.inf  # masked
    np.testing.assert_array_equal(actions, logits.argmax(0))
    assert len(set(actions.tolist())) > 3

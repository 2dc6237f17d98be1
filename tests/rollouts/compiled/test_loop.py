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
    assert engine.changing.tolist() == list(range(7))  # two columns are fixed, which is too few
    assert engine.fixed.size == 0


def test_columns_that_never_change_are_laid_out_apart() -> None:
    karel = ts.make("BasicKarel")
    policy = ts.MLPPolicy.random(karel, hidden=(5,), seed=0)
    engine = EnginePolicy.prepare(policy, karel)
    assert engine.sizes.tolist() == [36, 5, 6]
    assert {karel.state_names[column] for column in engine.fixed} == set(karel.context)
    assert sorted([*engine.changing, *engine.fixed]) == list(range(88))
    np.testing.assert_array_equal(engine.begins[0], policy.biases[0])
    np.testing.assert_array_equal(engine.begins[1:], policy.weights[0][:, engine.fixed].T)


def test_a_network_of_fixed_columns_only_has_inputs() -> None:
    policy = ts.MLPPolicy.random(NAV, seed=0)
    every = EnginePolicy.with_fixed(policy, NAV, np.ones(7, np.bool_))
    assert every.sizes[0] == 7
    assert every.fixed.size == 0


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


@pytest.mark.parametrize("fixed", [0, 1, 6])
def test_a_sure_network_does_in_every_lane_what_it_says(fixed: int) -> None:
    rng = np.random.default_rng(0)
    weight = 1e4 * rng.standard_normal((7, 7)).astype(np.float32)
    policy = ts.MLPPolicy([weight], [np.zeros(7)], output=Categorical((2,)))
    engine = EnginePolicy.with_fixed(policy, NAV, np.arange(7) < fixed)
    states, lanes = rng.standard_normal((7, 2 * LANES)), 2 * LANES
    streams = np.stack([new_stream(0, task=lane) for lane in range(lanes)], axis=1)
    actions = engine.empty_actions(lanes)
    act = build(act_factory, engine.draw)
    act(*engine.network, states, streams, actions)
    logits = weight.astype(np.float64) @ states
    logits[2] = -np.inf  # masked
    np.testing.assert_array_equal(actions, logits.argmax(0))
    assert len(set(actions.tolist())) > 3

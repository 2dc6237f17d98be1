"""What a policy returns, as actions for a Gymnasium environment."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete, MultiBinary, MultiDiscrete, Space, Text

import taskspace as ts
from taskspace.agents.policies import Gaussian
from taskspace.envs.from_gymnasium import Spaces
from taskspace.rollouts.errors import PolicyOutputError
from taskspace.rollouts.gymnasium.actions import network_function, seed_lanes, to_actions
from tests.messages import says

COUNT = 2000


def spaces(actions: Space[Any]) -> Spaces:
    return Spaces("Env", Box(-1, 1, (3,)), actions, 10)


def streams(count: int = COUNT, seed: int = 0) -> Any:
    found = np.zeros((2, count), np.uint64)
    numbers = np.arange(count)
    seed_lanes(found, numbers, numbers, numbers * 0, seed, 0)
    return found


def test_seeds_depend_on_the_episode_and_not_on_the_lane() -> None:
    one, other = np.zeros((2, 4), np.uint64), np.zeros((2, 4), np.uint64)
    tasks, rollouts = np.array([5, 6, 5, 7]), np.array([0, 0, 1, 2])
    seeds = seed_lanes(one, np.arange(4), tasks, rollouts, 3, 1)
    order = np.array([2, 0, 3, 1])
    shuffled = seed_lanes(other, np.arange(4), tasks[order], rollouts[order], 3, 1)
    np.testing.assert_array_equal(shuffled, seeds[order])
    np.testing.assert_array_equal(other, one[:, order])
    assert len(np.unique(seeds)) == 8
    assert seeds.min() >= 0
    assert seeds.max() < 2**31
    assert not (seed_lanes(one, np.arange(4), tasks, rollouts, 4, 1) == seeds).any()
    assert not (seed_lanes(one, np.arange(4), tasks, rollouts, 3, 2) == seeds).any()


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_a_network_is_its_formula(activation: str) -> None:
    rng = np.random.default_rng(0)
    weights = [rng.standard_normal((4, 3)), rng.standard_normal((2, 4))]
    biases = [rng.standard_normal(4), rng.standard_normal(2)]
    inputs = rng.standard_normal((10, 3))
    hidden = inputs @ weights[0].T + biases[0]
    hidden = np.tanh(hidden) if activation == "tanh" else np.maximum(hidden, 0)
    expected = hidden @ weights[1].T + biases[1]
    found = network_function(ts.MLPPolicy(weights, biases, activation))(inputs)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    gaussian = ts.MLPPolicy(weights, biases, activation, Gaussian((0.5, -1.0)))
    means, deviations = network_function(gaussian)(inputs)
    np.testing.assert_allclose(means, expected, atol=1e-5)
    np.testing.assert_allclose(deviations, np.tile([0.5, -1.0], (10, 1)))


def test_logits_are_drawn_from_and_shifted() -> None:
    logits = np.tile(np.log([0.5, 0.25, 0.25, 1.0]), (COUNT, 1))
    logits[:, 3] = -np.inf
    actions = to_actions(logits, spaces(Discrete(4, start=-1)), streams())
    counts = np.bincount(actions + 1, minlength=4)
    assert counts[3] == 0
    assert abs(counts[0] - COUNT / 2) < 4 * np.sqrt(COUNT / 4)
    again = to_actions(logits, spaces(Discrete(4, start=-1)), streams())
    np.testing.assert_array_equal(actions, again)


@pytest.mark.parametrize(
    ("space", "actions"),
    [
        (Discrete(3, start=2), [2, 4, 3]),
        (MultiDiscrete([2, 5]), [[1, 4], [0, 0], [1, 2]]),
        (MultiBinary(2), [[0, 1], [1, 1], [0, 0]]),
    ],
)
def test_integers_are_taken_as_they_are(space: Any, actions: Any) -> None:
    assert to_actions(actions, spaces(space), streams(3)).tolist() == actions
    for worse in (np.array(actions) + 10, np.array(actions) - 10, np.array(actions) * 1.0):
        with pytest.raises(PolicyOutputError, match=says("Env")):
            to_actions(worse, spaces(space), streams(3))
    with pytest.raises(PolicyOutputError, match=says("3 Env")):
        to_actions(actions[:2], spaces(space), streams(3))


BOX = Box(np.array([-1, 0], np.float32), np.array([1, 10], np.float32))


def test_actions_are_clipped_to_the_box() -> None:
    found = to_actions([[-5, 20], [0.5, 0.25]], spaces(BOX), streams(2))
    assert found.tolist() == [[-1, 10], [0.5, 0.25]]
    assert found.dtype == np.float32


def test_squashed_means_fill_the_box() -> None:
    means = np.array([[0.0, 0.0], [50.0, -50.0], [0.5, 1.0]])
    found = to_actions(means, spaces(BOX), streams(3), squashed=True)
    expected = np.array([-1, 0]) + (np.tanh(means) + 1) / 2 * np.array([2, 10])
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_means_and_deviations_are_drawn_from() -> None:
    wide = Box(-100, 100, (1,))
    means, deviations = np.full((COUNT, 1), 3.0), np.full((COUNT, 1), np.log(2.0))
    found = to_actions((means, deviations), spaces(wide), streams())[:, 0]
    assert abs(found.mean() - 3) < 4 * 2 / np.sqrt(COUNT)
    assert abs(found.std() - 2) < 4 * 2 / np.sqrt(2 * COUNT)


def test_components_are_drawn_independently() -> None:
    shape = (COUNT, 3)
    found = to_actions((np.zeros(shape), np.zeros(shape)), spaces(Box(-9, 9, (3,))), streams())
    assert np.abs(np.corrcoef(found.T) - np.eye(3)).max() < 4 / np.sqrt(COUNT)
    assert np.abs(found.std(axis=0) - 1).max() < 4 / np.sqrt(2 * COUNT)


@pytest.mark.parametrize(
    "output",
    [None, "left", [[0.0]], np.full((2, 2), np.nan), (np.zeros((2, 2)),) * 3, (), [["a", "b"]] * 2],
)
def test_bad_continuous_actions_are_refused(output: Any) -> None:
    with pytest.raises(PolicyOutputError):
        to_actions(output, spaces(BOX), streams(2))


@pytest.mark.parametrize("logit", [np.nan, np.inf, -np.inf])
def test_bad_logits_are_refused(logit: float) -> None:
    with pytest.raises(PolicyOutputError):
        to_actions(np.full((2, 3), logit), spaces(Discrete(3)), streams(2))


def test_other_spaces_are_refused() -> None:
    with pytest.raises(PolicyOutputError, match=says("Env Discrete Box")):
        to_actions(["a", "b"], spaces(Text(3)), streams(2))

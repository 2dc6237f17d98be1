"""The general path: what a policy returns, and the episodes that it plays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import taskspace as ts
from taskspace.agents.policies import ExpertPolicy
from taskspace.rollouts.compiled.python_policies import (
    GENERAL_LANES,
    Lanes,
    as_array,
    choose_actions,
    play_general,
)
from taskspace.rollouts.errors import PolicyOutputError

NAV, MASS = ts.make("MultiKeyNav"), ts.make("PointMass")
DOOR = np.array([[0.95, 1, 1, 1, 1, 0, 0], [0.5, 1, 1, 1, 1, 0, 0]])  # at the door, and not
START = np.array([[0.0, 0, 3, 0, 0, 8, 1]])


def lanes(env: Any, task: Any, count: int = 128) -> Lanes:
    found = Lanes.empty(env, count)
    found.begin(np.arange(count), np.atleast_2d(task), np.arange(count), count, 0, 0)
    return found


def test_what_a_policy_returns_becomes_an_array() -> None:
    for values in ([1, 2], torch.tensor([1.0, 2.0], requires_grad=True), np.array([1, 2])):
        found = as_array(values)
        assert found is not None
        assert found.tolist() == [1, 2]
    assert as_array([[1, 2], [3]]) is None


def test_actions_are_taken_as_they_are() -> None:
    wanted = np.arange(128) % 7
    actions = choose_actions(lambda observations: wanted.astype(np.uint8), NAV, lanes(NAV, DOOR[0]))
    assert actions.dtype == np.int64
    np.testing.assert_array_equal(actions, wanted)


def test_observations_are_the_states_in_single_precision() -> None:
    seen = []

    def policy(observations: Any) -> Any:
        seen.append(observations)
        return np.zeros(len(observations), np.int64)

    choose_actions(policy, NAV, lanes(NAV, DOOR[0]))
    assert seen[0].dtype == np.float32
    np.testing.assert_array_equal(seen[0], np.tile(DOOR[0].astype(np.float32), (128, 1)))


def test_logits_are_drawn_from() -> None:
    logits = np.full((4096, 7), -np.inf)
    logits[:, :3] = np.log([0.5, 0.25, 0.25])
    actions = choose_actions(lambda _: logits, NAV, lanes(NAV, DOOR[0], 4096))
    counts = np.bincount(actions, minlength=7)
    assert counts[3:].sum() == 0
    assert abs(counts[0] - 2048) < 4 * np.sqrt(1024)


def test_means_without_deviation_are_the_actions() -> None:
    means = np.random.default_rng(0).normal(0, 5, (128, 2))
    surely = (means, np.full((128, 2), -50.0))
    given = choose_actions(lambda _: means, MASS, lanes(MASS, START))
    np.testing.assert_array_equal(given, means)  # the environment bounds its forces itself
    drawn = choose_actions(lambda _: surely, MASS, lanes(MASS, START))
    np.testing.assert_allclose(drawn, np.clip(means, -10, 10), atol=1e-5)


@pytest.mark.parametrize(
    "output",
    [None, "left", np.full(128, 7), np.full(128, -1), np.zeros(128), np.zeros((128, 6)), [[1], []]],
)
def test_what_are_no_actions_is_refused(output: Any) -> None:
    with pytest.raises(PolicyOutputError):
        choose_actions(lambda _: output, NAV, lanes(NAV, DOOR[0]))


def test_a_policy_is_always_asked_for_as_many_actions() -> None:
    asked = []

    def finish(observations: Any) -> Any:
        asked.append(len(observations))
        return np.full(len(observations), 6)

    episodes = GENERAL_LANES + 500
    solved, lengths, returns = play_general(finish, NAV, DOOR, episodes // 2, 0, episodes, 1, 0)
    assert set(asked) == {GENERAL_LANES}
    assert (lengths == 1).all()
    half = episodes // 2
    assert solved[:half].mean() > 0.98  # but for a step in a thousand that fails at random
    assert not solved[half:].any()
    np.testing.assert_array_equal(returns, solved)


def test_episodes_do_not_depend_on_where_playing_begins() -> None:
    tasks = DOOR.repeat(2, axis=0)
    whole = play_general(ExpertPolicy(NAV), NAV, tasks, 10, 0, 40, 5, 2)
    parts = [
        play_general(ExpertPolicy(NAV), NAV, tasks, 10, *ends, 5, 2) for ends in ((0, 13), (13, 40))
    ]
    for index in range(3):
        np.testing.assert_array_equal(whole[index], np.concatenate([part[index] for part in parts]))

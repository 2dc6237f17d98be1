"""Batches of episodes: lanes that have ended, and random failure."""

from __future__ import annotations

import math

import numpy as np
import pytest

import taskspace as ts
from taskspace.envs.lanes import FAILED, SOLVED, empty_lanes
from taskspace.envs.multikeynav import MultiKeyNav
from tests.envs.twin import Batch


def test_lanes_that_have_ended_do_not_move() -> None:
    env = ts.make("MultiKeyNav")
    batch = Batch(env, [[0.5, 0, 0, 0, 0, 0, 0]] * 2)
    batch.step([6, 1])
    before = batch.states.copy()
    batch.step([1, 1])
    assert (batch.states[:, 0] == before[:, 0]).all()
    assert batch.status[0] == FAILED
    assert batch.elapsed.tolist() == [1, 2]
    assert batch.states[0, 1] > before[0, 1]


@pytest.mark.parametrize("name", ["MultiKeyNav", "CartPoleVar", "BasicKarel"])
@pytest.mark.parametrize("gamma", [1.0, 0.9])
def test_a_lane_that_has_ended_changes_nothing_for_the_others(name: str, gamma: float) -> None:
    env, rng = ts.make(name), np.random.default_rng(0)
    starts = env.sample_tasks(4, seed=5)
    alone, beside = Batch(env, starts, gamma=gamma), Batch(env, [*starts, starts[0]], gamma=gamma)
    beside.status[4] = FAILED
    for _ in range(6):
        actions = rng.integers(0, 2, 5)
        alone.step(actions[:4])
        beside.step(actions)
        for part in ("states", "streams", "elapsed", "status", "rewards"):
            np.testing.assert_array_equal(
                getattr(alone, part), getattr(beside, part)[..., :4], err_msg=part
            )


MANY = 20_000


@pytest.mark.parametrize("gamma", [0.7, 0.95])
def test_failure_strikes_at_rate_1_minus_gamma_before_the_action(gamma: float) -> None:
    batch = Batch(ts.make("MultiKeyNav"), [[0.5, 0, 0, 0, 0, 0, 0]] * MANY, gamma=gamma)
    failed = batch.step([1]) == FAILED
    assert abs(failed.mean() - (1 - gamma)) < 4 * math.sqrt(gamma * (1 - gamma) / MANY)
    assert (batch.states[0, failed] == 0.5).all()
    assert (batch.states[0, ~failed] > 0.5).all()


def test_failure_beats_an_action_that_would_solve_the_task() -> None:
    batch = Batch(ts.make("MultiKeyNav"), [[0.95, 1, 1, 1, 1, 0, 0]] * MANY, gamma=0.7)
    solved = batch.step([6]) == SOLVED
    assert abs(solved.mean() - 0.7) < 4 * math.sqrt(0.21 / MANY)
    assert (batch.status[~solved] == FAILED).all()
    assert (batch.rewards == solved).all()


def test_substeps_without_normals_are_refused() -> None:
    class Odd(MultiKeyNav):
        substeps = 3

    with pytest.raises(ValueError, match="substeps must be 1 without normals, got 3"):
        _ = Odd().lanes


def test_new_lanes_lie_in_one_piece_of_memory_each() -> None:
    states, streams = empty_lanes(7, 5)
    assert (states.shape, streams.shape) == ((7, 5), (2, 5))
    assert streams.dtype == np.uint64
    assert states[:, 3].flags.c_contiguous
    assert streams[:, 3].flags.c_contiguous
    assert not states.any()

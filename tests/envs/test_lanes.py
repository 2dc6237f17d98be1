"""Batches of episodes: lanes that have ended, and random failure."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numba import njit

import taskspace as ts
from taskspace.envs.lanes import FAILED, RUNNING, SOLVED, empty_lanes, lane_functions
from taskspace.envs.multikeynav import MultiKeyNav
from taskspace.envs.normals import normal_pair
from taskspace.envs.pointmass import PointMass
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


@pytest.mark.parametrize("name", ["MultiKeyNav", "CartPoleVar", "BasicKarel", "PointMass"])
@pytest.mark.parametrize("gamma", [1.0, 0.9])
@pytest.mark.parametrize("status", [FAILED, -1])  # -1: no episode
def test_a_lane_that_has_ended_changes_nothing_for_the_others(
    name: str, gamma: float, status: int
) -> None:
    env, rng = ts.make(name), np.random.default_rng(0)
    starts = env.sample_tasks(4, seed=5)
    alone, beside = Batch(env, starts, gamma=gamma), Batch(env, [*starts, starts[0]], gamma=gamma)
    beside.status[4] = status
    for _ in range(6):
        actions: Any = rng.integers(0, 2, 5) if env.discrete else rng.normal(0, 5, (5, 2))
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


@pytest.mark.parametrize("lanes", [1, 7, 64])
def test_a_mass_moves_alike_in_any_number_of_lanes(lanes: int) -> None:
    env, rng = ts.make("PointMass"), np.random.default_rng(0)
    starts, forces = env.sample_tasks(70, seed=3), rng.normal(0, 5, (30, 70, 2))
    together = Batch(env, starts)
    first, last = Batch(env, starts[:lanes]), Batch(env, starts[-lanes:])
    last.streams[:] = together.streams[:, -lanes:]
    for force in forces:
        together.step(force)
        first.step(force[:lanes])
        last.step(force[-lanes:])
    for part in ("states", "status", "streams"):
        every = getattr(together, part)
        np.testing.assert_array_equal(every[..., :lanes], getattr(first, part))
        np.testing.assert_array_equal(every[..., -lanes:], getattr(last, part))


@njit
def _keep_sum(state: Any, action: Any, normals: Any) -> int:
    state[0] = len(normals)
    for number in normals:
        state[1] += number
    return RUNNING


@njit(error_model="python")
def _inverse(state: Any, status: int) -> float:
    return 1.0 / state[2]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_step_gets_as_many_normal_numbers_as_it_declares(count: int) -> None:
    class Noisy(PointMass):
        name, normals, substeps, step, reward = "Noisy", count, 2, _keep_sum, _inverse

    env = Noisy()
    batch = Batch(env, [[0, 0, 2, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1, 0]])
    batch.status[1] = FAILED  # whose reward must not be asked for: it would divide by 0
    streams = batch.streams.copy()
    lane_functions(Noisy, Noisy.reward).step(
        batch.states, np.zeros((2, 2)), batch.streams, batch.elapsed, batch.status,
        batch.rewards, 1.0, 100,
    )  # fmt: skip
    total = 0.0
    for _ in range(2):
        pairs = [number for _ in range(0, count, 2) for number in normal_pair(streams[:, 0])]
        total += sum(map(float, pairs[:count]))
    assert batch.states[0, 0] == count
    assert batch.states[1, 0] == pytest.approx(total)
    assert batch.rewards.tolist() == [0.5, 0.0]
    assert (batch.streams == streams).all()


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

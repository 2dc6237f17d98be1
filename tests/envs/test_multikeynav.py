"""MultiKeyNav: its tasks, its rules and its expert."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

import taskspace as ts
from taskspace.envs.base import Environment
from taskspace.envs.lanes import FAILED, OUT_OF_TIME, RUNNING, SOLVED
from tests.envs.twin import Batch, is_fair, is_uniform, play

MANY = 20_000
SEGMENTS = [(0.0, 0.1), (0.2, 0.3), (0.4, 0.5), (0.6, 0.7)]
DOORS = [(0, 0), (0, 1), (1, 0), (1, 1)]
REQUIRED = {
    "MultiKeyNav": {(0, 0): "AB", (0, 1): "AC", (1, 0): "BD", (1, 1): "CD"},
    "MultiKeyNavAB": dict.fromkeys(DOORS, "AB"),
    "MultiKeyNavA": dict.fromkeys(DOORS, "A"),
}
LEFT, RIGHT, FINISH = 0, 1, 6


def at(location: float, keys: str = "", door: tuple[int, int] = (0, 0)) -> list[float]:
    return [location, *(float(key in keys) for key in "ABCD"), *door]


@pytest.fixture(scope="module")
def nav() -> Environment:
    return ts.make("MultiKeyNav")


@pytest.mark.parametrize("key", range(4))
def test_nav_picks_a_key_at_both_ends_and_inside_of_its_segment(nav: Environment, key: int) -> None:
    for location in (*SEGMENTS[key], sum(SEGMENTS[key]) / 2):
        states, statuses = play(nav, at(location), [2 + key])
        assert statuses == [RUNNING]
        assert states[1].tolist() == at(location, "ABCD"[key])


@pytest.mark.parametrize("key", range(4))
def test_nav_crashes_on_picking_outside_of_the_segment(nav: Environment, key: int) -> None:
    start, end = SEGMENTS[key]
    for location in (start - 1e-9, end + 1e-9, 0.95):
        if location >= 0:
            states, statuses = play(nav, at(location), [2 + key])
            assert statuses == [FAILED]
            assert states[1].tolist() == at(location)


@pytest.mark.parametrize("key", range(4))
def test_nav_crashes_on_picking_a_key_it_holds(nav: Environment, key: int) -> None:
    middle = sum(SEGMENTS[key]) / 2
    assert play(nav, at(middle, "ABCD"[key]), [2 + key])[1] == [FAILED]
    assert play(nav, at(middle), [2 + key, 2 + key])[1] == [RUNNING, FAILED]


@pytest.mark.parametrize("name", REQUIRED)
@pytest.mark.parametrize("door", DOORS)
def test_nav_door_opens_with_its_keys_and_no_fewer(name: str, door: tuple[int, int]) -> None:
    held = ["".join(k) for n in range(5) for k in itertools.combinations("ABCD", n)]
    status = Batch(ts.make(name), [at(0.95, keys, door) for keys in held]).step([FINISH])
    needed = set(REQUIRED[name][door])
    assert status.tolist() == [SOLVED if needed <= set(keys) else FAILED for keys in held]


def test_nav_door_begins_at_0_9(nav: Environment) -> None:
    assert play(nav, at(0.9, "ABCD"), [FINISH])[1] == [SOLVED]
    assert play(nav, at(1.0, "ABCD"), [FINISH])[1] == [SOLVED]


@pytest.mark.parametrize("location", [0.0, 0.5, 0.9 - 1e-9])
def test_nav_crashes_on_finishing_away_from_the_door(nav: Environment, location: float) -> None:
    assert play(nav, at(location, "ABCD"), [FINISH])[1] == [FAILED]


@pytest.mark.parametrize(("location", "action"), [(0.02, LEFT), (0.98, RIGHT)])
def test_nav_move_that_would_leave_the_line_changes_nothing(
    nav: Environment, location: float, action: int
) -> None:
    states, statuses = play(nav, at(location, "A"), [action] * 5)
    assert (states == states[0]).all()
    assert statuses == [RUNNING] * 5


@pytest.mark.parametrize(("action", "sign"), [(LEFT, -1), (RIGHT, 1)])
def test_nav_step_length_is_uniform_around_0_075(nav: Environment, action: int, sign: int) -> None:
    batch = Batch(nav, [at(0.5)] * MANY)
    batch.step([action])
    lengths = sign * (batch.states[0] - 0.5)
    assert stats.kstest(lengths, stats.uniform(0.065, 0.02).cdf).pvalue > 0.001
    assert (batch.states[1:] == 0).all()


def test_nav_finish_on_step_40_solves(nav: Environment) -> None:
    statuses = play(nav, at(0.98, "AB"), [RIGHT] * 39 + [FINISH])[1]
    assert statuses == [RUNNING] * 39 + [SOLVED]


def test_nav_crash_on_step_40_is_a_failure(nav: Environment) -> None:
    assert play(nav, at(0.98), [RIGHT] * 39 + [FINISH])[1][-1] == FAILED


def test_nav_still_running_at_step_40_is_out_of_time(nav: Environment) -> None:
    statuses = play(nav, at(0.98, "AB"), [RIGHT] * 41)[1]
    assert statuses == [RUNNING] * 39 + [OUT_OF_TIME] * 2


def test_nav_sparse_reward_is_1_on_success_only(nav: Environment) -> None:
    batch = Batch(nav, [at(0.95, "AB"), at(0.95), at(0.5)])
    batch.step([FINISH, FINISH, RIGHT])
    assert batch.rewards.tolist() == [1, 0, 0]


def test_nav_expert_fetches_the_left_key_first(nav: Environment) -> None:
    states = [at(0.45, "", (0, 1)), at(0.05, "", (0, 1)), at(0.05, "A", (0, 1)), at(0.8, "AC")]
    assert nav.expert_actions(states).tolist() == [LEFT, 2, RIGHT, LEFT]
    assert nav.expert_actions([at(0.45, "A", (0, 1)), at(0.89, "AB")]).tolist() == [4, RIGHT]
    assert nav.expert_actions([at(0.9, "AB")]).tolist() == [FINISH]


SAMPLES = 20_000


def test_nav_tasks_have_a_uniform_location_and_fair_independent_bits() -> None:
    tasks = ts.make("MultiKeyNav").sample_tasks(SAMPLES, seed=1)
    assert is_uniform(tasks[:, 0], 0, 1)
    assert all(is_fair(bits) for bits in tasks[:, 1:].T)
    together = np.corrcoef(tasks.T) - np.eye(7)
    assert np.abs(together).max() < 4.5 / np.sqrt(SAMPLES)


@pytest.mark.parametrize(("door", "bits"), [(1, (0, 0)), (2, (0, 1)), (3, (1, 0)), (4, (1, 1))])
def test_nav_distributions_fix_the_door_alone(door: int, bits: tuple[int, int]) -> None:
    env = ts.make("MultiKeyNav")
    tasks = env.sample_tasks(5000, seed=2, distribution=f"door-{door}")
    assert (tasks[:, 5:] == bits).all()
    assert is_uniform(tasks[:, 0], 0, 1)
    assert all(is_fair(keys) for keys in tasks[:, 1:5].T)

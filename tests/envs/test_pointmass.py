"""PointMass: its tasks and its rules."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import taskspace as ts
from taskspace.envs.base import Environment
from taskspace.envs.lanes import FAILED, OUT_OF_TIME, RUNNING, SOLVED
from taskspace.envs.normals import normal_pair
from tests.envs.twin import Batch, is_uniform, play

MANY = 20_000
REST = [0.0, 0.0]


def mass(**changes: float) -> list[float]:
    values = {"x": 0.0, "vx": 0.0, "y": 3.0, "vy": 0.0, "gate": 0.0, "width": 2.0, "friction": 0.0}
    return list((values | changes).values())


@pytest.fixture(scope="module")
def point() -> Environment:
    return ts.make("PointMass")


@pytest.mark.parametrize("direction", [-1, 1], ids=["down", "up"])
@pytest.mark.parametrize("gate", [-3.0, 3.0])
def test_mass_crashes_beside_the_gate_in_both_directions(
    point: Environment, direction: int, gate: float
) -> None:
    start = mass(y=-0.05 * direction, vy=4.0 * direction, gate=gate)
    states, statuses = play(point, start, [REST])
    assert statuses == [FAILED]
    assert 0 < direction * states[1, 2] < 0.05  # it stops right behind the wall


@pytest.mark.parametrize("direction", [-1, 1], ids=["down", "up"])
@pytest.mark.parametrize("gate", [-0.9, 0.0, 0.9])
def test_mass_passes_through_the_gate_in_both_directions(
    point: Environment, direction: int, gate: float
) -> None:
    states, statuses = play(point, mass(y=-0.05 * direction, vy=4.0 * direction, gate=gate), [REST])
    assert statuses == [RUNNING]
    assert direction * states[1, 2] > 0.3


def test_mass_crossing_point_is_interpolated(point: Environment) -> None:
    # One substep goes from (0, 0.01) to (0.2, -0.03) and crosses at x = 0.05.
    start = {"x": 0.0, "vx": 20.0, "y": 0.01, "vy": -4.0, "width": 0.5}
    assert play(point, mass(gate=-0.18, **start), [REST])[1] == [RUNNING]  # ends at 0.07
    assert play(point, mass(gate=-0.22, **start), [REST])[1] == [FAILED]  # ends at 0.03


def test_mass_is_solved_within_a_quarter_of_the_goal(point: Environment) -> None:
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1), (0.6, 0.8)):
        near, far = (mass(x=r * dx, y=-3 + r * dy) for r in (0.249, 0.251))
        assert play(point, near, [REST])[1] == [SOLVED]
        assert play(point, far, [REST])[1] == [RUNNING]


@pytest.mark.parametrize(("column", "name"), [(0, "x"), (2, "y")])
@pytest.mark.parametrize("side", [-1, 1])
def test_mass_stops_at_the_walls_of_the_square(
    point: Environment, column: int, name: str, side: int
) -> None:
    start = mass(**({"x": 2.0, "y": 2.0} | {name: side * 3.9, f"v{name}": side * 9.0}))
    states, statuses = play(point, start, [REST])
    assert statuses == [RUNNING]
    assert states[1, column] == side * 4.0


def test_mass_forces_are_clipped_to_10(point: Environment) -> None:
    clipped, wild = (
        play(point, mass(friction=1.0), [force] * 3)[0] for force in ([10.0, -10.0], [1e6, -11.0])
    )
    assert (clipped == wild).all()


def test_mass_accelerates_by_one_and_a_half_times_the_force(point: Environment) -> None:
    states, _ = play(point, mass(), [[2.0, -4.0]])
    np.testing.assert_allclose(states[1, [1, 3]], [0.3, -0.6], atol=0.01)


@pytest.mark.parametrize("friction", [0.0, 1.0, 4.0])
def test_mass_friction_slows_in_proportion_to_speed(point: Environment, friction: float) -> None:
    states, _ = play(point, mass(vx=1.0, vy=-1.0, friction=friction), [REST])
    left = (1 - 0.01 * friction) ** 10
    np.testing.assert_allclose(states[1, [1, 3]], [left, -left], atol=0.01)


def test_mass_noise_has_the_stated_size_on_both_axes(point: Environment) -> None:
    batch = Batch(point, [mass()] * MANY)
    batch.step([REST])
    expected = 0.01 * 0.05 * math.sqrt(10)
    for column in (1, 3):
        assert stats.kstest(batch.states[column] / expected, "norm").pvalue > 0.001
    assert abs(np.corrcoef(batch.states[1], batch.states[3])[0, 1]) < 4 / math.sqrt(MANY)


def test_mass_that_crashes_uses_no_random_number_after_that(point: Environment) -> None:
    batch = Batch(point, [mass(y=0.05, vy=-4.0, gate=3.0), mass()])  # crashes in its second substep
    expected = batch.streams.copy()
    for lane, substeps in ((0, 2), (1, 10)):
        for _ in range(substeps):
            normal_pair(expected[:, lane])
    assert batch.step([REST]).tolist() == [FAILED, RUNNING]
    assert (batch.streams == expected).all()
    crashed = batch.states[:, 0].copy()
    batch.step([REST])
    assert (batch.states[:, 0] == crashed).all()
    assert (batch.streams[:, 0] == expected[:, 0]).all()


def test_mass_fails_at_random_before_it_moves(point: Environment) -> None:
    batch = Batch(point, [mass()] * 1000, gamma=0.5)
    failed = batch.step([[5.0, -5.0]]) == FAILED
    assert 400 < failed.sum() < 600
    assert (batch.states[1, failed] == 0).all()
    assert (batch.states[1, ~failed] > 0).all()
    assert (batch.elapsed == 1).all()


def test_mass_is_out_of_time_at_step_100(point: Environment) -> None:
    assert play(point, mass(friction=2.0), [REST] * 100)[1] == [RUNNING] * 99 + [OUT_OF_TIME]


def test_mass_solved_on_step_100_counts(point: Environment) -> None:
    assert play(point, mass(y=-2.9), [REST], elapsed=99)[1] == [SOLVED]


@pytest.mark.parametrize(
    ("start", "status", "expected"),
    [
        ({"x": 1.0, "y": 2.0, "gate": -2.0}, RUNNING, 1e-4 * math.exp(-0.6 * math.hypot(3, 2))),
        ({"x": 1.0, "y": -1.0, "gate": -2.0}, RUNNING, 1e-3 * math.exp(-0.6 * math.hypot(1, 2))),
        ({"x": 0.0, "y": -3.1}, SOLVED, 10_000.0),
        ({"x": 1.0, "y": -1.0}, FAILED, 1e-3 * math.exp(-0.6 * math.hypot(1, 2))),
    ],
    ids=["above", "below", "solved", "crashed below"],
)
def test_mass_shaped_reward_hints_at_gate_then_goal(
    point: Environment, start: dict[str, float], status: int, expected: float
) -> None:
    reward = type(point).reward(np.array(mass(**start)), status)
    assert reward == pytest.approx(expected, rel=1e-12)


SAMPLES = 20_000


def test_mass_tasks_have_uniform_marginals_and_one_start() -> None:
    tasks = ts.make("PointMass").sample_tasks(SAMPLES, seed=5)
    assert (tasks[:, :4] == (0, 0, 3, 0)).all()
    assert is_uniform(tasks[:, 4], -4, 4)
    assert is_uniform(tasks[:, 5], 0.5, 8)
    assert is_uniform(tasks[:, 6], 0, 4)


def test_mass_distributions_keep_the_gate_on_one_side() -> None:
    env = ts.make("PointMass")
    left, right = (env.sample_tasks(5000, seed=6, distribution=d) for d in ("left", "right"))
    assert (left[:, 4] + left[:, 5] / 2 < 0).all()
    assert (right[:, 4] - right[:, 5] / 2 > 0).all()
    assert is_uniform(left[:, 6], 0, 4)


def test_pointmass_not_left_has_all_other_gates() -> None:
    env = ts.make("PointMass")
    tasks = env.sample_tasks(5000, seed=6, distribution="not-left")
    everything = env.sample_tasks(5000, seed=7)
    others = everything[env.clusters(everything) != 1]
    assert (tasks[:, 4] + tasks[:, 5] / 2 >= 0).all()
    share = (env.clusters(tasks) == 2).mean() - (env.clusters(others) == 2).mean()
    assert abs(share) < 0.04  # 4 standard errors


@pytest.mark.parametrize(("side", "cluster"), [("left", 1), ("right", 2)])
def test_mass_distributions_are_the_whole_one_restricted(side: str, cluster: int) -> None:
    env = ts.make("PointMass")
    whole, part = (
        env.sample_tasks(SAMPLES, seed=7),
        env.sample_tasks(4000, seed=8, distribution=side),
    )
    expected = whole[env.clusters(whole) == cluster]
    for column in (4, 5):
        assert stats.ks_2samp(part[:, column], expected[:, column]).pvalue > 0.001

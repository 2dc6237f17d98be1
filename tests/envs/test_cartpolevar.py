"""CartPoleVar: its tasks and its rules."""

from __future__ import annotations

import math

import numpy as np
import pytest

import taskspace as ts
from taskspace.envs.base import Environment
from taskspace.envs.lanes import FAILED, RUNNING, SOLVED
from taskspace.testing.plain_envs import plain_environments
from tests.envs.twin import Batch, StreamRandom, is_fair, is_uniform, play

DEGREES_12 = math.radians(12.0)


def cart(**changes: float) -> list[float]:
    values = dict.fromkeys(("x", "v", "theta", "omega", "F", "type", "steps"), 0.0)
    return list((values | {"F": 10.0} | changes).values())


@pytest.fixture(scope="module")
def pole() -> Environment:
    return ts.make("CartPoleVar")


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize(("column", "limit"), [("theta", DEGREES_12), ("x", 2.4)])
def test_cart_crashes_beyond_each_limit_and_not_within(
    pole: Environment, column: str, limit: float, sign: int
) -> None:
    assert play(pole, cart(**{column: sign * (limit - 1e-12)}), [1])[1] == [RUNNING]
    assert play(pole, cart(**{column: sign * (limit + 1e-12)}), [1])[1] == [FAILED]


@pytest.mark.parametrize("force", [-8.0, 8.0])
@pytest.mark.parametrize("kind", [0, 1])
@pytest.mark.parametrize("action", [0, 1])
def test_cart_force_points_where_sign_type_and_action_say(
    pole: Environment, force: float, kind: int, action: int
) -> None:
    states, _ = play(pole, cart(F=force, type=kind), [action])
    direction = np.sign(force) * (1 if kind == 0 else -1) * (1 if action == 1 else -1)
    assert np.sign(states[1, 1]) == direction
    assert np.sign(states[1, 3]) == -direction  # the pole falls the other way


def test_cart_first_step_from_rest_is_that_of_gym(pole: Environment) -> None:
    states, _ = play(pole, cart(F=10.0), [1])
    omega = -(10 / 1.1) / (0.5 * (4 / 3 - 0.1 / 1.1))
    expected = [0, 0.02 * (10 / 1.1 - 0.05 * omega / 1.1), 0, 0.02 * omega, 10, 0, 1]
    np.testing.assert_allclose(states[1], expected, rtol=0, atol=1e-12)


def test_cart_is_solved_at_step_200_and_not_before(pole: Environment) -> None:
    batch, statuses = Batch(pole, cart()), []
    for _ in range(200):
        statuses.append(int(batch.step(pole.expert_actions(batch.states.T))[0]))
    assert statuses == [RUNNING] * 199 + [SOLVED]
    assert batch.states[6, 0] == 200


@pytest.mark.parametrize("column", ["theta", "x"])
def test_cart_crash_on_step_200_is_a_failure(pole: Environment, column: str) -> None:
    start = cart(steps=199, **{column: 3.0})
    assert play(pole, start, [1], elapsed=199)[1] == [FAILED]
    assert play(pole, cart(steps=199), [1], elapsed=199)[1] == [SOLVED]


@pytest.mark.parametrize(
    "change",
    [{"F": 7.0}, {"F": -10.0}, {"type": 1.0}, {"x": 0.03}, {"v": 0.03}, {"theta": 0.03},
     {"omega": 0.03}],
    ids=str,
)  # fmt: skip
def test_cart_each_parameter_alone_moves_the_trajectory_as_the_twin_says(
    pole: Environment, change: dict[str, float]
) -> None:
    actions = [1, 0, 0, 1, 1, 0, 0, 1]
    states, _ = play(pole, cart(**change), actions)
    twin = plain_environments()["CartPoleVar"]
    expected = [twin.reset(cart(**change))]
    expected += [twin.step(action, StreamRandom(np.ones(2, np.uint64)))[0] for action in actions]
    np.testing.assert_allclose(states, expected, rtol=0, atol=1e-12)
    assert np.abs(states - play(pole, cart(), actions)[0])[:, :4].max() > 1e-3


def test_cart_negative_force_and_other_type_cancel(pole: Environment) -> None:
    actions = [1, 0, 0, 1, 1, 0]
    one, other = play(pole, cart(), actions)[0], play(pole, cart(F=-10.0, type=1), actions)[0]
    assert (one[:, :4] == other[:, :4]).all()


def test_cart_context_never_changes(pole: Environment) -> None:
    states, _ = play(pole, cart(F=-6.5, type=1), [1, 0] * 5)
    assert (states[:, 4] == -6.5).all()
    assert (states[:, 5] == 1).all()


SAMPLES = 20_000


def test_cart_tasks_have_uniform_marginals() -> None:
    tasks = ts.make("CartPoleVar").sample_tasks(SAMPLES, seed=3)
    assert all(is_uniform(values, -0.05, 0.05) for values in tasks[:, :4].T)
    assert is_uniform(np.abs(tasks[:, 4]), 5, 15)
    assert is_fair(tasks[:, 4] > 0)
    assert is_fair(tasks[:, 5])
    assert (tasks[:, 6] == 0).all()
    together = np.corrcoef(tasks[:, :6].T) - np.eye(6)
    assert np.abs(together).max() < 4.5 / np.sqrt(SAMPLES)


@pytest.mark.parametrize("sign", ["positive", "negative"])
@pytest.mark.parametrize(("kind", "bit"), [("pull", 0), ("push", 1)])
def test_cart_distributions_fix_sign_and_type(sign: str, kind: str, bit: int) -> None:
    env = ts.make("CartPoleVar")
    tasks = env.sample_tasks(5000, seed=4, distribution=f"{sign}-{kind}")
    assert ((tasks[:, 4] > 0) == (sign == "positive")).all()
    assert (tasks[:, 5] == bit).all()
    assert is_uniform(np.abs(tasks[:, 4]), 5, 15)

"""The rules of the environments: against the plain twins step for step, and one by one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import taskspace as ts
from taskspace.envs.base import Environment
from taskspace.envs.lanes import FAILED, OUT_OF_TIME, RUNNING, SOLVED
from taskspace.envs.registry import ENVIRONMENTS
from taskspace.testing.plain_envs import plain_environments
from tests.envs.twin import Batch, StreamRandom, karel_task

NAMES = {"running": RUNNING, "solved": SOLVED, "failed": FAILED, "out of time": OUT_OF_TIME}
EPISODES = 240

# -- against the plain twins -----------------------------------------------------------------------


def steering(states: NDArray[np.float64], forces: NDArray[np.float64]) -> NDArray[np.float64]:
    """A rough controller in half of the lanes (gate, then goal), smooth random forces in all."""
    x, vx, y, vy, gate = states[:5]
    above = y > 0.3
    aim_x = np.where(above, gate, 0.0)
    ready = ~above | (np.abs(x - gate) < 0.2)
    pull = np.stack([4 * (aim_x - x) - 2 * vx, np.where(ready, -3.0, 1.0) - vy], 1)
    return np.where(np.arange(len(x))[:, None] % 2 == 0, pull + 0.3 * forces, forces)


class Player:
    """Actions that take the episodes deep: the expert's, with a different share of noise a lane."""

    def __init__(self, env: Environment, lanes: int) -> None:
        self.env, self.rng = env, np.random.default_rng(7)
        self.noise = np.linspace(0.0, 0.4, lanes)
        self.forces = np.zeros((lanes, 2))

    def actions(self, states: NDArray[np.float64]) -> NDArray[Any]:
        lanes = states.shape[1]
        if not self.env.discrete:
            self.forces = 0.9 * self.forces + self.rng.normal(0, 2, (lanes, 2))
            return steering(states, self.forces)
        chance = self.rng.integers(0, len(self.env.action_names), lanes)
        expert = self.env.expert_actions(states.T)
        return np.where(self.rng.random(lanes) < self.noise, chance, expert)


def compare_with_twin(name: str, starts: NDArray[np.float64], gamma: float) -> set[int]:
    """Play both from the same streams; every status and state must agree."""
    env, seen = ts.make(name), set()
    batch, player = Batch(env, starts, gamma=gamma, seed=11), Player(env, len(starts))
    rngs = [StreamRandom(batch.streams[:, lane]) for lane in range(len(starts))]
    twins = [plain_environments()[name] for _ in rngs]
    for twin, start in zip(twins, starts, strict=True):
        twin.gamma = gamma
        twin.reset(list(start))
    for _ in range(env.horizon):
        running = np.flatnonzero(batch.status == RUNNING)
        actions = player.actions(batch.states)
        status = batch.step(actions)
        for lane in running:
            expected, told = twins[lane].step(actions[lane], rngs[lane])
            assert status[lane] == NAMES[told]
            np.testing.assert_allclose(batch.states[:, lane], expected, rtol=0, atol=1e-12)
            twins[lane]._state = batch.states[:, lane].tolist()  # a pole that falls doubles errors
            assert (batch.streams[:, lane] == rngs[lane].stream).all()
            seen.add(int(status[lane]))
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_kernel_equals_twin_step_for_step(name: str) -> None:
    env = ts.make(name)
    seen = compare_with_twin(name, env.sample_tasks(EPISODES, seed=5), env.gamma)
    assert {RUNNING, SOLVED, FAILED} <= seen


@pytest.mark.slow
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_kernel_equals_twin_under_frequent_random_failure(name: str) -> None:
    compare_with_twin(name, ts.make(name).sample_tasks(60, seed=6), 0.9)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_facts_equal_those_of_the_twin(name: str) -> None:
    env, twin = ts.make(name), plain_environments()[name]
    facts = (env.state_size, env.horizon, env.gamma)
    assert facts == (twin.state_size, twin.horizon, twin.gamma)


# -- random failure --------------------------------------------------------------------------------

MANY = 20_000


@pytest.mark.parametrize("name", ["MultiKeyNav", "MultiKeyNavAB", "MultiKeyNavA", "BasicKarel"])
def test_a_step_fails_with_probability_one_in_a_thousand(name: str) -> None:
    env = ts.make(name)
    assert env.gamma == 0.999
    start: Any = karel_task() if name == "BasicKarel" else [0.5, 0, 0, 0, 0, 0, 0]
    batch = Batch(env, [start] * MANY, gamma=env.gamma)
    for _ in range(10):
        batch.step([1])
    rate = -math.log((batch.status == RUNNING).mean()) / 10
    assert abs(rate - 0.001) < 4 * math.sqrt(0.001 / (10 * MANY))


@pytest.mark.parametrize("name", ["CartPoleVar", "PointMass"])
def test_environments_with_gamma_1_never_fail_at_random(name: str) -> None:
    env = ts.make(name)
    batch = Batch(env, env.sample_tasks(MANY, seed=0), gamma=env.gamma)
    status = batch.step([1] if env.discrete else [[0.0, 0.0]])
    assert env.gamma == 1
    assert (status == RUNNING).all()


# -- experts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in ENVIRONMENTS if name != "PointMass"])
def test_expert_solves_nearly_every_task(name: str) -> None:
    env = ts.make(name)
    batch = Batch(env, env.sample_tasks(2000, seed=8))
    for _ in range(env.horizon):
        batch.step(env.expert_actions(batch.states.T))
    assert (batch.status == SOLVED).mean() > 0.99

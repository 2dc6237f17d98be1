"""The plain environments, played by hand."""

from __future__ import annotations

import random

import pytest

import taskspace as ts
from taskspace.testing import plain_envs
from taskspace.testing.plain_envs import (
    FAILED,
    OUT_OF_TIME,
    RUNNING,
    SOLVED,
    BasicKarel,
    CartPoleVar,
    MultiKeyNav,
    plain_environments,
)


class Steady(random.Random):
    """Never ends an episode at random, and adds no noise."""

    def random(self) -> float:
        return 0.0

    def uniform(self, a: float, b: float) -> float:
        return (a + b) / 2

    def gauss(self, mu: float = 0.0, sigma: float = 1.0) -> float:
        return mu


def play(env: plain_envs.PlainEnvironment, task: list[float], actions: list[int]) -> list[str]:
    env.reset(task)
    return [env.step(action, Steady())[1] for action in actions]


def test_there_is_one_for_every_environment_and_of_its_size() -> None:
    found = plain_environments()
    assert len(found) == 6
    for name, plain in found.items():
        env = ts.make(name)
        assert (plain.state_size, plain.horizon) == (env.state_size, env.horizon)
        assert (
            plain.reset(env.sample_tasks(1, seed=0)[0].tolist())
            == env.sample_tasks(1, seed=0)[0].tolist()
        )


def test_the_keys_of_the_door_open_it() -> None:
    env = MultiKeyNav()
    pick_a, pick_b = env.PICK_A, env.PICK_A + 1
    right = [env.MOVE_RIGHT] * 10
    task = [0.05, 0, 0, 0, 0, 0, 0]  # the door needs A and B
    way = [pick_a, *right[:2], pick_b, *right[:10], env.FINISH]
    assert play(env, task, way) == [RUNNING] * (len(way) - 1) + [SOLVED]
    without = [pick_a, *right, *right[:2], env.FINISH]
    assert play(env, task, without)[-1] == FAILED
    assert play(env, task, [pick_a, pick_a]) == [RUNNING, FAILED]
    assert play(env, task, [pick_b]) == [FAILED]


def test_doors_differ_between_the_variants() -> None:
    variants = plain_environments()
    held_a = [0.95, 1, 0, 0, 0, 1, 1]
    found = {
        name: play(variants[name], held_a, [MultiKeyNav.FINISH])[0]
        for name in ("MultiKeyNav", "MultiKeyNavAB", "MultiKeyNavA")
    }
    assert found == {"MultiKeyNav": FAILED, "MultiKeyNavAB": FAILED, "MultiKeyNavA": SOLVED}


def test_an_episode_ends_with_its_time_and_by_chance() -> None:
    env = MultiKeyNav()
    moves = [env.MOVE_RIGHT, env.MOVE_LEFT] * (env.horizon // 2)
    statuses = play(env, [0.5, 0, 0, 0, 0, 0, 0], moves)
    assert statuses == [RUNNING] * (env.horizon - 1) + [OUT_OF_TIME]
    env.reset([0.5, 0, 0, 0, 0, 0, 0])
    rng = Steady()
    rng.random = lambda: 0.9995  # type: ignore[method-assign]
    assert env.step(env.MOVE_LEFT, rng)[1] == FAILED


def test_the_pole_falls_on_the_side_that_the_actions_mean() -> None:
    ways = []
    for kind in (0.0, 1.0):
        env = CartPoleVar()
        env.reset([0, 0, 0, 0, 10.0, kind, 0])
        status, steps = RUNNING, 0
        while status == RUNNING:
            state, status = env.step(1, Steady())
            steps += 1
        assert status == FAILED
        ways.append((state[0] > 0, state[2] < 0, steps))
    assert ways[0][:2] == (True, True)
    assert ways[1] == (False, False, ways[0][2])


def test_karel_turns_moves_and_finishes() -> None:
    env = BasicKarel()
    task = [0.0] * env.state_size
    task[env.POSITION + 0] = task[env.POST_POSITION + 1] = 1.0
    task[env.DIRECTION + 0] = task[env.POST_DIRECTION + 2] = 1.0  # from north to east
    task[env.POST_MARKERS + 0] = 1.0
    way = [env.TURN_RIGHT, env.PUT_MARKER, env.MOVE, env.FINISH]
    assert play(env, task, way) == [RUNNING, RUNNING, RUNNING, SOLVED]
    assert play(env, task, [env.FINISH]) == [FAILED]
    assert play(env, task, [env.MOVE]) == [FAILED]  # off the grid
    assert play(env, task, [env.PICK_MARKER]) == [FAILED]
    task[env.WALLS + 1] = 1.0
    assert play(env, task, [env.TURN_RIGHT, env.MOVE]) == [RUNNING, FAILED]


@pytest.mark.parametrize("name", ["MultiKeyNav", "CartPoleVar", "BasicKarel"])
def test_mistakes_are_refused(name: str) -> None:
    env = plain_environments()[name]
    with pytest.raises(RuntimeError):
        env.step(0, Steady())
    with pytest.raises(ValueError, match=str(env.state_size)):
        env.reset([0.0])
    env.reset(ts.make(name).sample_tasks(1, seed=0)[0].tolist())
    with pytest.raises(ValueError, match="99"):
        env.step(99, Steady())

"""The guard hands back where uniform tasks teach faster, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.curriculum.guard import PERIOD, Guard

SHARE = 0.2


def learn(guard: Guard, speed: float, speed_without: float, *, seed: int, periods: int) -> float:
    """A learner whose success on uniform tasks rises by these speeds; returns the share on."""
    rng, rate, on = np.random.default_rng(seed), 0.02, 0
    for _ in range(periods):
        on += guard.on
        count = int(PERIOD * SHARE) if guard.on else PERIOD
        uniform = np.arange(PERIOD) < count
        faster = speed if guard.on else speed_without
        guard.observe(uniform.astype(float), (rng.random(PERIOD) < rate).astype(float))
        rate += faster * (1 - rate)
    return on / periods


def mean_on(speed: float, speed_without: float, periods: int = 100) -> float:
    runs = [learn(Guard(), speed, speed_without, seed=seed, periods=periods) for seed in range(10)]
    return float(np.mean(runs))


def test_a_useless_curriculum_is_given_up() -> None:
    assert mean_on(0.0, 0.01) < 0.4
    assert mean_on(0.004, 0.012) < 0.5


def test_a_helpful_curriculum_is_kept() -> None:
    assert mean_on(0.012, 0.004) > 0.7
    assert mean_on(0.01, 0.0) > 0.75


def test_without_success_there_is_nothing_to_hand_back_for() -> None:
    guard = Guard()
    for _ in range(50):
        guard.observe(np.ones(PERIOD), np.zeros(PERIOD))
    assert guard.following


def test_it_returns_to_a_curriculum_that_helps_later() -> None:
    guard = Guard()
    learn(guard, 0.0, 0.01, seed=0, periods=40)
    assert not guard.following
    assert learn(guard, 0.02, 0.0, seed=1, periods=150) > 0.4
    assert guard.following


def test_a_disabled_guard_always_follows() -> None:
    assert learn(Guard(enabled=False), 0.0, 0.01, seed=0, periods=50) == 1


def test_periods_are_counted_in_episodes() -> None:
    guard = Guard()
    assert not guard.observe(np.ones(PERIOD - 1), np.zeros(PERIOD - 1))
    assert guard.observe(np.ones(1), np.zeros(1))


def test_it_returns_from_arrays() -> None:
    first = Guard()
    learn(first, 0.01, 0.005, seed=0, periods=13)
    second = Guard.from_arrays(first.as_arrays())
    assert second.advantage == pytest.approx(first.advantage)
    for guard in (first, second):
        learn(guard, 0.0, 0.02, seed=2, periods=30)
    assert (second.following, second.trial) == (first.following, first.trial)
    assert (second.state == first.state).all()

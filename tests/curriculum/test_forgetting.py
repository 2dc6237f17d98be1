"""The memory follows the learner."""

from __future__ import annotations

import numpy as np

from taskspace.curriculum.estimators import Episodes, TaskEstimator
from taskspace.curriculum.forgetting import MEMORIES, AdaptiveForgetting


def test_a_fast_learner_gets_a_short_memory_and_a_finished_one_a_long_one() -> None:
    rng, forgetting = np.random.default_rng(0), AdaptiveForgetting(lambda: TaskEstimator(4))

    def play(rate: float) -> None:
        tasks = rng.integers(4, size=200)
        forgetting.update(Episodes.of(tasks, rng.random(200) < rate))

    for step in range(60):  # success comes and goes
        play(0.5 + 0.45 * np.sin(step / 3))
    assert forgetting.memory == MEMORIES[0]
    for _ in range(300):
        play(0.5)
    assert forgetting.memory == MEMORIES[-1]


def test_the_slow_average_lags_behind() -> None:
    forgetting = AdaptiveForgetting(lambda: TaskEstimator(1))
    for won in (0, 1):
        for _ in range(20):
            forgetting.update(Episodes.of(np.zeros(200, np.int64), np.full(200, won)))
    fast, slow = forgetting.fast_and_slow()
    assert fast[0] > slow[0] + 0.1


def test_state_restores() -> None:
    first, second = (AdaptiveForgetting(lambda: TaskEstimator(3)) for _ in range(2))
    first.update(Episodes.of(np.array([0, 1, 2]), np.array([1, 0, 1])))
    second.restore(first.state())
    assert second.best == first.best
    assert (first.probabilities() == second.probabilities()).all()

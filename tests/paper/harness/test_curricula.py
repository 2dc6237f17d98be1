"""The curricula that are compared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.curriculum.curriculum import Curriculum
from taskspace.paper.harness.curricula import (
    BlackBox,
    Fixed,
    PrioritizedReplay,
    Proximal,
    SampledLearnability,
    Trial,
)
from taskspace.paper.harness.curriculum_trial import train
from taskspace.paper.harness.ppo import Episodes, Settings

ENV = ts.make("MultiKeyNav")
POOL = ENV.sample_tasks(200, seed=0)
SMALL = Settings(copies=32, rollout=16, batch=256, hidden=(16,))


class Known:
    """A learner that solves the first half of the tasks half of the time, and no others."""

    def play(self, tasks: Any, seed: int) -> Any:
        first = (tasks[:, None, :] == POOL[None, :100]).all(2).any(1)
        return first & (np.random.default_rng(seed).random(len(tasks)) < 0.5), 7 * len(tasks)

    def values(self, tasks: Any) -> Any:
        return np.where(np.arange(len(tasks)) < 100, 0.5, 0.0).astype(np.float32)


def test_replay_prefers_large_scores_and_stale_tasks() -> None:
    replay = PrioritizedReplay(500, 0, temperature=0.3, staleness=0.2, replay=1.0)
    tasks = np.arange(200)
    replay.observe(Episodes(tasks, np.zeros(200), np.linspace(1, 0, 200)))
    drawn = replay.draw(2000)
    assert (drawn < 200).all()
    assert np.mean(drawn < 10) > 0.5
    replay.observe(Episodes(tasks[:100], np.zeros(100), np.linspace(1, 0.5, 100)))
    weights = replay._weights(tasks)
    assert weights.sum() == pytest.approx(1)
    assert weights[150] > weights[90]  # of a lower score, but not seen for longer


def test_replay_forgets_the_lowest_scores() -> None:
    replay = PrioritizedReplay(500, 0, temperature=1, staleness=0, replay=1.0, capacity=120)
    replay.observe(Episodes(np.arange(200), np.zeros(200), np.linspace(1, 0, 200)))
    assert (np.flatnonzero(replay.scores >= 0) == np.arange(120)).all()


def test_probes_find_what_is_learnable_and_count_steps() -> None:
    learner: Any = Known()
    sampled = SampledLearnability(POOL, 0, tasks=100, rollouts=4, kept=20, every=3)
    assert sampled.probe(learner) == 7 * 400
    assert (sampled.chosen < 100).all()
    assert sampled.probe(learner) == 0
    for rollouts in (0, 4):
        proximal = Proximal(POOL, 0, sharpness=50, rollouts=rollouts, tasks=200)
        assert proximal.probe(learner) == 7 * 200 * rollouts
        assert np.mean(proximal.draw(1000) < 100) > 0.9


def test_areas_and_levels() -> None:
    trial = Trial([10, 20], [0.0, 1.0])
    assert trial.area == pytest.approx(0.25)
    assert trial.steps_to(0.5) == 20
    assert trial.steps_to(1.5) == np.inf
    assert Trial(**trial.as_row()) == trial


@pytest.mark.parametrize("kind", ["fixed", "black box"])
def test_a_training_is_measured(kind: str) -> None:
    chooser: Any = Fixed(np.ones(200), 0)
    if kind == "black box":
        chooser = BlackBox(Curriculum(POOL, seed=0))
    snapshots: list[Any] = []
    trial = train(
        ENV, POOL, POOL[:20], chooser,
        steps=3000, seed=0, settings=SMALL, snapshot=snapshots.append,
    )  # fmt: skip
    assert trial.steps[-1] >= 3000
    assert len(trial.steps) == len(trial.success) == len(snapshots)
    assert 0 <= trial.worst_tenth <= 1
    assert 0 < trial.chooser_seconds < trial.seconds

"""One training under a curriculum, measured on held-out tasks."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from taskspace.agents.agent import Agent
from taskspace.envs.base import Environment, Tasks
from taskspace.paper.harness.curricula import TaskChooser, Trial
from taskspace.paper.harness.ppo import Learner, Settings

EVALUATE_EVERY = 3  # updates
LAST_ROLLOUTS = 10  # per held-out task at the end, for the worst tenth


def train(
    env: Environment,
    pool: Tasks,
    held_out: Tasks,
    chooser: TaskChooser,
    *,
    steps: int,
    seed: int,
    settings: Settings = Settings(),  # noqa: B008
    snapshot: Callable[[Agent], Any] | None = None,
) -> Trial:
    """Train a learner from scratch; extra rollouts of the curriculum count as steps."""
    learner, trial, probes, updates = Learner(env, pool, settings, seed), Trial(), 0, 0
    begin = time.process_time()
    with threadpool_limits(1):
        while learner.steps + probes < steps:
            start = time.process_time()
            probes += chooser.probe(learner)
            watch = _Watch(chooser)
            trial.chooser_seconds += time.process_time() - start
            watch.observe(learner.train(watch.draw))
            trial.chooser_seconds += watch.seconds
            updates += 1
            if updates % EVALUATE_EVERY == 0 or learner.steps + probes >= steps:
                paused = time.process_time()
                solved, _ = learner.play(held_out, seed=updates)
                trial.steps.append(learner.steps + probes)
                trial.success.append(float(solved.mean()))
                if snapshot is not None:
                    name = f"seed{seed}-{learner.steps}"
                    policy = learner.actor.policy()
                    snapshot(Agent(name, policy, f"seed{seed}", learner.steps))
                begin += time.process_time() - paused
        trial.seconds = time.process_time() - begin
        solved, _ = learner.play(np.repeat(held_out, LAST_ROLLOUTS, axis=0), seed=0)
    rates = np.sort(solved.reshape(-1, LAST_ROLLOUTS).mean(1))
    trial.worst_tenth = float(rates[: max(1, len(rates) // 10)].mean())
    return trial


class _Watch:
    """A curriculum with the time that it takes."""

    def __init__(self, chooser: TaskChooser) -> None:
        self.chooser, self.seconds = chooser, 0.0

    def draw(self, n: int) -> Any:
        start = time.process_time()
        drawn = self.chooser.draw(n)
        self.seconds += time.process_time() - start
        return drawn

    def observe(self, episodes: Any) -> None:
        start = time.process_time()
        self.chooser.observe(episodes)
        self.seconds += time.process_time() - start

"""Curricula to compare: each draws tasks, and sees what its authors let it see.

The settings of other authors' methods were chosen on seeds that are not reported
(`taskspace.paper.curriculum`).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from taskspace.curriculum.curriculum import Curriculum
from taskspace.paper.harness.ppo import Episodes, Learner

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class TaskChooser(Protocol):
    """What the harness asks of a curriculum."""

    def probe(self, learner: Learner) -> int:
        """Prepare for the next update; returns the environment steps of extra rollouts."""

    def draw(self, n: int) -> Integers:
        """Choose tasks."""

    def observe(self, episodes: Episodes) -> None:
        """Take in finished training episodes."""


class Fixed:
    """IID: tasks from a fixed distribution.

    >>> set(Fixed(np.array([0.0, 1.0]), seed=0).draw(5).tolist())
    {1}
    """

    def __init__(self, weights: Floats, seed: int) -> None:
        self.rng = np.random.default_rng([seed, 3])
        self._set(weights)

    def _set(self, weights: Floats) -> None:
        self.cumulative = np.cumsum(weights / weights.sum())

    def probe(self, learner: Learner) -> int:
        """No extra rollouts."""
        return 0

    def draw(self, n: int) -> Integers:
        """Choose tasks by the weights."""
        last = len(self.cumulative) - 1
        return np.minimum(np.searchsorted(self.cumulative, self.rng.random(n), "right"), last)

    def observe(self, episodes: Episodes) -> None:
        """Learn nothing."""


@dataclass
class BlackBox:
    """A `Curriculum`, which sees only successes."""

    curriculum: Curriculum

    def probe(self, learner: Learner) -> int:
        """No extra rollouts."""
        return 0

    def draw(self, n: int) -> Integers:
        """Choose tasks."""
        return self.curriculum.sample(n)

    def observe(self, episodes: Episodes) -> None:
        """Take in results."""
        self.curriculum.observe(episodes.tasks, episodes.successes)


class PrioritizedReplay(Fixed):
    """PLR: replays tasks of large absolute advantage (white box), by rank, and stale ones."""

    def __init__(
        self, count: int, seed: int, *, temperature: float, staleness: float, replay: float,
        capacity: int = 4000,
    ) -> None:  # fmt: skip
        super().__init__(np.ones(count), seed)
        self.temperature, self.staleness, self.replay = temperature, staleness, replay
        self.capacity, self.clock = capacity, 0
        self.scores, self.seen = np.full(count, -1.0), np.zeros(count)
        self.known, self.replayed = np.zeros(0, np.int64), np.zeros(0)

    def draw(self, n: int) -> Integers:
        """Replay known tasks with a fixed probability, otherwise draw any task."""
        drawn = super().draw(n)
        again = self.rng.random(n) < self.replay
        if len(self.known) >= 100 and again.any():
            places = np.searchsorted(self.replayed, self.rng.random(int(again.sum())), "right")
            drawn[again] = self.known[np.minimum(places, len(self.known) - 1)]
        return drawn

    def _weights(self, known: Integers) -> Floats:
        ranks = np.empty(len(known))
        ranks[np.argsort(-self.scores[known])] = np.arange(1, len(known) + 1)
        by_score = (1 / ranks) ** (1 / self.temperature)
        stale = self.clock - self.seen[known] + 1e-9
        mixed = (1 - self.staleness) * by_score / by_score.sum()
        return mixed + self.staleness * stale / stale.sum()

    def observe(self, episodes: Episodes) -> None:
        """Score the tasks; beyond the capacity, the lowest scores are forgotten."""
        self.clock += 1
        self.scores[episodes.tasks] = episodes.scores
        self.seen[episodes.tasks] = self.clock
        known = np.flatnonzero(self.scores >= 0)
        if len(known) > self.capacity:
            least = np.argsort(self.scores[known])[: len(known) - self.capacity]
            self.scores[known[least]] = -1.0
        self.known = np.flatnonzero(self.scores >= 0)
        self.replayed = np.cumsum(self._weights(self.known))


class SampledLearnability(Fixed):
    """SFL: now and then plays many random tasks, and trains on those of largest p (1 - p).

    The steps of these rollouts count.
    """

    def __init__(
        self, pool: NDArray[np.float64], seed: int, *, tasks: int, rollouts: int, kept: int,
        every: int, replay: float = 0.5,
    ) -> None:  # fmt: skip
        super().__init__(np.ones(len(pool)), seed)
        self.pool, self.tasks, self.rollouts, self.kept = pool, tasks, rollouts, kept
        self.every, self.replay, self.updates = every, replay, 0
        self.chosen = np.zeros(0, np.int64)

    def probe(self, learner: Learner) -> int:
        """Estimate the learnability of random tasks by rollouts."""
        self.updates += 1
        if self.updates % self.every != 1:
            return 0
        some = self.rng.choice(len(self.pool), self.tasks, replace=False)
        solved, steps = learner.play(
            np.repeat(self.pool[some], self.rollouts, axis=0), seed=int(self.rng.integers(2**31))
        )
        p = solved.reshape(-1, self.rollouts).mean(1)
        best = np.argsort(-p * (1 - p), kind="stable")[: self.kept]
        self.chosen = some[best[(p * (1 - p))[best] > 0]]
        return steps

    def draw(self, n: int) -> Integers:
        """Half of the tasks are those of largest learnability, the others random."""
        drawn = super().draw(n)
        again = self.rng.random(n) < self.replay
        if len(self.chosen) and again.any():
            drawn[again] = self.rng.choice(self.chosen, int(again.sum()))
        return drawn


class Proximal(Fixed):
    """ProCuRL: tasks by exp(sharpness p (1 - p)), where p comes from the critic or rollouts."""

    def __init__(
        self, pool: NDArray[np.float64], seed: int, *, sharpness: float, rollouts: int = 0,
        tasks: int = 0, every: int = 1,
    ) -> None:  # fmt: skip
        super().__init__(np.ones(len(pool)), seed)
        self.pool, self.sharpness, self.every, self.updates = pool, sharpness, every, 0
        self.rollouts, self.tasks = rollouts, tasks

    def probe(self, learner: Learner) -> int:
        """Estimate p for all tasks by the critic, or for random tasks by rollouts."""
        self.updates += 1
        if self.updates % self.every:
            return 0
        if not self.rollouts:
            values = np.clip(learner.values(self.pool).astype(np.float64), 0, 1)
            self._set(np.exp(self.sharpness * values * (1 - values)))
            return 0
        some = self.rng.choice(len(self.pool), self.tasks, replace=False)
        solved, steps = learner.play(
            np.repeat(self.pool[some], self.rollouts, axis=0), seed=int(self.rng.integers(2**31))
        )
        p = solved.reshape(-1, self.rollouts).mean(1)
        weights = np.zeros(len(self.pool))
        weights[some] = np.exp(self.sharpness * p * (1 - p))
        self._set(weights)
        return steps


@dataclass
class Trial:
    """The course of one training: held-out success over environment steps."""

    steps: list[int] = field(default_factory=list)
    success: list[float] = field(default_factory=list)
    worst_tenth: float = 0.0
    seconds: float = 0.0
    chooser_seconds: float = 0.0

    @property
    def area(self) -> float:
        """The area under the curve: mean success over all steps."""
        x, y = np.array([0, *self.steps], float), np.array([0.0, *self.success])
        return float(np.trapezoid(y, x) / x[-1])

    def steps_to(self, level: float) -> float:
        """The steps until held-out success first reaches a level; infinity if it never does."""
        above = np.flatnonzero(np.array(self.success) >= level)
        return float(self.steps[above[0]]) if len(above) else float("inf")

    def as_row(self) -> dict[str, Any]:
        """The fields, as plain values."""
        return asdict(self)

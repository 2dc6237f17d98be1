"""Ways to choose the tasks of a short test: the most informative, random, disputed, anchor points.

Every way is a function of the population and of the limits that a choice must keep: at least so
many tasks per label, and no two near-copies. Tasks are numbered.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from taskspace.models.linear_population import LinearPopulation, Shrinkage

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

MOST_CLUSTERED = 5000  # tasks from which anchor points are made; of more, some are drawn


@dataclass(frozen=True, eq=False)
class Limits:
    """What a choice of tasks must keep."""

    labels: Numbers  # the number of each task's label; -1 for a task without one
    least: int = 0  # tasks per label, or all tasks of a label that has fewer
    copies: Mapping[int, Numbers] = field(default_factory=dict)  # near-copies of a task

    @property
    def least_per_label(self) -> Numbers:
        """The least number of tasks of each label."""
        return np.minimum(self.sizes, self.least)

    @property
    def sizes(self) -> Numbers:
        """The number of tasks of each label."""
        return np.bincount(self.labels[self.labels >= 0], minlength=1)


class _Room:
    """Which tasks may be chosen next, as a choice of `k` tasks grows."""

    def __init__(self, k: int, limits: Limits) -> None:
        self.chosen: list[int] = []
        self._k, self._limits = k, limits
        self._left = np.ones(len(limits.labels), np.bool_)
        self._copies = np.zeros(len(limits.labels), np.bool_)
        self._owed = limits.least_per_label.copy()

    def best(self, scores: NDArray[np.floating]) -> int:
        """The allowed task with the highest score; it is chosen."""
        open_ = self._left
        if self._owed.sum() >= self._k - len(self.chosen):  # the rest is owed to some labels
            open_ = open_ & (np.append(self._owed, 0) > 0)[self._limits.labels]
        # Near-copies come last: when nothing else is left, the choice says that it has some.
        if (open_ & ~self._copies).any():
            open_ = open_ & ~self._copies
        task = int(np.where(open_, scores, -np.inf).argmax())
        self.chosen.append(task)
        self._left[task] = False
        self._copies[self._limits.copies.get(task, [])] = True
        label = self._limits.labels[task]
        if label >= 0:
            self._owed[label] = max(self._owed[label] - 1, 0)
        return task


def informative(
    population: LinearPopulation, targets: Floats, k: int, limits: Limits
) -> Numbers:
    """The tasks after which the scores are known best, chosen one after the other.

    `targets` (tasks, scores) has the weight of every task in every score. Each task is the one
    that most reduces the sum of the variances of the scores under the population model, given all
    that are chosen already (A-optimal design). All is computed in coordinates of the agents, so
    that a step costs agents x tasks.
    """
    signal, noise = _signal(population), population.variances.astype(np.float32)
    aims = signal @ targets.astype(np.float32)
    if population.tried is not None:
        # Rates that were never observed are predictions, which agree with everything. They count
        # as the mean, so that a task is not chosen for what was only predicted.
        signal[:-1] *= population.tried
    explained = aims.T @ signal  # (scores, tasks): covariance of score and result, given the rest
    spread = np.einsum("at,at->t", signal, signal)  # variance of the signal, given the rest
    unknown = np.eye(len(signal), dtype=np.float32)
    room = _Room(k, limits)
    for _ in range(k):
        task = room.best(np.einsum("st,st->t", explained, explained) / (noise + spread))
        learned = unknown @ signal[:, task]
        total = noise[task] + spread[task]
        shared = (learned @ signal) / total
        explained -= np.outer(aims.T @ learned, shared)
        spread = np.maximum(spread - total * shared**2, 0.0)
        unknown -= np.outer(learned, learned) / total
    return np.array(room.chosen)


def _signal(population: LinearPopulation) -> NDArray[np.float32]:
    """Rows whose products are the covariances of the model: the agents, and the common factor."""
    rates, settings = population.rates, Shrinkage()
    agents = (rates - rates.mean(0)) / np.sqrt(np.float32(settings.noise * len(rates)))
    common = np.sqrt(settings.common) * population.common[None]
    return np.concatenate([agents, common]).astype(np.float32)


def disputed(population: LinearPopulation, k: int, limits: Limits) -> Numbers:
    """The tasks whose success rates are nearest to 0.5."""
    return _highest(-np.abs(population.rates.mean(0, dtype=np.float64) - 0.5), k, limits)


def at_random(k: int, limits: Limits, rng: np.random.Generator) -> Numbers:
    """Random tasks."""
    return _highest(rng.random(len(limits.labels)), k, limits)


def _highest(scores: Floats, k: int, limits: Limits) -> Numbers:
    room = _Room(k, limits)
    for _ in range(k):
        room.best(scores)
    return np.array(room.chosen)


def anchor_points(
    population: LinearPopulation, k: int, limits: Limits, rng: np.random.Generator
) -> tuple[Numbers, Floats]:
    """The tasks nearest to the centres of k clusters of tasks, and the fractions of tasks in them.

    Tasks are clustered by their success rates for the agents, by k-means, within each label. It is
    the published way to choose a short test for language models. If there are fewer different
    tasks than clusters, random tasks follow, which have the weight 0.
    """
    room = _Room(k, replace(limits, least=0))
    weights: list[float] = []
    for label, count in enumerate(shares(k, limits)):
        members = rng.permutation(np.flatnonzero(limits.labels == label))[:MOST_CLUSTERED]
        if not count:
            continue
        distances, sizes = _distances(population.rates[:, members].T, count, rng)
        whole = limits.sizes[label] / limits.sizes.sum()
        for distance, size in zip(distances.T, sizes.tolist(), strict=True):
            scores = np.full(len(limits.labels), -np.inf)
            scores[members] = -distance
            room.best(scores)
            weights.append(size * whole)
    shuffled = rng.random(len(limits.labels))
    while len(room.chosen) < k:
        room.best(shuffled)
        weights.append(0.0)
    return np.array(room.chosen), np.array(weights)


def _distances(
    profiles: NDArray[np.float32], count: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Distances (rows, clusters) to the centres of clusters, and the fraction of rows in each."""
    from sklearn.cluster import KMeans

    distinct = min(count, len(np.unique(profiles, axis=0)))  # k-means cannot find more
    seed = int(rng.integers(2**31))
    found = KMeans(distinct, n_init=1, max_iter=50, random_state=seed).fit(profiles)
    return found.transform(profiles), np.bincount(found.labels_, minlength=distinct) / len(profiles)


def shares(k: int, limits: Limits) -> list[int]:
    """How many of k tasks each label gets: at least the limit, the rest in proportion to its size.

    >>> shares(6, Limits(np.array([0] * 8 + [1] * 2), least=1))
    [5, 1]
    """
    sizes, found = limits.sizes, limits.least_per_label.copy()
    for _ in range(min(k, int(sizes.sum())) - int(found.sum())):
        lacking = np.where(found < sizes, k * sizes / sizes.sum() - found, -np.inf)
        found[lacking.argmax()] += 1
    counts: list[int] = found.tolist()
    return counts


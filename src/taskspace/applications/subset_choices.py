"""Ways to choose the tasks of a short test: informative, half random, disputed, anchor points."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.applications.subset_limits import Limits, Room
from taskspace.models.linear_population import Floats, LinearPopulation, Numbers, Shrinkage

MOST_CLUSTERED = 5000  # tasks of a label from which clusters are made; of more, some are drawn
# New agents differ from the known ones in ways that the population model does not have. They are
# taken to be better or worse at whole clusters of tasks, and at the tasks of a label, so that the
# choice covers them all. The numbers were chosen on Animal-AI, MiniGrid, HELM-Lite and simulated
# tables (seeds 1 to 4 of divisions and tables, which no reported figure uses).
CLUSTERS = 20
CLUSTER_VARIANCE, LABEL_VARIANCE = 0.2, 0.03  # of these factors, in variances of a task


def informative(
    population: LinearPopulation,
    targets: Floats,
    k: int,
    limits: Limits,
    rng: np.random.Generator,
) -> Numbers:
    """The tasks after which the scores are known best, chosen one after the other.

    `targets` (tasks, scores) has the weight of every task in every score. Each task is the one
    that most reduces the sum of the variances of the scores, given all that are chosen already
    (A-optimal design), under the population model with factors of clusters. All is computed in
    coordinates of the factors, so that a step costs factors x tasks.
    """
    factors, noise = _factors(population, limits, rng), population.variances.astype(np.float32)
    aims, own = factors @ targets.astype(np.float32), targets.T.astype(np.float32) * noise
    if population.tried is not None:
        # Rates that were never observed are predictions, which agree with everything. They
        # count as the mean, so that a task is not chosen for what was only predicted.
        factors[: len(population.tried)] *= population.tried
    # Given the tasks that are chosen: covariances of scores and results; variances of results.
    explained = aims.T @ factors + own
    spread = noise + np.einsum("ft,ft->t", factors, factors)
    unknown = np.eye(len(factors), dtype=np.float32)  # covariance of the factors
    room = Room(k, limits)
    for _ in range(k):
        task = room.take(np.einsum("st,st->t", explained, explained) / spread)
        learned, total = unknown @ factors[:, task], spread[task]
        shared = (learned @ factors) / total
        explained -= np.outer(explained[:, task], shared)
        spread = np.maximum(spread - total * shared**2, noise)
        unknown -= np.outer(learned, learned) / total
    return np.array(room.chosen)


def half_random(
    population: LinearPopulation,
    targets: Floats,
    k: int,
    limits: Limits,
    rng: np.random.Generator,
) -> Numbers:
    """Informative tasks, and as many random ones, of each label if there are any.

    Informative tasks are those that the population model explains best, so that they do not tell
    how far a new agent is from it on the others. Random tasks tell this without bias.
    """
    fewer = replace(limits, least=limits.least // 2)
    first = informative(population, targets, (k + 1) // 2, fewer, rng)
    scores = rng.random(len(limits.labels))
    scores[first] = 1 + np.arange(len(first), 0, -1)  # before all others, in this order
    return _highest(scores, k, limits)


def _factors(
    population: LinearPopulation, limits: Limits, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Rows whose products are covariances: agents, the common factor, clusters and labels."""
    rates, settings, deviations = population.rates, Shrinkage(), np.sqrt(population.variances)
    agents, tasks = rates.shape
    fitted, _ = _k_means(rates.T, CLUSTERS, rng)
    count = agents + 1 + fitted.n_clusters
    labels = len(limits.sizes) if len(limits.sizes) > 1 else 0
    checks.fits_memory(8 * tasks * (count + labels), "the factors of tasks")
    rows = np.zeros((count + labels, tasks), np.float32)
    rows[:agents] = (rates - rates.mean(0)) / np.sqrt(settings.noise * agents)
    rows[agents] = np.sqrt(settings.common) * population.common
    cluster = agents + 1 + fitted.predict(np.ascontiguousarray(rates.T))
    rows[cluster, np.arange(tasks)] = np.sqrt(CLUSTER_VARIANCE) * deviations
    if labels:
        known = np.flatnonzero(limits.labels >= 0)
        rows[count + limits.labels[known], known] = np.sqrt(LABEL_VARIANCE) * deviations[known]
    return rows


def _k_means(
    profiles: NDArray[np.float32], count: int, rng: np.random.Generator
) -> tuple[Any, Numbers]:
    """K-means of some of the rows, and which rows these are."""
    from sklearn.cluster import KMeans

    some = rng.permutation(len(profiles))[:MOST_CLUSTERED]
    distinct = min(count, len(np.unique(profiles[some], axis=0)))  # k-means cannot find more
    seed = int(rng.integers(2**31))
    return KMeans(distinct, n_init=1, max_iter=30, random_state=seed).fit(profiles[some]), some


def disputed(population: LinearPopulation, k: int, limits: Limits) -> Numbers:
    """The tasks whose success rates are nearest to 0.5."""
    return _highest(-np.abs(population.rates.mean(0, dtype=np.float64) - 0.5), k, limits)


def at_random(k: int, limits: Limits, rng: np.random.Generator) -> Numbers:
    """Random tasks."""
    return _highest(rng.random(len(limits.labels)), k, limits)


def _highest(scores: Floats, k: int, limits: Limits) -> Numbers:
    room = Room(k, limits)
    return np.array([room.take(scores) for _ in range(k)])


def anchor_points(
    population: LinearPopulation, k: int, limits: Limits, rng: np.random.Generator
) -> tuple[Numbers, Floats]:
    """The tasks nearest to the centres of k clusters of tasks, and the fractions of tasks in them.

    Tasks are clustered by their success rates for the agents, by k-means, within each label. It is
    the published way to choose a short test for language models. If there are fewer different
    tasks than clusters, random tasks follow, which have the weight 0.
    """
    room, shuffled = Room(k, replace(limits, least=0)), rng.random(len(limits.labels))
    weights: list[float] = []
    for label, count in enumerate(limits.shares(k)):
        members = np.flatnonzero(limits.labels == label)
        if not count:
            continue
        profiles = population.rates[:, members].T
        fitted, some = _k_means(profiles, count, rng)
        sizes = np.bincount(fitted.labels_, minlength=fitted.n_clusters) / len(some)
        for distances, size in zip(fitted.transform(profiles[some]).T, sizes, strict=True):
            scores = np.full(len(shuffled), -np.inf)
            scores[members[some]] = -distances
            room.take(scores)
            weights.append(float(size) * len(members) / int(limits.sizes.sum()))
    while len(room.chosen) < k:
        room.take(shuffled)
        weights.append(0.0)
    return np.array(room.chosen), np.array(weights)

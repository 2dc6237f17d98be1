"""The map of a table of results: principal-axis factoring of the estimated similarities.

The similarities of pairs of tasks are estimates from the agents that tried both; that of a task
with itself cannot be estimated from single attempts. Therefore each entry of the matrix that is
decomposed is a weighted mean of the estimate and of what the map itself says. The weight is
proportional to the number of agents, and 0 on the diagonal and for unknown pairs. Decomposition and
filling alternate until the map no longer changes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taskspace.models.embedding.spectral import canonical_rotation, eigen, enough_dimensions
from taskspace.similarity.chance import parallel_analysis
from taskspace.similarity.estimates import agents_together, estimates
from taskspace.similarity.task_statistics import TaskStatistics

Floats = NDArray[np.float64]

MOST_LANDMARKS = 1000  # tasks whose similarities are decomposed; others are placed among them
_ROUNDS = 200
_ENOUGH = 1e-5  # rounds end when the relative change of the map is smaller


@dataclass(frozen=True, eq=False)
class Estimates:
    """Estimated similarities of tasks, and how much each one counts."""

    values: Floats  # (rows, columns)
    weights: Floats  # (rows, columns), from 0 (unknown) to 1 (from the largest number of agents)

    @classmethod
    def of(
        cls,
        statistics: TaskStatistics,
        rows: NDArray[np.int64],
        columns: NDArray[np.int64],
        measure: str,
    ) -> Estimates:
        """The estimates for some pairs of tasks."""
        values = estimates(statistics, rows, columns, measure)
        agents = agents_together(statistics, rows, columns)
        known = np.isfinite(values) & (rows[:, None] != columns)
        most = statistics.rates.shape[1] if statistics.tried is None else _most_tries(statistics)
        return cls(np.where(known, values, 0.0), np.where(known, agents / most, 0.0))


def check_size(size: int | str, tasks: int, what: str = "n_components") -> None:
    """Refuse more dimensions than there are tasks, whose similarities have no more."""
    if size != "auto" and int(size) > tasks:
        raise ValueError(f"{what} must be at most {tasks}, the number of tasks, got {size}")


def fit_table(
    statistics: TaskStatistics, size: int | str, measure: str, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """The vectors (tasks, dimensions) of all tasks, and the eigenvalues that exceed chance.

    With "auto", the map has the dimensions that keep 95 % of what exceeds chance.

    >>> from taskspace.similarity.statistics import SuccessStatistics
    >>> rng = np.random.default_rng(0)
    >>> skills = np.repeat(rng.normal(size=(400, 2)), 10, axis=1)  # ten tasks for each of two
    >>> solved = rng.random((400, 20)) < 1 / (1 + np.exp(-2 * skills))
    >>> statistics = SuccessStatistics.from_rates(solved)
    >>> vectors, values = fit_table(statistics, "auto", "information", rng)
    >>> vectors.shape
    (20, 2)
    """
    landmarks = _landmarks(statistics, rng)
    given = Estimates.of(statistics, landmarks, landmarks, measure)
    bounds = statistics.bounds(measure)[landmarks]
    supported = dimensions_above_chance(statistics, landmarks, rng)
    lengths = np.linalg.svd(_factor(given, bounds, supported), compute_uv=False)
    values = np.square(lengths[lengths > 0], dtype=np.float64)
    count = enough_dimensions(values) if size == "auto" else int(size)
    found = _factor(given, bounds, count)
    vectors = np.empty((statistics.n_tasks, count))
    vectors[landmarks] = found
    others = np.setdiff1d(np.arange(statistics.n_tasks), landmarks)
    for some in np.array_split(others, -(-len(others) // MOST_LANDMARKS) or 1):
        vectors[some] = _place(Estimates.of(statistics, some, landmarks, measure), found, given)
    return vectors, values


def dimensions_above_chance(
    statistics: TaskStatistics, tasks: NDArray[np.int64], rng: np.random.Generator
) -> int:
    """The number of dimensions that the results support, at least 1, by parallel analysis."""
    return max(1, parallel_analysis(statistics, tasks, rng).above)


def _landmarks(statistics: TaskStatistics, rng: np.random.Generator) -> NDArray[np.int64]:
    """The tasks that most agents tried; ties are broken at random."""
    order = rng.permutation(statistics.n_tasks)
    if statistics.tried is not None:
        order = order[np.argsort(-statistics.tried.sum(1)[order], kind="stable")]
    return np.sort(order[:MOST_LANDMARKS])


def _most_tries(statistics: TaskStatistics) -> int:
    assert statistics.tried is not None
    return int(statistics.tried.sum(1).max())


def _factor(given: Estimates, bounds: Floats, size: int) -> Floats:
    """The vectors of the landmarks (tasks, size), on canonical axes."""
    filled = given.values.copy()
    np.fill_diagonal(filled, np.minimum(np.abs(filled).max(1), bounds))
    vectors = _leading(*eigen(filled), size)
    for _ in range(_ROUNDS):
        own = _gram(vectors)
        np.fill_diagonal(own, np.minimum(np.diagonal(own), bounds))
        filled = given.weights * given.values + (1 - given.weights) * own
        before, vectors = vectors, _next(filled, vectors)
        change = np.linalg.norm(vectors @ vectors.T - before @ before.T)
        if change <= _ENOUGH * np.linalg.norm(filled):
            break
    return vectors @ canonical_rotation(vectors)


def _next(filled: Floats, vectors: Floats) -> Floats:
    """One step towards the leading eigenvectors: those within the span of `filled @ vectors`."""
    basis = np.linalg.qr(filled @ vectors)[0]
    values, turn = np.linalg.eigh(basis.T @ filled @ basis)
    scaled: Floats = (basis @ turn) * np.sqrt(np.maximum(values, 0.0))
    return scaled[:, ::-1]


def _leading(values: Floats, axes: Floats, size: int) -> Floats:
    vectors = axes[:, :size] * np.sqrt(values[:size])
    return np.pad(vectors, ((0, 0), (0, size - vectors.shape[1])))


def _gram(vectors: Floats) -> Floats:
    return vectors @ vectors.T


def _place(estimated: Estimates, landmarks: Floats, given: Estimates) -> Floats:
    """The vectors of other tasks, from their similarities to the landmarks.

    They are the posterior means of a linear regression on the landmarks' vectors: the prior is the
    spread of these, and the noise is what the map of the landmarks leaves unexplained.
    """
    size = landmarks.shape[1]
    left = given.weights * (given.values - _gram(landmarks)) ** 2
    noise = max(float(left.sum() / max(given.weights.sum(), 1e-12)), 1e-12)
    spread = landmarks.T @ landmarks / len(landmarks) + 1e-9 * np.eye(size)
    informed = np.einsum("tl,li,lj->tij", estimated.weights, landmarks, landmarks, optimize=True)
    pull = (estimated.weights * estimated.values) @ landmarks
    placed: Floats = np.linalg.solve(informed + noise * np.linalg.inv(spread), pull[:, :, None])[
        :, :, 0
    ]
    return placed

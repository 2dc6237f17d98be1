"""The logistic low-rank model: logit p[a, t] = bias[t] + u[a] · v[t], with Gaussian priors.

An agent's factors u are standard normal. A task's (bias, v) is normal around the mean over all
tasks; that mean and the spread in every dimension are learned. With one dimension and no spread,
all tasks have the same loading v, and the model is Rasch's.

Learning is variational: every agent and every task has a Gaussian, and the logistic function is
replaced by its quadratic bound (Jaakkola and Jordan), so that each update is a small least-squares
problem in closed form. The result is deterministic.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

ITERATIONS = 60
_ENOUGH = 1e-3  # learning ends when the relative change of the tasks' means is smaller
_LEAST_VARIANCE = 1e-2  # of the biases, also if all tasks are equally hard
_MOST_AT_ONCE = 1 << 17  # pairs of agent and task per block, so that it stays in the cache
_LEAST_AT_ONCE = 8  # agents per block, because each block adds a number to every task


@dataclass(frozen=True, eq=False)
class Gaussians:
    """n Gaussians, one per agent or task."""

    mean: Floats  # (n, d)
    covariance: Floats  # (n, d, d)

    @functools.cached_property
    def moments(self) -> Floats:
        """Second moments (n, pairs), each pair of coordinates once: they are symmetric."""
        first, second = _pairs(self.mean.shape[1])
        return self.mean[:, first] * self.mean[:, second] + self.covariance[:, first, second]

    @property
    def doubled(self) -> Floats:
        """The moments by which those of others are multiplied: pairs of two stand for both."""
        first, second = _pairs(self.mean.shape[1])
        return self.moments * np.where(first == second, 1.0, 2.0)

    def part(self, rows: slice) -> Gaussians:
        """Some of the Gaussians."""
        return Gaussians(self.mean[rows], self.covariance[rows])

    def moved(self, shift: Floats, turn: Floats) -> Gaussians:
        """The Gaussians of `turn` times (x - shift)."""
        # As two products of large matrices; covariances are symmetric.
        half = self.covariance.reshape(-1, len(turn)) @ turn.T
        both = half.reshape(self.covariance.shape).swapaxes(1, 2).reshape(half.shape) @ turn.T
        return Gaussians((self.mean - shift) @ turn.T, both.reshape(self.covariance.shape))

    def after_one(self) -> Gaussians:
        """The Gaussians with a constant first coordinate 1, which multiplies the bias."""
        count, size = self.mean.shape
        mean, covariance = np.ones((count, 1 + size)), np.zeros((count, 1 + size, 1 + size))
        mean[:, 1:], covariance[:, 1:, 1:] = self.mean, self.covariance
        return Gaussians(mean, covariance)


@functools.lru_cache
def _pairs(size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The pairs of coordinates, each one once."""
    first, second = np.triu_indices(size)
    return first, second


def square(packed: NDArray[np.floating], size: int) -> Floats:
    """Symmetric matrices (n, size, size) of their upper halves (n, pairs)."""
    first, second = _pairs(size)
    found = np.empty((len(packed), size, size))
    found[:, first, second] = found[:, second, first] = packed
    return found


@dataclass(frozen=True, eq=False)
class Factors:
    """Posterior of the agents' factors u and of the tasks' (bias, v)."""

    agents: Gaussians  # (agents, rank)
    tasks: Gaussians  # (tasks, 1 + rank)

    def probabilities(self) -> Floats:
        """Success probabilities (agents, tasks)."""
        chances = np.empty((len(self.agents.mean), len(self.tasks.mean)))
        for rows in blocks(*chances.shape):
            chances[rows] = _success(self.agents.part(rows).after_one(), self.tasks)
        return chances


def _success(agents: Gaussians, tasks: Gaussians) -> Floats:
    """Mean success probability, by the probit approximation of the logistic of a Gaussian."""
    mean = agents.mean @ tasks.mean.T
    variance = np.maximum(agents.moments @ tasks.doubled.T - mean**2, 0.0)
    odds: Floats = np.exp(np.clip(mean / np.sqrt(1 + np.pi / 8 * variance), -30, 30))
    return odds / (1 + odds)


def fit_factors(
    successes: Floats,
    attempts: Floats,
    rank: int,
    least_spread: float,
    iterations: int = ITERATIONS,
) -> Factors:
    """Fit the factors to tables (agents, tasks); a pair with 0 attempts was never tried.

    `least_spread` is the smallest standard deviation of the loadings between tasks in each
    dimension. A small value lets learning switch dimensions off, which requires many results.

    >>> successes = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [1, 1, 1, 0]], float)
    >>> factors = fit_factors(successes, np.ones((3, 4)), rank=1, least_spread=0.1)
    >>> factors.probabilities().mean(0).round(1)  # 2, 3, 2, 0 of 3, shrunk to the mean
    array([0.6, 0.7, 0.6, 0.3])
    """
    agents, tasks = _start(successes, attempts, rank)
    results = _Results.of(successes, attempts)
    centre, variance = tasks.mean.mean(0), np.ones(1 + rank)
    centre[1] = 1.0  # agents that solve one task tend to solve others
    for _ in range(iterations):
        before = tasks.mean
        tasks = _update_tasks(results, agents, tasks, centre, 1 / variance)
        centre, variance = task_prior(tasks, least_spread)
        agents = _update_agents(results, agents, tasks)
        agents, tasks, centre = _standardize(agents, tasks, centre)
        if np.abs(tasks.mean - before).mean() < _ENOUGH * np.abs(before).mean():
            break
    return Factors(agents, tasks)


def blocks(agents: int, tasks: int) -> Iterator[slice]:
    """Divide the agents into blocks of a bounded number of pairs."""
    step = max(_MOST_AT_ONCE // max(tasks, 1), _LEAST_AT_ONCE)
    for start in range(0, agents, step):
        yield slice(start, min(start + step, agents))


def _start(successes: Floats, attempts: Floats, rank: int) -> tuple[Gaussians, Gaussians]:
    """Initial biases from success rates, and factors from the principal components of residuals."""
    rate = (successes.sum(0) + 1) / (attempts.sum(0) + 2)
    components = _components(successes, attempts, rate, rank)
    factors = np.zeros((len(successes), rank))
    factors[:, : components.shape[1]] = components
    tasks = np.zeros((len(rate), 1 + rank))
    tasks[:, 0] = np.log(rate / (1 - rate))
    return (
        Gaussians(factors, np.tile(0.1 * np.eye(rank), (len(factors), 1, 1))),
        Gaussians(tasks, np.tile(np.eye(1 + rank), (len(tasks), 1, 1))),
    )


def _components(successes: Floats, attempts: Floats, rate: Floats, rank: int) -> Floats:
    """The first principal components (agents, at most rank) of the residuals, with variance 1."""

    def residuals(rows: slice) -> Floats:
        tried = np.maximum(attempts[rows], 1)
        error = np.sqrt(tried * rate * (1 - rate))
        standardized: Floats = (successes[rows] - attempts[rows] * rate) / error / np.sqrt(tried)
        return standardized

    parts = [*blocks(*successes.shape)]
    if len(successes) <= len(rate):
        every = residuals(slice(None))
        components = np.linalg.eigh(every @ every.T)[1][:, ::-1][:, :rank]
    else:
        axes = np.linalg.eigh(sum(part.T @ part for part in map(residuals, parts)))[1]
        components = np.concatenate([residuals(p) @ axes[:, ::-1][:, :rank] for p in parts])
    components = components / np.maximum(components.std(0), 1e-9)
    excess = np.concatenate([residuals(rows).sum(1) for rows in parts])
    signed: Floats = components * np.where(excess @ components < 0, -1.0, 1.0)
    return signed  # larger components mean more success


@dataclass(frozen=True, eq=False)
class _Results:
    """Tables (agents, tasks) in single precision, which halves the time of a fit.

    Its errors are thousands of times smaller than those of the quadratic bound. Sums over all
    agents, and everything that is solved, are in double precision.
    """

    attempts: Singles
    surplus: Singles  # successes above half of the attempts

    @classmethod
    def of(cls, successes: Floats, attempts: Floats) -> _Results:
        tried = attempts.astype(np.float32)
        surplus = successes.astype(np.float32)
        surplus -= tried / 2
        return cls(tried, surplus)

    @property
    def parts(self) -> Iterator[slice]:
        return blocks(*self.attempts.shape)


def _curvature(attempts: Singles, agents: Singles, tasks: Singles) -> Singles:
    """The curvature of the bound at each pair (agents, tasks): the weight of its results.

    It depends on the second moments of the agents, with the constant first coordinate, and on
    those of the tasks, doubled.
    """
    # In place: new memory for each step would take longer than the arithmetic.
    width = agents @ tasks.T
    np.sqrt(np.maximum(width, 1e-8, out=width), out=width)
    weight: Singles = np.tanh(width / 2)
    weight *= attempts
    weight /= np.multiply(width, 2, out=width)
    return weight


def _update_tasks(
    results: _Results, agents: Gaussians, tasks: Gaussians, centre: Floats, precision: Floats
) -> Gaussians:
    own, size = tasks.doubled.astype(np.float32), tasks.mean.shape[1]
    informed, pull = np.zeros(own.shape), np.zeros_like(tasks.mean)
    for rows in results.parts:
        known = agents.part(rows).after_one()
        moments = known.moments.astype(np.float32)
        weight = _curvature(results.attempts[rows], moments, own)
        informed += weight.T @ moments
        pull += results.surplus[rows].T @ known.mean.astype(np.float32)
    return _solve(square(informed, size) + np.diag(precision), pull + precision * centre)


def _update_agents(results: _Results, agents: Gaussians, tasks: Gaussians) -> Gaussians:
    updated = [_update_some(results, rows, agents.part(rows), tasks) for rows in results.parts]
    means, covariances = [some.mean for some in updated], [some.covariance for some in updated]
    return Gaussians(np.concatenate(means), np.concatenate(covariances))


def _update_some(results: _Results, rows: slice, agents: Gaussians, tasks: Gaussians) -> Gaussians:
    own, size = agents.after_one().moments.astype(np.float32), tasks.mean.shape[1]
    weight = _curvature(results.attempts[rows], own, tasks.doubled.astype(np.float32))
    informed = square(weight @ tasks.moments.astype(np.float32), size)
    # The bias does not depend on the agent, so its part is subtracted.
    loadings = tasks.mean[:, 1:].astype(np.float32)
    pull = results.surplus[rows] @ loadings - informed[:, 0, 1:]
    return _solve(informed[:, 1:, 1:] + np.eye(size - 1), pull)


def _solve(precision: Floats, pull: Floats) -> Gaussians:
    covariance: Floats = np.asarray(np.linalg.inv(precision), np.float64)
    return Gaussians(np.einsum("nij,nj->ni", covariance, pull), covariance)


def task_prior(tasks: Gaussians, least_spread: float) -> tuple[Floats, Floats]:
    """Current mean and variance of (bias, v) between tasks."""
    centre = tasks.mean.mean(0)
    own = np.diagonal(tasks.covariance, axis1=1, axis2=2)
    variance = ((tasks.mean - centre) ** 2 + own).mean(0)
    least = np.full(len(centre), least_spread**2)
    least[0] = _LEAST_VARIANCE
    return centre, np.maximum(variance, least)


def _standardize(
    agents: Gaussians, tasks: Gaussians, centre: Floats
) -> tuple[Gaussians, Gaussians, Floats]:
    """Transform factors to mean 0 and covariance 1, and tasks so that no probability changes."""
    mean, rank = agents.mean.mean(0), agents.mean.shape[1]
    apart = agents.mean - mean
    covariance = apart.T @ apart / len(apart) + agents.covariance.mean(0)
    root = np.linalg.cholesky(covariance + 1e-9 * np.eye(rank))
    turn = np.eye(1 + rank)
    turn[0, 1:], turn[1:, 1:] = mean, root.T
    nowhere = np.zeros(1 + rank)
    return agents.moved(mean, np.linalg.inv(root)), tasks.moved(nowhere, turn), turn @ centre

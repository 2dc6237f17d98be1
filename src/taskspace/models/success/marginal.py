"""The low-rank model of `factors.py` by marginal likelihood, for tables with few tasks.

A few results leave an agent's factors uncertain. The variational bound then underestimates the
minor loadings. Here the factors are integrated out instead: EM, as in `item_response.py`, with a
fixed quasi-random sample of the standard normal distribution in place of the nodes of a rule, which
would be too many in several dimensions. The result is deterministic.
"""

from __future__ import annotations

import functools

import numpy as np

from taskspace.models.success.factors import (
    Factors,
    Floats,
    Gaussians,
    blocks,
    square,
    task_prior,
)

NODES = 1024
CYCLES = 5  # of two EM steps and an extrapolation
_NEWTON_STEPS = 2
_LONGEST_STEP = 1.0  # Newton's steps overshoot if there is little data on a task
_FARTHEST = 8.0  # extrapolation, relative to the first EM step


def refine(factors: Factors, successes: Floats, attempts: Floats, least_spread: float) -> Factors:
    """Continue from variational factors towards the largest marginal likelihood.

    The arguments are those of `fit_factors`, and what it returned. Cost and memory are linear in
    the number of agents.

    >>> from taskspace.models.success.factors import fit_factors
    >>> rng = np.random.default_rng(0)
    >>> logits = 2.0 * rng.normal(size=(2000, 1)) + np.linspace(-1, 1, 5)
    >>> solved = (rng.random(logits.shape) < 1 / (1 + np.exp(-logits))).astype(float)
    >>> rough = fit_factors(solved, np.ones_like(solved), rank=1, least_spread=0.1)
    >>> fine = refine(rough, solved, np.ones_like(solved), least_spread=0.1)
    >>> np.round([each.tasks.mean[:, 1].mean() for each in (rough, fine)], 1)
    array([1.4, 1.9])
    """
    nodes = gaussian_sample(factors.agents.mean.shape[1])

    def improve(tasks: Gaussians) -> Gaussians:
        tried, solved = _expected(tasks.mean, successes, attempts, nodes)
        return _climb(tasks, tried, solved, nodes, least_spread)

    tasks = factors.tasks
    for _ in range(CYCLES):
        once = improve(tasks)
        twice = improve(once)
        tasks = Gaussians(_extrapolate(tasks.mean, once.mean, twice.mean), twice.covariance)
    tasks = improve(tasks)  # an extrapolation may have gone too far
    return Factors(_agents(tasks.mean, successes, attempts, nodes), tasks)


@functools.lru_cache(maxsize=8)
def gaussian_sample(rank: int) -> Floats:
    """Points (NODES, rank) that fill the standard normal distribution evenly.

    They are the points of an additive recurrence (Roberts' R sequence) and their mirror images,
    rescaled to covariance 1.
    """
    from scipy.special import ndtri

    ratio = 2.0
    for _ in range(60):  # the root of ratio^(rank + 1) = ratio + 1
        ratio = (1 + ratio) ** (1 / (rank + 1))
    steps = ratio ** -np.arange(1.0, rank + 1)
    half = ndtri((0.5 + np.multiply.outer(np.arange(1, NODES // 2 + 1), steps)) % 1)
    points = np.concatenate([half, -half])
    root = np.linalg.cholesky(points.T @ points / NODES)
    sample: Floats = np.linalg.solve(root, points.T).T
    sample.flags.writeable = False
    return sample


def posterior(tasks: Floats, successes: Floats, attempts: Floats, nodes: Floats) -> Floats:
    """The probability (agents, nodes) of each node given an agent's results.

    `tasks` (tasks, 1 + rank) has the bias and the loadings of each task.
    """
    logits = _logits(tasks, nodes)
    fit = successes @ logits - attempts @ np.logaddexp(0, logits)
    weights = np.exp(fit - fit.max(1, keepdims=True))
    normalized: Floats = weights / weights.sum(1, keepdims=True)
    return normalized


def _logits(tasks: Floats, nodes: Floats) -> Floats:
    """Log odds of success (tasks, nodes)."""
    return np.clip(tasks[:, 1:] @ nodes.T + tasks[:, :1], -30, 30)


def _expected(
    tasks: Floats, successes: Floats, attempts: Floats, nodes: Floats
) -> tuple[Floats, Floats]:
    """Expected attempts and successes (tasks, nodes) of agents at each node."""
    tried, solved = np.zeros((2, len(tasks), len(nodes)))
    for rows in blocks(len(attempts), len(nodes)):
        share = posterior(tasks, successes[rows], attempts[rows], nodes)
        tried += attempts[rows].T @ share
        solved += successes[rows].T @ share
    return tried, solved


def _climb(
    tasks: Gaussians, tried: Floats, solved: Floats, nodes: Floats, least_spread: float
) -> Gaussians:
    """A few Newton steps, given the expected results, and the covariances that they leave."""
    from scipy.special import expit

    centre, variance = task_prior(tasks, least_spread)
    known = Gaussians(nodes, np.zeros((len(nodes), *nodes.shape[1:] * 2))).after_one()
    mean, covariance = tasks.mean, tasks.covariance
    for _ in range(_NEWTON_STEPS):
        chances = expit(_logits(mean, nodes))
        weight = tried * chances * (1 - chances)
        informed = square(weight @ known.moments, mean.shape[1])
        covariance = np.asarray(np.linalg.inv(informed + np.diag(1 / variance)), np.float64)
        pull = (solved - tried * chances) @ known.mean - (mean - centre) / variance
        step = np.einsum("tij,tj->ti", covariance, pull)
        mean = mean + np.clip(step, -_LONGEST_STEP, _LONGEST_STEP)
    return Gaussians(mean, covariance)


def _extrapolate(start: Floats, once: Floats, twice: Floats) -> Floats:
    """Where EM steps lead if they keep shrinking at the present rate (SQUAREM)."""
    first, change = once - start, twice - 2 * once + start
    reach = np.linalg.norm(first) / max(float(np.linalg.norm(change)), 1e-12)
    reach = min(max(float(reach), 1.0), _FARTHEST)
    return start + 2 * reach * first + reach**2 * change


def _agents(tasks: Floats, successes: Floats, attempts: Floats, nodes: Floats) -> Gaussians:
    """Mean and covariance of the agents' factors given their results."""
    rank = nodes.shape[1]
    squares = (nodes[:, :, None] * nodes[:, None, :]).reshape(len(nodes), -1)
    mean, second = np.empty((len(attempts), rank)), np.empty((len(attempts), rank * rank))
    for rows in blocks(len(attempts), len(nodes)):
        share = posterior(tasks, successes[rows], attempts[rows], nodes)
        mean[rows], second[rows] = share @ nodes, share @ squares
    return Gaussians(mean, second.reshape(-1, rank, rank) - mean[:, :, None] * mean[:, None, :])

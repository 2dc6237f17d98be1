"""Agents that count once, because their results are those of another agent."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from taskspace.applications.indistinct import by_score
from taskspace.outcomes.outcomes import Outcomes
from taskspace.similarity.agent_kernel import task_means
from taskspace.similarity.concordance import SPARSE, sparse_product

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

FEWEST_TASKS = 20  # on which the results of two agents must be the same
_ROWS = 1024  # agents per block, to bound memory
_ROUNDING = 1e-5  # in single precision


def distinct_agents(outcomes: Outcomes) -> tuple[Outcomes, int]:
    """The outcomes with equal agents counted once, and the number of agents that are like others.

    Agents are equal if their results are the same on all tasks that both tried, at least 20, and
    if that can hardly be by chance: agents that solve all tasks are not equal. What an agent tried
    beyond those that it is equal to still counts.

    >>> solved = np.random.default_rng(0).integers(0, 2, (4, 100))
    >>> solved[3] = solved[1]
    >>> distinct, same = distinct_agents(Outcomes(solved, 1))
    >>> distinct.agents.tolist(), same
    (['agent-0', 'agent-1', 'agent-2'], 1)
    """
    tried = outcomes.rollouts > 0
    repeated, same = np.zeros(tried.shape, bool), np.zeros(outcomes.n_agents, bool)
    for group in _groups(outcomes, tried):
        seen = np.zeros(tried.shape[1], bool)
        for agent in group:
            repeated[agent] = tried[agent] & seen
            seen |= tried[agent]
        same[group[1:]] = True
    if not same.any():
        return outcomes, 0
    left = tried & ~repeated
    once = replace(
        outcomes,
        successes=np.where(left, outcomes.successes, 0),
        rollouts=np.where(left, outcomes.rollouts, 0),
        steps=None,
        returns=None,
        return_spreads=None,
        results=None,
    )
    return once.of_agents(outcomes.agents[left.any(1) | ~same].tolist()), int(same.sum())


def _groups(outcomes: Outcomes, tried: NDArray[np.bool_]) -> list[list[int]]:
    """Groups of equal agents; all are equal to the first."""
    from threadpoolctl import threadpool_limits

    rates = np.where(tried, outcomes.rates, 0.0)
    surprise = _surprise(rates, tried.astype(np.float64), task_means(outcomes))
    # Among all pairs of agents, less than one may have the same results by chance.
    least = math.log(max(math.comb(len(rates), 2), 1))
    possible = (tried.sum(1) >= FEWEST_TASKS) & (surprise.sum(1) > least)
    if tried.all():
        possible &= _repeated(rates)
    agents = np.flatnonzero(possible)
    x, seen, news = (part[agents].astype(np.float32) for part in (rates, tried, surprise))
    taken, groups = np.zeros(len(agents), bool), []
    with threadpool_limits(1):  # the same rounding, whatever the number of threads
        for start in range(0, len(agents), _ROWS):
            equal = _equal(slice(start, start + _ROWS), x, seen, news, least)
            for agent, others in enumerate(equal, start):
                group = np.flatnonzero(others & ~taken)
                group = group[group > agent]
                if len(group) and not taken[agent]:
                    taken[group] = True
                    groups.append(agents[[agent, *group]].tolist())
    return groups


def _equal(
    rows: slice, x: Singles, seen: Singles, surprise: Singles, least: float
) -> NDArray[np.bool_]:
    """Which agents are equal to those of some rows (rows, agents)."""
    product = sparse_product if seen.mean() < SPARSE else np.matmul
    together = product(seen[rows], seen.T)
    squares = product(x[rows] ** 2, seen.T) + product(seen[rows], (x**2).T)
    apart = squares - 2 * product(x[rows], x.T)
    equal = (together >= FEWEST_TASKS) & (apart < _ROUNDING * together)
    found: NDArray[np.bool_] = equal & (product(surprise[rows], seen.T) > least)
    return found


def _surprise(rates: Floats, tried: Floats, means: Floats) -> Floats:
    """- log of the probability (agents, tasks) that an agent of equal score has the same result."""
    probability = by_score(rates, tried, means)
    found: Floats = -tried * np.log(probability**2 + (1 - probability) ** 2)
    return found


def _repeated(rates: Floats) -> NDArray[np.bool_]:
    """Which rows are not the only ones of their kind."""
    rows = [row.tobytes() for row in rates]
    counts = Counter(rows)
    return np.array([counts[row] > 1 for row in rows])

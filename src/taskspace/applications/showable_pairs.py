"""How many pairs of tasks could be shown to be near-copies at all, with the agents there are.

Even if the results on two tasks never differ, agents that did not try both might tell them apart.
So a pair can be shown only if enough agents tried both tasks, and if their results vary enough
beyond the factors of the population: results that nearly always are the same agree by chance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taskspace.applications.near_copies import (
    RANK,
    PairTest,
    agent_factors,
    agents_needed,
    counted_once,
    loadings_of,
    spread,
)
from taskspace.outcomes.outcomes import Outcomes
from taskspace.similarity.concordance import SPARSE, sparse_product
from taskspace.similarity.statistics import SuccessStatistics

Floats = NDArray[np.float64]

_BLOCK = 1024  # tasks per block, to bound memory


@dataclass(frozen=True)
class Showable:
    """What the results could show: the number of pairs, and what limits it."""

    pairs: int  # that would be near-copies if their results never differed
    together: int  # the most agents that tried both tasks of a pair on which agents differ
    enough_agents: int  # the fewest that could show copies of the two tasks that vary most


def showable_pairs(
    outcomes: Outcomes,
    statistics: SuccessStatistics,
    candidates: PairTest,
    threshold: float,
    error: float,
) -> Showable:
    """Count the pairs of tasks that would be near-copies if their results never differed.

    `candidates` are pairs that may be near-copies; they count once in the population model.
    `error` is the error probability of each bound of each pair's interval.
    """
    tasks = np.flatnonzero(spread(statistics) > 0)
    once = counted_once(tasks, candidates.first, candidates.second, candidates.excess, threshold)
    own = loadings_of(statistics, tasks, agent_factors(outcomes, once, RANK))[1]
    usual, atom = _of_copies(statistics, tasks)
    expected = np.minimum(2 * own, usual) / atom  # of the task and its copy
    pairs = together = 0
    for start in range(0, len(tasks), _BLOCK):
        some = np.arange(start, min(start + _BLOCK, len(tasks)))
        agents = _agents_together(statistics, tasks[some], tasks)
        slack = -np.expm1(np.log(error) / np.maximum(agents, 1))
        known = (1 - threshold) * (expected[some, None] + expected) / 2
        later = some[:, None] < np.arange(len(tasks))
        pairs += int(np.count_nonzero(later & (agents > 0) & (slack <= known)))
        together = max(together, int(np.where(later, agents, 0).max()))
    best = float(np.clip(np.sort(expected)[-2:].mean(), 1e-12, 1.0))
    return Showable(pairs, together, agents_needed(threshold, error, best))


def _of_copies(statistics: SuccessStatistics, tasks: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """The difference of each task from an independent copy, and its typical squared difference."""
    rates = statistics.rates[tasks].astype(np.float64)
    count = rates.shape[1] if statistics.tried is None else statistics.tried[tasks].sum(1)
    m1, m2, m3, m4 = ((rates**power).sum(1) / count for power in (1, 2, 3, 4))
    usual = 2 * (m2 - m1**2)
    fourth = 2 * m4 - 8 * m1 * m3 + 6 * m2**2
    return usual, np.maximum(fourth / np.maximum(usual, 1e-12), 1e-12)


def _agents_together(
    statistics: SuccessStatistics, some: NDArray[np.int64], tasks: NDArray[np.int64]
) -> NDArray[np.float32]:
    """The number of agents that tried both tasks (some, tasks)."""
    if statistics.tried is None:
        return np.full((len(some), len(tasks)), statistics.rates.shape[1], np.float32)
    one, other = (statistics.tried[which].astype(np.float32) for which in (some, tasks))
    product = sparse_product if one.mean() < SPARSE else np.matmul
    return product(one, other.T)

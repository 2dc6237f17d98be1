"""How alike tasks are: what success on one of them tells about success on another.

An agent is drawn from the population and tries both tasks once. Their similarity is the mutual
information of the two outcomes, in bits (Definition 2 of the paper); a task's difficulty is the
probability that the agent fails.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.outcomes import Outcomes

_PAIRS_PER_BLOCK = 1 << 15  # how many pairs are worked on at a time, so that memory stays bounded


def entropy(probability: ArrayLike) -> NDArray[np.float64]:
    """Entropy in bits of outcomes that are successes with this probability (Definition 1).

    >>> entropy([0.0, 0.5, 1.0])
    array([0., 1., 0.])
    """
    p = np.clip(np.asarray(probability, np.float64), 0.0, 1.0)
    return _surprise(p) + _surprise(1.0 - p)


def _surprise(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """-p log2 p, which is 0 at 0."""
    return 0.0 - p * np.log2(np.where(p > 0, p, 1.0))


def mutual_information(both: ArrayLike, first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Bits that two outcomes share, from the probability of success on both and on each.

    >>> mutual_information(both=[0.5, 0.25], first=0.5, second=0.5)  # the same; independent
    array([1., 0.])
    """
    p11, p1, p2 = np.broadcast_arrays(both, first, second)
    joint = (p11, p1 - p11, p2 - p11, 1.0 - p1 - p2 + p11)
    together = sum(_surprise(np.clip(p, 0.0, 1.0)) for p in joint)
    return np.maximum(entropy(p1) + entropy(p2) - together, 0.0)


@dataclass(frozen=True, eq=False)
class SuccessStatistics:
    """What similarity and difficulty are computed from: every agent's success rate on every task.

    Given the agent, rollouts on two tasks are independent: the probability that both succeed is
    the mean over agents of the product of its rates. All R x R pairs of rollouts are used in
    this way, where Algorithm 2 pairs each rollout once.
    """

    rates: NDArray[np.float32]  # (tasks, agents)
    success: NDArray[np.float64]  # (tasks,): the probability of success, PoS
    twice: NDArray[np.float64]  # (tasks,): that two rollouts of one agent both succeed

    @classmethod
    def from_outcomes(cls, outcomes: Outcomes) -> SuccessStatistics:
        """From counts; every agent must have tried every task."""
        if (outcomes.rollouts == 0).any():
            agent, task = np.argwhere(outcomes.rollouts == 0)[0]
            raise ValueError(
                f"{outcomes.agents[agent]} never tried {outcomes.tasks[task]}; every agent must"
                " have tried every task"
            )
        s, r = outcomes.successes.astype(np.float64), outcomes.rollouts.astype(np.float64)
        # s (s - 1) / r (r - 1) is unbiased where s^2 / r^2 is not; one rollout leaves no choice.
        twice = np.where(r > 1, s * (s - 1) / np.maximum(r * (r - 1), 1), s * s)
        return cls((s / r).T.astype(np.float32), (s / r).mean(0), twice.mean(0))

    @classmethod
    def from_rates(cls, rates: ArrayLike) -> SuccessStatistics:
        """From known success probabilities (agents, tasks)."""
        table = checks.numbers(rates, "success rates")
        if table.ndim != 2 or not table.size or table.min() < 0 or table.max() > 1:
            raise ValueError("success rates must be a table of agents x tasks, between 0 and 1")
        return cls(table.T.astype(np.float32), table.mean(0), (table**2).mean(0))

    @property
    def n_tasks(self) -> int:
        """The number of tasks."""
        return len(self.rates)

    def pairs(self, first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
        """Similarity of task first[i] and task second[i], for every i."""
        one, other = np.asarray(first, np.int64), np.asarray(second, np.int64)
        both = np.empty(len(one))
        for start in range(0, len(one), _PAIRS_PER_BLOCK):
            block = slice(start, start + _PAIRS_PER_BLOCK)
            products = np.einsum("pa,pa->p", self.rates[one[block]], self.rates[other[block]])
            both[block] = products / self.rates.shape[1]
        both = np.where(one == other, self.twice[one], both)
        return mutual_information(both, self.success[one], self.success[other])

    def matrix(
        self, rows: ArrayLike | None = None, columns: ArrayLike | None = None
    ) -> NDArray[np.float32]:
        """Similarities of these tasks with those, all by default, computed block by block."""
        everything = np.arange(self.n_tasks)
        one = everything if rows is None else np.asarray(rows, np.int64)
        other = everything if columns is None else np.asarray(columns, np.int64)
        result = np.empty((len(one), len(other)), np.float32)
        height = max(1, _PAIRS_PER_BLOCK * 8 // max(len(other), 1))
        for start in range(0, len(one), height):
            block = one[start : start + height]
            both = (self.rates[block] @ self.rates[other].T / self.rates.shape[1]).astype(float)
            same = block[:, None] == other
            both[same] = np.broadcast_to(self.twice[block][:, None], both.shape)[same]
            result[start : start + height] = mutual_information(
                both, self.success[block][:, None], self.success[other]
            )
        return result


def paired_similarity(first: ArrayLike, second: ArrayLike) -> float:
    """Algorithm 2 as written: the outcomes of N pairs of rollouts, each pair by one agent.

    `first` and `second` are the N outcomes on the two tasks, in the same order of agents.

    >>> paired_similarity([1, 1, 0, 0], [1, 1, 0, 0])
    1.0
    """
    i, j = np.asarray(first, np.bool_).ravel(), np.asarray(second, np.bool_).ravel()
    if i.shape != j.shape or not i.size:
        raise ValueError(f"expected as many outcomes on both tasks; got {i.size} and {j.size}")
    return float(mutual_information((i & j).mean(), i.mean(), j.mean()))

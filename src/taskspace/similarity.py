"""How alike tasks are: what success on one of them tells about success on another.

An agent is drawn from the population and tries both tasks once. Their similarity is the mutual
information of the two outcomes, in bits (Definition 2 of the paper); a task's difficulty is the
probability that the agent fails.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.outcomes import Outcomes

# Agents that must have tried both tasks before anything is said of the two: with fewer, the order
# of two similarities is hardly more than a coin's. From so few agents mutual information is also
# too large on average; this is left as it is, since taking it off puts no more orders right.
ENOUGH_TOGETHER = 8

STRONG_LINK = 0.25  # from this share of what one outcome can tell about another at most
NOTICEABLE = 0.1  # from this share of pairs of tasks on, users are warned
RARE = 0.01  # below this share, links may well be chance
SAMPLE = 20_000  # pairs of tasks that stand for all of them

_FEW_TASKS = 1500  # a table with gaps is asked for the same pairs again and again: kept if so small
_PAIRS_PER_BLOCK = 1 << 15  # how many pairs are worked on at a time, so that memory stays bounded
_RATES_PER_BLOCK = 1 << 20  # … and how many success rates, which are best kept in the cache


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

    rates: NDArray[np.float32]  # (tasks, agents); 0 where a task was never tried
    success: NDArray[np.float64]  # (tasks,): the probability of success, PoS
    twice: NDArray[np.float64]  # (tasks,): that two rollouts of one agent both succeed
    tried: NDArray[np.float32] | None = None  # (tasks, agents), 1 or 0; None: all tried all

    @classmethod
    def from_outcomes(cls, outcomes: Outcomes) -> SuccessStatistics:
        """From counts or sums of scores; every task must have been tried by some agent."""
        s, r = outcomes.successes.astype(np.float64), outcomes.rollouts.astype(np.float64)
        rates = s / np.maximum(r, 1)
        if outcomes.successes.dtype.kind == "f":
            twice = rates**2  # a mean score stands for the probability itself
        else:
            # s (s - 1) / r (r - 1) is unbiased where s^2 / r^2 is not; one rollout leaves no choice
            twice = np.where(r > 1, s * (s - 1) / np.maximum(r * (r - 1), 1), s * s)
        table = rates.T.astype(np.float32, order="C")  # a task's rates side by side
        tried = r > 0
        if tried.all():
            return cls(table, rates.mean(0), twice.mean(0))
        number = tried.sum(0)
        if not number.all():
            raise ValueError(
                f"no agent tried {outcomes.tasks[number.argmin()]}; every task must have been"
                " tried by some agent"
            )
        success, twice = rates.sum(0) / number, twice.sum(0) / number
        return cls(table, success, twice, tried.T.astype(np.float32, order="C"))

    @classmethod
    def from_rates(cls, rates: ArrayLike) -> SuccessStatistics:
        """From known success probabilities (agents, tasks)."""
        table = checks.numbers(rates, "success rates")
        if table.ndim != 2 or not table.size or table.min() < 0 or table.max() > 1:
            raise ValueError("success rates must be a table of agents x tasks, between 0 and 1")
        by_task = table.T.astype(np.float32, order="C")
        return cls(by_task, table.mean(0), (table**2).mean(0))

    @property
    def n_tasks(self) -> int:
        """The number of tasks."""
        return len(self.rates)

    def pairs(self, first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
        """Similarity of task first[i] and task second[i], for every i.

        Where not all agents tried all tasks, those count that tried both; if they are fewer than
        ENOUGH_TOGETHER, the similarity is not known: NaN.
        """
        if self.tried is not None and self.n_tasks <= _FEW_TASKS:
            return self._all_pairs[np.asarray(first, np.int64), np.asarray(second, np.int64)]
        joint = self._joint_of_pairs(first, second)
        return self._known(joint.similarity(), joint)

    @functools.cached_property
    def _all_pairs(self) -> NDArray[np.float64]:
        everything = np.arange(self.n_tasks)
        joint = self._joint(everything, everything, table=True)
        return self._known(joint.similarity(), joint)

    def together(self, first: ArrayLike, second: ArrayLike) -> NDArray[np.int64]:
        """How many agents tried both task first[i] and task second[i], for every i."""
        return self._joint_of_pairs(first, second).agents.astype(np.int64)

    def correlation(self, first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
        """Correlation of success on task first[i] and on task second[i], for every i.

        Below 0 where agents that solve one tend to fail the other, 0 where all do the same on one
        of them, NaN where too few tried both.
        """
        joint = self._joint_of_pairs(first, second)
        p, q = joint.first, joint.second
        spread = np.sqrt(np.maximum(p * (1 - p) * q * (1 - q), 0))
        varies = spread > 1e-6  # below it, rounding would decide
        covariance = np.where(varies, joint.both - p * q, 0.0)
        found = np.clip(covariance / np.where(varies, spread, 1.0), -1.0, 1.0)
        return self._known(found, joint)

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
            joint = self._joint(one[start : start + height], other, table=True)
            result[start : start + height] = self._known(joint.similarity(), joint)
        return result

    def _joint_of_pairs(self, first: ArrayLike, second: ArrayLike) -> _Joint:
        one, other = np.asarray(first, np.int64), np.asarray(second, np.int64)
        size = max(1, min(_PAIRS_PER_BLOCK, _RATES_PER_BLOCK // self.rates.shape[1]))
        parts = np.empty((4, len(one)))
        for start in range(0, len(one), size):
            block = slice(start, start + size)
            joint = self._joint(one[block], other[block], table=False)
            parts[:3, block] = joint.both, joint.first, joint.second
            parts[3, block] = joint.agents
        return _Joint(*parts)

    def _joint(self, one: NDArray[np.int64], other: NDArray[np.int64], table: bool) -> _Joint:
        """Of tasks one[i] and other[i] or, in a table, of one[i] and other[j]."""
        product = _of_all if table else _of_pairs
        rows = one[:, None] if table else one
        rates = self.rates[one], self.rates[other]
        if self.tried is None:
            agents = np.array(self.rates.shape[1])
            both = (product(*rates) / self.rates.shape[1]).astype(np.float64)
            first, second = self.success[rows], self.success[other]
        else:
            tried = self.tried[one], self.tried[other]
            agents = product(*tried).astype(np.int64)
            number = np.maximum(agents, 1)
            both = product(*rates) / number
            first = product(rates[0], tried[1]) / number
            second = product(tried[0], rates[1]) / number
        return _Joint(np.where(rows == other, self.twice[rows], both), first, second, agents)

    def _known(self, values: NDArray[np.float64], joint: _Joint) -> NDArray[np.float64]:
        """The values, NaN where too few agents tried both (not where all tried everything)."""
        if self.tried is None:
            return values
        return np.where(joint.agents >= ENOUGH_TOGETHER, values, np.nan)


@dataclass(frozen=True, eq=False)
class _Joint:
    """Outcomes on pairs of tasks, of the agents that tried both."""

    both: NDArray[np.float64]  # the probability of success on both
    first: NDArray[np.float64]  # … on the first
    second: NDArray[np.float64]  # … on the second
    agents: NDArray[Any]  # how many agents these are

    def similarity(self) -> NDArray[np.float64]:
        """What one outcome tells about the other."""
        return mutual_information(self.both, self.first, self.second)


def _of_pairs(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.einsum("pa,pa->p", a, b)


def _of_all(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    return a @ b.T


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


# -- outcomes that oppose each other ---------------------------------------------------------------


@dataclass(frozen=True)
class AntiCorrelation:
    """Mutual information also links tasks of which agents solve one *or* the other."""

    linked: float  # share of the pairs of tasks with a strong link
    share: float  # of these, those whose outcomes oppose each other
    example: tuple[int, int] | None  # the pair of them with the strongest link


def sample_pairs(
    n_tasks: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs of different tasks: all, or SAMPLE of them drawn at random if there are more."""
    if n_tasks * (n_tasks - 1) // 2 <= SAMPLE:
        first, second = np.triu_indices(n_tasks, 1)
        return first, second
    first = rng.integers(0, n_tasks, SAMPLE)
    return first, (first + rng.integers(1, n_tasks, SAMPLE)) % n_tasks


def anti_correlated(statistics: SuccessStatistics, rng: np.random.Generator) -> AntiCorrelation:
    """How many strong links are between tasks whose outcomes oppose each other.

    A link is strong if the similarity is at least STRONG_LINK of the smaller of the two entropies.
    (Fewer than 15 agents with an attempt each make such links by chance.)

    >>> opposites = SuccessStatistics.from_rates([[1, 1, 0], [0, 0, 1], [1, 1, 0], [0, 0, 1]])
    >>> anti_correlated(opposites, np.random.default_rng(0))
    AntiCorrelation(linked=1.0, share=0.666..., example=(0, 2))
    """
    first, second = sample_pairs(statistics.n_tasks, rng)
    bits = entropy(statistics.success)
    most = np.minimum(bits[first], bits[second])
    similarity = statistics.pairs(first, second)
    strong = np.flatnonzero((most > 1e-6) & (similarity >= STRONG_LINK * most))
    opposed = strong[statistics.correlation(first[strong], second[strong]) < 0]
    linked = len(strong) / max(len(first), 1)
    if not len(opposed):
        return AntiCorrelation(linked, 0.0, None)
    best = opposed[similarity[opposed].argmax()]
    example = int(first[best]), int(second[best])
    return AntiCorrelation(linked, len(opposed) / len(strong), example)


def warn_if_anti_correlated(
    statistics: SuccessStatistics, names: Sequence[str] | NDArray[np.str_]
) -> None:
    """Warn, with an example, if a noticeable share of the strong links is between opposites."""
    found = anti_correlated(statistics, np.random.default_rng(0))
    if found.example is None or found.share < NOTICEABLE or found.linked < RARE:
        return
    one, other = (str(names[task]) for task in found.example)
    warnings.warn(
        f"{found.share:.0%} of the strong links between tasks are between opposites: agents that"
        f" solve {one!r} tend to fail {other!r}, and the map takes such tasks for similar",
        stacklevel=2,
    )

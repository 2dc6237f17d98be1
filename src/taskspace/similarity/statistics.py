"""Similarities of tasks from success rates of agents, and pairs of anti-correlated tasks."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.outcomes.outcomes import Outcomes
from taskspace.similarity.information import entropy, shared_bits
from taskspace.similarity.profiles import INFORMATION, correlation
from taskspace.similarity.task_statistics import TaskStatistics, blocks_of_tasks, product_of

STRONG = 0.25  # a similarity is strong from this fraction of its upper bound, the entropy
NOTICEABLE = 0.1  # fraction of pairs from which users are warned
RARE = 0.01  # below this fraction of pairs, strong similarities may be due to chance
SAMPLE = 20_000  # pairs of tasks that represent all pairs


@dataclass(frozen=True, eq=False)
class SuccessStatistics(TaskStatistics):
    """Success rates of agents on tasks, from which similarity and difficulty are computed.

    Given the agent, rollouts on two tasks are independent: the probability that both succeed is
    the mean over agents of the product of their success rates. This uses all R x R pairs of
    rollouts, whereas Algorithm 2 uses each rollout once.

    Attributes:
        rates: Success rates (tasks, agents); 0 for pairs that were never tried.
        success: The probability of success of each task (PoS in the paper).
        twice: The probability, for each task, that two rollouts of one agent both succeed.
        tried: Which pairs were tried (tasks, agents); None if all were.

    >>> statistics = SuccessStatistics.from_rates([[1, 0], [1, 1], [0, 0], [0, 1]])
    >>> statistics.success, statistics.matrix().round(2)  # two independent tasks
    (array([0.5, 0.5]), array([[1., 0.],
           [0., 1.]], dtype=float32))
    """

    rates: NDArray[np.float32]
    success: NDArray[np.float64]
    twice: NDArray[np.float64]
    tried: NDArray[np.bool_] | None = None

    @classmethod
    def from_outcomes(cls, outcomes: Outcomes) -> SuccessStatistics:
        """Compute the statistics from success counts or sums of scores.

        Args:
            outcomes: The outcomes, in which each task was tried by at least one agent.

        Returns:
            The statistics.

        Raises:
            ValueError: If these are no outcomes, or if no agent tried a task.
        """
        if not isinstance(outcomes, Outcomes):
            raise ValueError(f"outcomes must be Outcomes, got {checks.brief(outcomes)}")
        agents, tasks = outcomes.successes.shape
        gaps = not outcomes.rollouts.all()
        rates = np.empty((tasks, agents), np.float32)  # the rates of a task are contiguous
        tried = np.empty((tasks, agents), np.bool_) if gaps else None
        success, twice = np.empty((2, tasks))
        for block in blocks_of_tasks(tasks, agents):
            s = outcomes.successes[:, block].astype(np.float64)
            r = outcomes.rollouts[:, block].astype(np.float64)
            number = (r > 0).sum(0)
            if not number.all():
                raise ValueError(
                    "each task must have been tried by at least one agent,"
                    f" got none for {outcomes.tasks[block][number.argmin()]}"
                )
            found = s / np.maximum(r, 1)
            rates[block] = found.T
            success[block] = found.sum(0) / number
            twice[block] = _both_succeed(s, r, outcomes.successes.dtype.kind).sum(0) / number
            if tried is not None:
                tried[block] = (r > 0).T
        return cls(rates, success, twice, tried)

    @classmethod
    def from_rates(cls, rates: ArrayLike) -> SuccessStatistics:
        """Compute the statistics from known success probabilities.

        Args:
            rates: Success probabilities (agents, tasks).

        Returns:
            The statistics.

        Raises:
            ValueError: If `rates` is not a table of numbers from 0 to 1.
        """
        table = checks.numbers(rates, "success rates")
        if table.ndim != 2 or not table.size or table.min() < 0 or table.max() > 1:
            raise ValueError(
                "success rates must be a table of agents x tasks with numbers from 0 to 1,"
                f" got {_range(table)} in an array of shape {table.shape}"
            )
        by_task = table.T.astype(np.float32, order="C")
        success, twice = table.mean(0), np.empty(table.shape[1])
        for block in blocks_of_tasks(*by_task.shape):
            twice[block] = (table[:, block] ** 2).mean(0)
        return cls(by_task, success, twice)

    @functools.cached_property
    def single(self) -> bool:
        """Whether every rate is 0 or 1, as with single attempts."""
        return all(
            bool(((some == 0) | (some == 1)).all())
            for some in (self.rates[block] for block in blocks_of_tasks(*self.rates.shape))
        )

    def _joint(self, one: NDArray[np.int64], other: NDArray[np.int64], table: bool) -> _Joint:
        """Joint outcomes of tasks one[i] and other[i] or, with `table`, of one[i] and other[j]."""
        product = product_of(table)
        rows = one[:, None] if table else one
        same = table and np.array_equal(one, other)  # then half of the work is enough
        rates = self._both(self.rates, one, other, same)
        if self.tried is None:
            agents = np.array(self.rates.shape[1])
            both = (product(*rates) / self.rates.shape[1]).astype(np.float64)
            first, second = self.success[rows], self.success[other]
            apart = self._bits[rows] + self._bits[other]
        else:
            tried = self._both(self.tried, one, other, same)
            agents = product(*tried).astype(np.int64)
            number = np.maximum(agents, 1)
            both = product(*rates) / number
            first = product(rates[0], tried[1]) / number
            second = first.T if same else product(tried[0], rates[1]) / number
            apart = entropy(first) + entropy(second)
        both = np.where(rows == other, self.twice[rows], both)
        return _Joint(both, first, second, apart, agents)

    @staticmethod
    def _both(
        table: NDArray[Any], one: NDArray[np.int64], other: NDArray[np.int64], same: bool
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The rows of two lists of tasks, as one array if they are the same."""
        first = table[one].astype(np.float32, copy=False)
        return first, first if same else table[other].astype(np.float32, copy=False)

    @functools.cached_property
    def _bits(self) -> NDArray[np.float64]:
        return entropy(self.success)

    @property
    def values(self) -> NDArray[np.float32]:
        """The success rates."""
        return self.rates

    @property
    def centres(self) -> NDArray[np.float64]:
        """The probability of success of each task."""
        return self.success

    @property
    def noise(self) -> NDArray[np.float64]:
        """The variance of each task's success rates between agents, relative to single attempts."""
        squares = np.einsum("ta,ta->t", self.rates, self.rates, dtype=np.float64)
        if self.tried is None:
            numbers: NDArray[np.int64] | int = self.rates.shape[1]
        else:
            numbers = np.maximum(self.tried.sum(1), 1)
        p = self.success
        single = p * (1 - p)
        varies = single > 1e-12
        between = np.where(varies, squares / numbers - p**2, 0.0)
        return np.clip(between / np.where(varies, single, 1.0), 0.0, 1.0)

    def bounds(self, measure: str = INFORMATION) -> NDArray[np.float64]:
        """The largest possible similarity of each task: the entropy of its outcome, or 1."""
        return self._bits if measure == INFORMATION else np.ones(self.n_tasks)

    def with_values(self, values: NDArray[np.float32]) -> SuccessStatistics:
        """The same statistics with the rates of each task in another order."""
        return SuccessStatistics(values, self.success, self.twice, self.tried)

    def of_agents(self, agents: NDArray[np.int64]) -> SuccessStatistics:
        """The statistics of some agents; `twice` stays, since only different tasks count."""
        rates = np.ascontiguousarray(self.rates[:, agents])
        if self.tried is None:
            return SuccessStatistics(rates, rates.mean(1, dtype=np.float64), self.twice)
        tried = np.ascontiguousarray(self.tried[:, agents])
        success = rates.sum(1, dtype=np.float64) / np.maximum(tried.sum(1), 1)
        return SuccessStatistics(rates, success, self.twice, tried)


@dataclass(frozen=True, eq=False)
class _Joint:
    """Joint outcomes on pairs of tasks, over the agents that tried both."""

    both: NDArray[np.float64]  # probability of success on both tasks
    first: NDArray[np.float64]  # probability of success on the first task
    second: NDArray[np.float64]  # probability of success on the second task
    apart: NDArray[np.float64]  # sum of the entropies of the two outcomes
    agents: NDArray[Any]  # number of agents

    def similarity(self) -> NDArray[np.float64]:
        """Mutual information of the two outcomes."""
        return shared_bits(self.both, self.first, self.second, self.apart)

    def correlation(self) -> NDArray[np.float64]:
        """Correlation of the two outcomes."""
        return correlation(self.both, self.first, self.second)


def _both_succeed(s: NDArray[np.float64], r: NDArray[np.float64], kind: str) -> NDArray[np.float64]:
    """The probability that two rollouts of an agent succeed, from its successes and rollouts."""
    if kind == "f":
        return (s / np.maximum(r, 1)) ** 2  # the mean score is taken as the probability itself
    # s (s - 1) / r (r - 1) is unbiased, unlike s^2 / r^2; with one rollout only s^2 is possible
    return np.where(r > 1, s * (s - 1) / np.maximum(r * (r - 1), 1), s * s)


def _range(table: NDArray[np.float64]) -> str:
    return f"{table.min():g} to {table.max():g}" if table.size else "no numbers"


# -- anti-correlated tasks -------------------------------------------------------------------------


@dataclass(frozen=True)
class AntiCorrelation:
    """How often a strong similarity comes from tasks of which agents solve one *or* the other.

    Attributes:
        strong: The fraction of pairs of tasks with a strong similarity.
        negative: The fraction of these whose outcomes are negatively correlated.
        example: The most similar pair of negatively correlated tasks, or None.
    """

    strong: float
    negative: float
    example: tuple[int, int] | None


def sample_pairs(
    n_tasks: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs of different tasks: all of them, or a random sample of SAMPLE pairs."""
    if n_tasks * (n_tasks - 1) // 2 <= SAMPLE:
        first, second = np.triu_indices(n_tasks, 1)
        return first, second
    first = rng.integers(0, n_tasks, SAMPLE)
    return first, (first + rng.integers(1, n_tasks, SAMPLE)) % n_tasks


def anti_correlated(statistics: TaskStatistics, rng: np.random.Generator) -> AntiCorrelation:
    """Measure how many strong similarities are between anti-correlated tasks.

    A similarity is strong if it is at least a quarter of the smaller of the two bounds, which are
    entropies for successes. (With fewer than 15 agents and one attempt each, this also happens by
    chance.)

    Args:
        statistics: The success rates of agents on tasks.
        rng: The generator that draws a sample of pairs if there are many tasks.

    Returns:
        The fractions of strong and of anti-correlated pairs, and an example.

    >>> opposites = SuccessStatistics.from_rates([[1, 1, 0], [0, 0, 1], [1, 1, 0], [0, 0, 1]])
    >>> anti_correlated(opposites, np.random.default_rng(0))
    AntiCorrelation(strong=1.0, negative=0.666..., example=(0, 2))
    """
    first, second = sample_pairs(statistics.n_tasks, rng)
    bits = statistics.bounds()
    most = np.minimum(bits[first], bits[second])
    similarity = statistics.pairs(first, second)
    strong = np.flatnonzero((most > 1e-6) & (similarity >= STRONG * most))
    opposed = strong[statistics.correlation(first[strong], second[strong]) < 0]
    fraction = len(strong) / max(len(first), 1)
    if not len(opposed):
        return AntiCorrelation(fraction, 0.0, None)
    best = opposed[similarity[opposed].argmax()]
    example = int(first[best]), int(second[best])
    return AntiCorrelation(fraction, len(opposed) / len(strong), example)


def warn_if_anti_correlated(
    statistics: TaskStatistics, names: Sequence[str] | NDArray[np.str_]
) -> None:
    """Warn, with an example, if many strong similarities are between anti-correlated tasks."""
    found = anti_correlated(statistics, np.random.default_rng(0))
    if found.example is None or found.negative < NOTICEABLE or found.strong < RARE:
        return
    one, other = (str(names[task]) for task in found.example)
    warnings.warn(
        f"{found.negative:.0%} of the strong similarities are between anti-correlated tasks: agents"
        f" that do well on {one!r} tend to do badly on {other!r}, but the map treats them as"
        " similar",
        stacklevel=2,
    )

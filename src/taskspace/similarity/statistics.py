"""Similarities of tasks from success rates of agents, and tasks whose outcomes are opposed."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.outcomes.outcomes import Outcomes
from taskspace.similarity.information import entropy, shared_bits

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
_SEARCH_ROWS, _SEARCH_COLUMNS = 64, 1024  # a block in the search for the most similar


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
    tried: NDArray[np.bool_] | None = None  # (tasks, agents); None: all tried all

    @classmethod
    def from_outcomes(cls, outcomes: Outcomes) -> SuccessStatistics:
        """From counts or sums of scores; every task must have been tried by some agent."""
        agents, tasks = outcomes.successes.shape
        gaps = not outcomes.rollouts.all()
        rates = np.empty((tasks, agents), np.float32)  # a task's rates side by side
        tried = np.empty((tasks, agents), np.bool_) if gaps else None
        success, twice = np.empty((2, tasks))
        for block in _blocks_of_tasks(tasks, agents):
            s = outcomes.successes[:, block].astype(np.float64)
            r = outcomes.rollouts[:, block].astype(np.float64)
            number = (r > 0).sum(0)
            if not number.all():
                raise ValueError(
                    f"no agent tried {outcomes.tasks[block][number.argmin()]}; every task must"
                    " have been tried by some agent"
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
        """From known success probabilities (agents, tasks)."""
        table = checks.numbers(rates, "success rates")
        if table.ndim != 2 or not table.size or table.min() < 0 or table.max() > 1:
            raise ValueError("success rates must be a table of agents x tasks, between 0 and 1")
        by_task = table.T.astype(np.float32, order="C")
        success, twice = table.mean(0), np.empty(table.shape[1])
        for block in _blocks_of_tasks(*by_task.shape):
            twice[block] = (table[:, block] ** 2).mean(0)
        return cls(by_task, success, twice)

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
        return self._of_pairs(first, second, _Joint.similarity)

    @functools.cached_property
    def _all_pairs(self) -> NDArray[np.float64]:
        from threadpoolctl import threadpool_limits

        everything = np.arange(self.n_tasks)
        with threadpool_limits(1):  # the same bits on any number of cores
            joint = self._joint(everything, everything, table=True)
        return self._known(joint.similarity(), joint)

    def together(self, first: ArrayLike, second: ArrayLike) -> NDArray[np.int64]:
        """How many agents tried both task first[i] and task second[i], for every i."""
        one, other = np.asarray(first, np.int64), np.asarray(second, np.int64)
        result = np.full(len(one), self.rates.shape[1])
        if self.tried is not None:
            for block in _blocks(len(one), self._pairs_per_block):
                result[block] = (self.tried[one[block]] & self.tried[other[block]]).sum(1)
        return result

    def correlation(self, first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
        """Correlation of success on task first[i] and on task second[i], for every i.

        Below 0 where agents that solve one tend to fail the other, 0 where all do the same on one
        of them, NaN where too few tried both.
        """
        return self._of_pairs(first, second, _Joint.correlation)

    def matrix(
        self, rows: ArrayLike | None = None, columns: ArrayLike | None = None
    ) -> NDArray[np.float32]:
        """Similarities of these tasks with those, all by default, computed block by block."""
        everything = np.arange(self.n_tasks)
        one = everything if rows is None else np.asarray(rows, np.int64)
        other = everything if columns is None else np.asarray(columns, np.int64)
        result = np.empty((len(one), len(other)), np.float32)
        width = max(1, min(len(other), _PAIRS_PER_BLOCK))
        for high in _blocks(len(one), max(1, _PAIRS_PER_BLOCK * 8 // width)):
            for wide in _blocks(len(other), width):
                joint = self._joint(one[high], other[wide], table=True)
                result[high, wide] = self._known(joint.similarity(), joint)
        return result

    def most_similar(
        self, k: int, tasks: ArrayLike | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The `k` tasks most like each of these (all by default), and how similar they are.

        Both are tables with a row for each task, the most similar first, of equals the first one.
        Whatever the number of tasks, no more than a block of similarities is held at a time. Where
        fewer than `k` similarities are known, the row ends with tasks -1 and NaN.

        >>> two_skills = [[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 1, 1], [0, 1, 0, 1]]
        >>> SuccessStatistics.from_rates(two_skills).most_similar(1)[0].ravel()
        array([2, 3, 0, 1])
        """
        from threadpoolctl import threadpool_limits

        if checks.whole(k, "k", 1) >= self.n_tasks:
            raise ValueError(f"each of the {self.n_tasks} tasks has fewer than {k} others")
        rows = np.arange(self.n_tasks) if tasks is None else np.asarray(tasks, np.int64)
        if rows.ndim != 1 or ((rows < 0) | (rows >= self.n_tasks)).any():
            raise ValueError(f"tasks must be a list of numbers from 0 to {self.n_tasks - 1}")
        places = np.full((len(rows), k), -1)
        values = np.full((len(rows), k), -np.inf, np.float32)
        with threadpool_limits(1):  # the same bits, and ten times as fast on a busy machine
            for block in _blocks(len(rows), _SEARCH_ROWS):
                for wide in _blocks(self.n_tasks, _SEARCH_COLUMNS):
                    others = np.arange(wide.start, wide.stop)
                    found = self.matrix(rows[block], others)
                    found[(rows[block, None] == others) | np.isnan(found)] = -np.inf
                    _keep_best(places[block], values[block], others, found)
        return places, np.where(places < 0, np.float32(np.nan), values)

    def _of_pairs(
        self, first: ArrayLike, second: ArrayLike, value: Callable[[_Joint], NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """The value for tasks first[i] and second[i], NaN where it is not known."""
        one, other = np.asarray(first, np.int64), np.asarray(second, np.int64)
        result = np.empty(len(one))
        for block in _blocks(len(one), self._pairs_per_block):
            joint = self._joint(one[block], other[block], table=False)
            result[block] = self._known(value(joint), joint)
        return result

    @property
    def _pairs_per_block(self) -> int:
        return max(1, min(_PAIRS_PER_BLOCK, _RATES_PER_BLOCK // self.rates.shape[1]))

    def _joint(self, one: NDArray[np.int64], other: NDArray[np.int64], table: bool) -> _Joint:
        """Of tasks one[i] and other[i] or, in a table, of one[i] and other[j]."""
        product = _of_all if table else _of_pairs
        rows = one[:, None] if table else one
        rates = self.rates[one], self.rates[other]
        if self.tried is None:
            agents = np.array(self.rates.shape[1])
            both = (product(*rates) / self.rates.shape[1]).astype(np.float64)
            first, second = self.success[rows], self.success[other]
            apart = self._bits[rows] + self._bits[other]
        else:
            tried = tuple(self.tried[tasks].astype(np.float32) for tasks in (one, other))
            agents = product(*tried).astype(np.int64)
            number = np.maximum(agents, 1)
            both = product(*rates) / number
            first = product(rates[0], tried[1]) / number
            second = product(tried[0], rates[1]) / number
            apart = entropy(first) + entropy(second)
        both = np.where(rows == other, self.twice[rows], both)
        return _Joint(both, first, second, apart, agents)

    @functools.cached_property
    def _bits(self) -> NDArray[np.float64]:
        return entropy(self.success)

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
    apart: NDArray[np.float64]  # the entropy of the first and that of the second, added up
    agents: NDArray[Any]  # how many agents these are

    def similarity(self) -> NDArray[np.float64]:
        """What one outcome tells about the other."""
        return shared_bits(self.both, self.first, self.second, self.apart)

    def correlation(self) -> NDArray[np.float64]:
        """Correlation of the two outcomes."""
        p, q = self.first, self.second
        spread = np.sqrt(np.maximum(p * (1 - p) * q * (1 - q), 0))
        varies = spread > 1e-6  # below it, rounding would decide
        covariance = np.where(varies, self.both - p * q, 0.0)
        return np.clip(covariance / np.where(varies, spread, 1.0), -1.0, 1.0)


def _keep_best(
    places: NDArray[np.int64],
    values: NDArray[np.float32],
    others: NDArray[np.int64],
    found: NDArray[np.float32],
) -> None:
    """Put those of the others that are better into the places, which are in order row by row."""
    rows = np.flatnonzero(found.max(1) > values[:, -1])
    names = np.broadcast_to(others, (len(rows), len(others)))
    names = np.concatenate([places[rows], names], axis=1)
    all_values = np.concatenate([values[rows], found[rows]], axis=1)
    best = np.argsort(-all_values, axis=1, kind="stable")[:, : values.shape[1]]
    values[rows] = np.take_along_axis(all_values, best, 1)
    known = values[rows] > -np.inf
    places[rows] = np.where(known, np.take_along_axis(names, best, 1), -1)


def _both_succeed(s: NDArray[np.float64], r: NDArray[np.float64], kind: str) -> NDArray[np.float64]:
    """The chance that two rollouts of an agent succeed, from its successes and rollouts."""
    if kind == "f":
        return (s / np.maximum(r, 1)) ** 2  # a mean score stands for the probability itself
    # s (s - 1) / r (r - 1) is unbiased where s^2 / r^2 is not; one rollout leaves no choice
    return np.where(r > 1, s * (s - 1) / np.maximum(r * (r - 1), 1), s * s)


def _blocks(n: int, size: int) -> Iterator[slice]:
    """0 .. n - 1 in blocks of this size."""
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


def _blocks_of_tasks(tasks: int, agents: int) -> Iterator[slice]:
    """Blocks of about one size. A task alone would be added up in another order: other bits."""
    number = max(1, tasks // max(2, _RATES_PER_BLOCK // 8 // agents))
    return (slice(i * tasks // number, (i + 1) * tasks // number) for i in range(number))


def _of_pairs(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.einsum("pa,pa->p", a, b)


def _of_all(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    return a @ b.T


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

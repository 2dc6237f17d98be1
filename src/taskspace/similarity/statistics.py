"""Similarities of tasks from success rates of agents, and pairs of anti-correlated tasks."""

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
from taskspace.similarity.profiles import INFORMATION, check_measure, correlation

# Number of agents that must have tried both tasks. With fewer, the order of two similarities is
# hardly better than chance. Mutual information from so few agents is also biased upwards; the bias
# is not corrected, because a correction does not improve the order of similarities.
ENOUGH_TOGETHER = 8

STRONG = 0.25  # a similarity is strong from this fraction of its upper bound, the entropy
NOTICEABLE = 0.1  # fraction of pairs from which users are warned
RARE = 0.01  # below this fraction of pairs, strong similarities may be due to chance
SAMPLE = 20_000  # pairs of tasks that represent all pairs

_FEW_TASKS = 1500  # up to this number, the similarities of a table with gaps are cached
_PAIRS_PER_BLOCK = 1 << 15  # pairs per block, to bound memory
_RATES_PER_BLOCK = 1 << 20  # success rates per block, so that they stay in the cache
_SEARCH_ROWS, _SEARCH_COLUMNS = 64, 1024  # block size in the search for the most similar tasks


@dataclass(frozen=True, eq=False)
class SuccessStatistics:
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
        for block in _blocks_of_tasks(tasks, agents):
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
        for block in _blocks_of_tasks(*by_task.shape):
            twice[block] = (table[:, block] ** 2).mean(0)
        return cls(by_task, success, twice)

    @property
    def n_tasks(self) -> int:
        """The number of tasks."""
        return len(self.rates)

    @functools.cached_property
    def single(self) -> bool:
        """Whether every rate is 0 or 1, as with single attempts."""
        return all(
            bool(((some == 0) | (some == 1)).all())
            for some in (self.rates[block] for block in _blocks_of_tasks(*self.rates.shape))
        )

    def pairs(
        self, first: ArrayLike, second: ArrayLike, measure: str = INFORMATION
    ) -> NDArray[np.float64]:
        """Similarity of pairs of tasks.

        Only agents that tried both tasks count. If there are fewer than 8, the similarity is
        unknown and NaN; this applies only if some pairs were never tried.

        Args:
            first: The index of the first task of each pair.
            second: The index of the second task of each pair.
            measure: "information", in bits, or "correlation".

        Returns:
            One similarity per pair.

        Raises:
            ValueError: If there is no such measure, or if an index is out of range.
        """
        if check_measure(measure) != INFORMATION:
            return self.correlation(first, second)
        if self.tried is not None and self.n_tasks <= _FEW_TASKS:
            return self._all_pairs[self._indices_of_pairs(first, second)]
        return self._of_pairs(first, second, _Joint.similarity)

    @functools.cached_property
    def _all_pairs(self) -> NDArray[np.float64]:
        from threadpoolctl import threadpool_limits

        everything = np.arange(self.n_tasks)
        with threadpool_limits(1):  # bit-identical on any number of cores
            joint = self._joint(everything, everything, table=True)
        return self._known(joint.similarity(), joint)

    def together(self, first: ArrayLike, second: ArrayLike) -> NDArray[np.int64]:
        """Number of agents that tried both tasks of each pair.

        Args:
            first: The index of the first task of each pair.
            second: The index of the second task of each pair.

        Returns:
            One number per pair.
        """
        one, other = self._indices_of_pairs(first, second)
        result = np.full(len(one), self.rates.shape[1])
        if self.tried is not None:
            for block in _blocks(len(one), self._pairs_per_block):
                result[block] = (self.tried[one[block]] & self.tried[other[block]]).sum(1)
        return result

    def correlation(self, first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
        """Correlation of success on pairs of tasks.

        It is negative if agents that solve one task tend to fail the other, 0 if all agents have
        the same result on one of them, and NaN if too few agents tried both.

        Args:
            first: The index of the first task of each pair.
            second: The index of the second task of each pair.

        Returns:
            One correlation per pair.
        """
        return self._of_pairs(first, second, _Joint.correlation)

    def matrix(
        self,
        rows: ArrayLike | None = None,
        columns: ArrayLike | None = None,
        measure: str = INFORMATION,
    ) -> NDArray[np.float32]:
        """Matrix of similarities, computed block by block.

        Args:
            rows: The indices of the tasks in the rows; all by default.
            columns: The indices of the tasks in the columns; all by default.
            measure: "information", in bits, or "correlation".

        Returns:
            The similarities (rows, columns).
        """
        check_measure(measure)
        everything = np.arange(self.n_tasks)
        one = everything if rows is None else checks.indices(rows, self.n_tasks, "rows")
        other = everything if columns is None else checks.indices(columns, self.n_tasks, "columns")
        value = _Joint.similarity if measure == INFORMATION else _Joint.correlation
        result = np.empty((len(one), len(other)), np.float32)
        width = max(1, min(len(other), _PAIRS_PER_BLOCK))
        for high in _blocks(len(one), max(1, _PAIRS_PER_BLOCK * 8 // width)):
            for wide in _blocks(len(other), width):
                joint = self._joint(one[high], other[wide], table=True)
                result[high, wide] = self._known(value(joint), joint)
        return result

    def most_similar(
        self, k: int, tasks: ArrayLike | None = None, measure: str = INFORMATION
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Find the most similar tasks of each task.

        Memory stays bounded: the similarities are computed block by block.

        Args:
            k: The number of tasks to find.
            tasks: The indices of the reference tasks; all by default.
            measure: "information", in bits, or "correlation", by which tasks that are solved by
                opposite agents come last.

        Returns:
            The indices and the similarities of the found tasks, with one row per reference task and
            the most similar first; ties are in the order of the tasks. If fewer than `k`
            similarities are known, the row ends with index -1 and similarity NaN.

        Raises:
            ValueError: If `k` is not smaller than the number of tasks, if an index is out of range,
                or if there is no such measure.

        >>> two_skills = [[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 1, 1], [0, 1, 0, 1]]
        >>> SuccessStatistics.from_rates(two_skills).most_similar(1)[0].ravel()
        array([2, 3, 0, 1])
        """
        from threadpoolctl import threadpool_limits

        check_measure(measure)
        if checks.whole(k, "k", 1) >= self.n_tasks:
            raise ValueError(f"k must be smaller than the number of tasks, {self.n_tasks}, got {k}")
        every = np.arange(self.n_tasks)
        rows = every if tasks is None else checks.indices(tasks, self.n_tasks, "tasks")
        nearest = np.full((len(rows), k), -1)
        values = np.full((len(rows), k), -np.inf, np.float32)
        with threadpool_limits(1):  # bit-identical, and ten times as fast on a busy machine
            for block in _blocks(len(rows), _SEARCH_ROWS):
                for wide in _blocks(self.n_tasks, _SEARCH_COLUMNS):
                    others = np.arange(wide.start, wide.stop)
                    found = self.matrix(rows[block], others, measure)
                    found[(rows[block, None] == others) | np.isnan(found)] = -np.inf
                    _keep_best(nearest[block], values[block], others, found)
        return nearest, np.where(nearest < 0, np.float32(np.nan), values)

    def _indices_of_pairs(
        self, first: ArrayLike, second: ArrayLike
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        one = checks.indices(first, self.n_tasks, "first")
        other = checks.indices(second, self.n_tasks, "second")
        if len(one) != len(other):
            raise ValueError(
                f"first and second must be of equal length, got {len(one)} and {len(other)}"
            )
        return one, other

    def _of_pairs(
        self, first: ArrayLike, second: ArrayLike, value: Callable[[_Joint], NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """The value for each pair of tasks, NaN if it is unknown."""
        one, other = self._indices_of_pairs(first, second)
        result = np.empty(len(one))
        for block in _blocks(len(one), self._pairs_per_block):
            joint = self._joint(one[block], other[block], table=False)
            result[block] = self._known(value(joint), joint)
        return result

    @property
    def _pairs_per_block(self) -> int:
        return max(1, min(_PAIRS_PER_BLOCK, _RATES_PER_BLOCK // self.rates.shape[1]))

    def _joint(self, one: NDArray[np.int64], other: NDArray[np.int64], table: bool) -> _Joint:
        """Joint outcomes of tasks one[i] and other[i] or, with `table`, of one[i] and other[j]."""
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
        """The values, NaN if too few agents tried both; with a full table all are known."""
        if self.tried is None:
            return values
        return np.where(joint.agents >= ENOUGH_TOGETHER, values, np.nan)


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


def _keep_best(
    nearest: NDArray[np.int64],
    values: NDArray[np.float32],
    others: NDArray[np.int64],
    found: NDArray[np.float32],
) -> None:
    """Merge a block of other tasks into the nearest tasks, whose rows are sorted by value."""
    rows = np.flatnonzero(found.max(1) > values[:, -1])
    names = np.broadcast_to(others, (len(rows), len(others)))
    names = np.concatenate([nearest[rows], names], axis=1)
    all_values = np.concatenate([values[rows], found[rows]], axis=1)
    best = np.argsort(-all_values, axis=1, kind="stable")[:, : values.shape[1]]
    values[rows] = np.take_along_axis(all_values, best, 1)
    known = values[rows] > -np.inf
    nearest[rows] = np.where(known, np.take_along_axis(names, best, 1), -1)


def _both_succeed(s: NDArray[np.float64], r: NDArray[np.float64], kind: str) -> NDArray[np.float64]:
    """The probability that two rollouts of an agent succeed, from its successes and rollouts."""
    if kind == "f":
        return (s / np.maximum(r, 1)) ** 2  # the mean score is taken as the probability itself
    # s (s - 1) / r (r - 1) is unbiased, unlike s^2 / r^2; with one rollout only s^2 is possible
    return np.where(r > 1, s * (s - 1) / np.maximum(r * (r - 1), 1), s * s)


def _range(table: NDArray[np.float64]) -> str:
    return f"{table.min():g} to {table.max():g}" if table.size else "no numbers"


def _blocks(n: int, size: int) -> Iterator[slice]:
    """0 .. n - 1 in blocks of this size."""
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


def _blocks_of_tasks(tasks: int, agents: int) -> Iterator[slice]:
    """Blocks of similar size: NumPy would sum a single task in another order."""
    number = max(1, tasks // max(2, _RATES_PER_BLOCK // 8 // agents))
    return (slice(i * tasks // number, (i + 1) * tasks // number) for i in range(number))


def _of_pairs(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.einsum("pa,pa->p", a, b)


def _of_all(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    return a @ b.T


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


def anti_correlated(statistics: SuccessStatistics, rng: np.random.Generator) -> AntiCorrelation:
    """Measure how many strong similarities are between anti-correlated tasks.

    A similarity is strong if it is at least a quarter of the smaller of the two entropies. (With
    fewer than 15 agents and one attempt each, this also happens by chance.)

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
    bits = entropy(statistics.success)
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
    statistics: SuccessStatistics, names: Sequence[str] | NDArray[np.str_]
) -> None:
    """Warn, with an example, if many strong similarities are between anti-correlated tasks."""
    found = anti_correlated(statistics, np.random.default_rng(0))
    if found.example is None or found.negative < NOTICEABLE or found.strong < RARE:
        return
    one, other = (str(names[task]) for task in found.example)
    warnings.warn(
        f"{found.negative:.0%} of the strong similarities are between anti-correlated tasks: agents"
        f" that solve {one!r} tend to fail {other!r}, but the map treats them as similar",
        stacklevel=2,
    )

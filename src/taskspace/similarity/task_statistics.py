"""What similarities of tasks are computed from: the part that successes and returns share.

A subclass says what the joint results on pairs of tasks are; here they are computed block by block.
"""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.similarity.profiles import INFORMATION, check_measure

if TYPE_CHECKING:
    from typing_extensions import Self

# Number of agents that must have tried both tasks. With fewer, the order of two similarities is
# hardly better than chance. Mutual information from so few agents is also biased upwards; the bias
# is not corrected, because a correction does not improve the order of similarities.
ENOUGH_TOGETHER = 8

_FEW_TASKS = 1500  # up to this number, the similarities of a table with gaps are cached
_PAIRS_PER_BLOCK = 1 << 15  # pairs per block, to bound memory
_RATES_PER_BLOCK = 1 << 20  # success rates per block, so that they stay in the cache
_SEARCH_ROWS, _SEARCH_COLUMNS = 64, 1024  # block size in the search for the most similar tasks


class Joint(Protocol):
    """Joint results on pairs of tasks, over the agents that tried both."""

    @property
    def agents(self) -> NDArray[Any]:
        """The number of agents."""

    def similarity(self) -> NDArray[np.float64]:
        """Similarity in bits."""

    def correlation(self) -> NDArray[np.float64]:
        """Signed correlation."""


class TaskStatistics(abc.ABC):
    """Results of agents on tasks, from which similarity and difficulty are computed.

    Attributes:
        rates: Success rates or normalised returns (tasks, agents); 0 for pairs never tried.
        success: One minus the difficulty of each task.
        tried: Which pairs were tried (tasks, agents); None if all were.
    """

    rates: NDArray[np.float32]
    success: NDArray[np.float64]
    tried: NDArray[np.bool_] | None

    @abc.abstractmethod
    def _joint(self, one: NDArray[np.int64], other: NDArray[np.int64], table: bool) -> Joint:
        """Joint results on tasks one[i] and other[i] or, with `table`, on one[i] and other[j]."""

    @property
    @abc.abstractmethod
    def values(self) -> NDArray[np.float32]:
        """The numbers (tasks, agents) whose products similarities are made of."""

    @property
    @abc.abstractmethod
    def centres(self) -> NDArray[np.float64]:
        """The mean of each task's values over the agents that tried it."""

    @property
    @abc.abstractmethod
    def noise(self) -> NDArray[np.float64]:
        """How much larger the bias of each task's similarities is than from single attempts."""

    def chance_bits(self, noise: NDArray[np.float64], agents: NDArray[Any]) -> NDArray[np.float64]:
        """The bits that independent tasks seem to share, by the `noise` of both and the agents."""
        found: NDArray[np.float64] = noise / (2 * np.log(2) * agents)
        return found

    @abc.abstractmethod
    def bounds(self, measure: str = INFORMATION) -> NDArray[np.float64]:
        """The largest possible similarity of each task."""

    @abc.abstractmethod
    def with_values(self, values: NDArray[np.float32]) -> Self:
        """The same statistics with the values of each task in another order."""

    @abc.abstractmethod
    def of_agents(self, agents: NDArray[np.int64]) -> Self:
        """The statistics of some agents, for similarities of different tasks."""

    @property
    def n_tasks(self) -> int:
        """The number of tasks."""
        return len(self.rates)

    @property
    def n_agents(self) -> int:
        """The number of agents."""
        return self.rates.shape[1]

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
        return self._of_pairs(first, second, _similarity)

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
        """Correlation of the results on pairs of tasks.

        It is negative if agents that do well on one task tend to do badly on the other, 0 if all
        agents have the same result on one of them, and NaN if too few agents tried both.

        Args:
            first: The index of the first task of each pair.
            second: The index of the second task of each pair.

        Returns:
            One correlation per pair.
        """
        return self._of_pairs(first, second, _correlation)

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
        value = _similarity if measure == INFORMATION else _correlation
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

        >>> from taskspace.similarity.statistics import SuccessStatistics
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
        self, first: ArrayLike, second: ArrayLike, value: Callable[[Joint], NDArray[np.float64]]
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

    def _known(self, values: NDArray[np.float64], joint: Joint) -> NDArray[np.float64]:
        """The values, NaN if too few agents tried both; with a full table all are known."""
        if self.tried is None:
            return values
        return np.where(joint.agents >= ENOUGH_TOGETHER, values, np.nan)


def _similarity(joint: Joint) -> NDArray[np.float64]:
    return joint.similarity()


def _correlation(joint: Joint) -> NDArray[np.float64]:
    return joint.correlation()


def product_of(table: bool) -> Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]]:
    """The product of two blocks of values over agents: of all pairs of rows, or row by row."""
    return _of_all if table else _of_pairs


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


def _blocks(n: int, size: int) -> Iterator[slice]:
    """0 .. n - 1 in blocks of this size."""
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


def _of_pairs(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.einsum("pa,pa->p", a, b)


def _of_all(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    return a @ b.T


def blocks_of_tasks(tasks: int, agents: int) -> Iterator[slice]:
    """Blocks of similar size: NumPy would sum a single task in another order."""
    number = max(1, tasks // max(2, _RATES_PER_BLOCK // 8 // agents))
    return (slice(i * tasks // number, (i + 1) * tasks // number) for i in range(number))

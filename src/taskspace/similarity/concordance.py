"""Pairs of tasks on which agents have nearly the same results, found among all pairs in blocks.

The difference of two tasks is the mean squared difference of an agent's success rates; for single
attempts it is the fraction of agents with different results. Relative to the difference of two
independent tasks with the same success rates it measures concordance: 1 - difference / independent
is Cohen's kappa for single attempts, and Lin's concordance correlation for scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taskspace.similarity.statistics import SuccessStatistics

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
Block = tuple[slice, slice]

_BLOCK = 2048  # tasks per block, to bound memory
_ROUNDING = 1e-5  # in single precision; what passes is computed again in double precision
SPARSE = 0.05  # fraction of tried pairs below which sparse products are faster
_PAIRS = 1 << 22  # rates of pairs at once, to bound memory


@dataclass(frozen=True, eq=False)
class Concordance:
    """How far agents' results on pairs of tasks differ; one entry per pair."""

    difference: Floats  # the mean squared difference of an agent's success rates
    independent: Floats  # the same if the two tasks were independent
    atom: Floats  # the typical squared difference if they were: 1 for single attempts
    agents: Numbers  # agents that tried both

    @property
    def kappa(self) -> Floats:
        """1 for equal results, 0 for independent ones, and -inf if agents do not differ."""
        return self.least_kappa(0.0)

    def least_kappa(self, log_error: float) -> Floats:
        """The same if the difference is larger by what chance may hide in no difference at all."""
        slack = -self.atom * np.expm1(log_error / np.maximum(self.agents, 1))
        differ = self.independent > 1e-9
        apart = np.where(differ, self.independent, 1.0)
        return np.where(differ, 1 - (self.difference + slack) / apart, -np.inf)


def concordance(statistics: SuccessStatistics, first: Numbers, second: Numbers) -> Concordance:
    """The concordance of pairs of tasks.

    >>> one_in_four = SuccessStatistics.from_rates([[1, 1], [0, 0], [1, 0], [0, 0]])
    >>> found = concordance(one_in_four, np.array([0]), np.array([1]))
    >>> float(found.difference[0]), float(found.independent[0]), int(found.agents[0])
    (0.25, 0.5, 4)
    """
    parts: list[NDArray[np.float64]] = []
    step = max(1, _PAIRS // statistics.rates.shape[1])
    for start in range(0, len(first), step):
        some = slice(start, start + step)
        parts.append(_of_some(statistics, first[some], second[some]))
    found = np.concatenate(parts, axis=1) if parts else np.zeros((4, 0))
    return Concordance(found[0], found[1], found[2], found[3].astype(np.int64))


def _of_some(statistics: SuccessStatistics, first: Numbers, second: Numbers) -> Floats:
    x, y = (statistics.rates[tasks].astype(np.float64) for tasks in (first, second))
    if statistics.tried is None:
        number = np.full(len(first), x.shape[1])
    else:
        both = statistics.tried[first] & statistics.tried[second]
        x, y, number = x * both, y * both, both.sum(1)
    count = np.maximum(number, 1)
    x1, x2, x3, x4 = ((x**power).sum(1) / count for power in (1, 2, 3, 4))
    y1, y2, y3, y4 = ((y**power).sum(1) / count for power in (1, 2, 3, 4))
    apart = x2 + y2 - 2 * x1 * y1
    fourth = x4 - 4 * x3 * y1 + 6 * x2 * y2 - 4 * x1 * y3 + y4
    atom = np.where(apart > 0, fourth / np.where(apart > 0, apart, 1.0), 1.0)
    return np.stack([((x - y) ** 2).sum(1) / count, apart, atom, number])


def concordant_pairs(
    statistics: SuccessStatistics, least: float, *, error: float = 1.0, most: int
) -> tuple[Numbers, Numbers, bool]:
    """Find the pairs of tasks whose concordance is at least `least`, allowing for chance.

    Args:
        statistics: The success rates of agents on tasks.
        least: The least concordance, below 1.
        error: The error probability at which no difference among so many agents would leave a
            difference possible; this is added to the difference of each pair.
        most: The largest number of pairs. If there are more, the most concordant are kept.

    Returns:
        The two tasks of each pair, in the order of the tasks, and whether pairs were dropped.

    >>> rng = np.random.default_rng(0)
    >>> solved = rng.integers(0, 2, (100, 50))
    >>> solved[:, 30] = solved[:, 7]
    >>> concordant_pairs(SuccessStatistics.from_rates(solved), 0.9, most=10)
    (array([7]), array([30]), False)
    """
    from threadpoolctl import threadpool_limits

    first, second, values = np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
    dropped, log_error = False, float(np.log(error))
    single = statistics.single
    with threadpool_limits(1):  # the same rounding, whatever the number of threads
        for block in _blocks(statistics.n_tasks):
            one, other = _candidates(statistics, block, least, log_error, single)
            value = concordance(statistics, one, other).least_kappa(log_error)
            fine = value >= least
            first, second = np.append(first, one[fine]), np.append(second, other[fine])
            values = np.append(values, value[fine])
            if len(values) > most:
                kept = np.sort(np.argsort(-values, kind="stable")[:most])
                first, second, values = first[kept], second[kept], values[kept]
                # Pairs that are less concordant than those kept need not be looked at again.
                least, dropped = max(least, float(values.min())), True
    order = np.lexsort((second, first))
    return first[order], second[order], dropped


def _blocks(tasks: int) -> Iterator[Block]:
    starts = range(0, tasks, _BLOCK)
    return (
        (slice(high, min(high + _BLOCK, tasks)), slice(wide, min(wide + _BLOCK, tasks)))
        for high in starts
        for wide in starts
        if wide >= high
    )


def _candidates(
    statistics: SuccessStatistics, block: Block, least: float, log_error: float, single: bool
) -> tuple[Numbers, Numbers]:
    """Pairs of a block that may be concordant enough, as far as single precision can tell."""
    terms = _complete if statistics.tried is None else _with_gaps
    high, wide = block
    one, other = np.nonzero(terms(statistics, block, least, log_error, single) > -_ROUNDING)
    one, other = one + high.start, other + wide.start
    distinct = one < other
    return one[distinct], other[distinct]


def _complete(
    statistics: SuccessStatistics, block: Block, least: float, log_error: float, single: bool
) -> NDArray[np.float32]:
    """(1 - least) * independent - difference - slack: one matrix product gives all terms."""
    agents = statistics.rates.shape[1]
    slack = -np.expm1(log_error / agents)
    if not single:  # the slack is at least this fraction of the independent difference
        least, slack = least + slack, 0.0

    def rows(tasks: slice) -> tuple[NDArray[np.float32], ...]:
        rates = statistics.rates[tasks]
        mean = statistics.success[tasks].astype(np.float32)
        return rates, mean, np.einsum("ta,ta->t", rates, rates) / agents, np.ones_like(mean)

    (x, mean, square, one), (y, other_mean, other_square, other_one) = map(rows, block)
    left = np.column_stack([2 / agents * x, -2 * (1 - least) * mean, -least * square - slack, one])
    right = np.column_stack([y, other_mean, other_one, -least * other_square])
    return left.astype(np.float32) @ right.astype(np.float32).T


def _with_gaps(
    statistics: SuccessStatistics, block: Block, least: float, log_error: float, single: bool
) -> NDArray[np.float32]:
    """The same over the agents that tried both tasks of a pair."""
    assert statistics.tried is not None
    tried, also = (statistics.tried[tasks].astype(np.float32) for tasks in block)
    x, y = (statistics.rates[tasks] for tasks in block)
    product = sparse_product if tried.mean() < SPARSE else np.matmul
    agents = np.maximum(product(tried, also.T), 1)
    squares = (product(x * x, also.T) + product(tried, (y * y).T)) / agents
    difference = squares - 2 * product(x, y.T) / agents
    independent = squares - 2 * product(x, also.T) * product(tried, y.T) / agents**2
    slack = -np.expm1(np.float32(log_error) / agents)
    if not single:
        slack *= independent
    terms: NDArray[np.float32] = (1 - least) * independent - difference - slack
    return np.where(independent > _ROUNDING, terms, np.float32(-1))


def sparse_product(one: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float32]:
    """A matrix product that is fast if both matrices are mostly 0."""
    from scipy.sparse import csr_array

    found: NDArray[np.float32] = (csr_array(one) @ csr_array(other)).toarray()
    return found

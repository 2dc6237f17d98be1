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
        differ = self.independent > 1e-9
        return np.where(
            differ, 1 - self.difference / np.where(differ, self.independent, 1.0), -np.inf
        )


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
    statistics: SuccessStatistics,
    least: float,
    *,
    log_level: float = 0.0,
    most: int,
) -> tuple[Numbers, Numbers, bool]:
    """Find the pairs of tasks whose concordance is at least `least`.

    Args:
        statistics: The success rates of agents on tasks.
        least: The least concordance, below 1.
        log_level: The logarithm of an error probability. Pairs are left out whose difference, plus
            what no difference among as many agents leaves possible at this level, is too large.
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
    dropped = False
    with threadpool_limits(1):  # the same rounding, whatever the number of threads
        for block in _blocks(statistics.n_tasks):
            one, other = _candidates(statistics, block, least, log_level)
            if not len(one):
                continue
            found = concordance(statistics, one, other)
            value = found.kappa
            fine = value >= least
            first, second = np.append(first, one[fine]), np.append(second, other[fine])
            values = np.append(values, value[fine])
            if len(values) > most:
                kept = np.sort(np.argsort(-values, kind="stable")[:most])
                first, second, values = first[kept], second[kept], values[kept]
                # Pairs that are not more concordant than those kept need not be looked at again.
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
    statistics: SuccessStatistics, block: Block, least: float, log_level: float
) -> tuple[Numbers, Numbers]:
    """Pairs of a block that may be concordant enough, as far as single precision can tell."""
    excess = _complete if statistics.tried is None else _with_gaps
    high, wide = block
    one, other = np.nonzero(excess(statistics, block, least, log_level) > -_ROUNDING)
    one, other = one + high.start, other + wide.start
    distinct = one < other
    return one[distinct], other[distinct]


def _complete(
    statistics: SuccessStatistics, block: Block, least: float, log_level: float
) -> NDArray[np.float32]:
    """(1 - least) * independent - difference - slack: one matrix product gives all terms."""
    agents = statistics.rates.shape[1]
    slack = -np.expm1(log_level / agents)

    def rows(tasks: slice) -> tuple[NDArray[np.float32], ...]:
        rates = statistics.rates[tasks]
        mean = statistics.success[tasks].astype(np.float32)
        return rates, mean, np.einsum("ta,ta->t", rates, rates) / agents, np.ones_like(mean)

    (x, mean, square, one), (y, other_mean, other_square, other_one) = map(rows, block)
    left = np.column_stack([2 / agents * x, -2 * (1 - least) * mean, -least * square - slack, one])
    right = np.column_stack([y, other_mean, other_one, -least * other_square])
    return left.astype(np.float32) @ right.astype(np.float32).T


def _with_gaps(
    statistics: SuccessStatistics, block: Block, least: float, log_level: float
) -> NDArray[np.float32]:
    """The same over the agents that tried both tasks of a pair."""
    assert statistics.tried is not None
    x, y = (statistics.rates[tasks] for tasks in block)
    tried, also = (statistics.tried[tasks].astype(np.float32) for tasks in block)
    agents = np.maximum(tried @ also.T, 1)
    squares = ((x * x) @ also.T + tried @ (y * y).T) / agents
    difference = squares - 2 * (x @ y.T) / agents
    independent = squares - 2 * (x @ also.T) * (tried @ y.T) / agents**2
    excess: NDArray[np.float32] = (
        (1 - least) * independent - difference + np.expm1(np.float32(log_level) / agents)
    )
    return np.where(independent > _ROUNDING, excess, -1.0)

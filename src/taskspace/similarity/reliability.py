"""How reliable similarities are: would other agents of the same kind give the same order?

The agents are split in two halves at random, and the similarities of one half are compared with
those of the other. The formula of Spearman and Brown extrapolates to all agents, and to more. It
holds for linear correlations: noise of similarities is inversely proportional to the number of
agents. It does not hold for rank correlations, in which noise counts fully wherever the true
similarities are equal, e.g. 0; they say how much of the whole order is repeated, and no more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.similarity.estimates import pair_estimates
from taskspace.similarity.profiles import INFORMATION, MEASURES
from taskspace.similarity.statistics import sample_pairs
from taskspace.similarity.task_statistics import TaskStatistics

Floats = NDArray[np.float64]

SPLITS = 10
FEWEST_AGENTS = 8  # halves of fewer than four agents say nothing
TARGET = 0.8  # a reliability that is good enough
FEWEST_PAIRS = 10  # of tasks; five tasks have so many
_MOST_AGENTS = 1_000_000  # beyond which nothing is extrapolated


@dataclass(frozen=True, eq=False)
class Reliability:
    """The split-half reliability of similarities; NaN if it cannot be measured.

    Attributes:
        agents: The number of agents whose similarities it is about.
        half: The correlation of the similarities of two halves of the agents, the mean over splits.
        splits: The reliability of all agents according to each split.
        order: The same as `value` with rank correlations (Spearman): how much of the order of all
            similarities is repeated, including the order of those that are equal but for noise. It
            is that of the sample, if there is one.
        sample: The number of agents that were split, if these are a sample.

    >>> known = Reliability(60, 0.25, np.array([0.38, 0.42]), 0.3)
    >>> round(known.value, 2), round(known.spread, 2), known.more_agents(0.8)
    (0.4, 0.03, 300)
    >>> round(known.accuracy, 2)
    0.68
    >>> known.at([60, 120, 360]).round(2)
    array([0.4 , 0.57, 0.8 ])
    """

    agents: int
    half: float
    splits: Floats
    order: float
    sample: int | None = None

    @property
    def value(self) -> float:
        """The reliability of the similarities of all agents, from 0 to 1."""
        if not self.known:
            return float("nan")
        return _of_all(self.half, self.agents / (self.sample or self.agents))

    @property
    def spread(self) -> float:
        """The standard deviation of the reliability between splits."""
        return float(self.splits.std(ddof=1)) if self.known else float("nan")

    @property
    def known(self) -> bool:
        """Whether it could be measured."""
        return math.isfinite(self.half)

    @property
    def accuracy(self) -> float:
        """The share of triplets that these agents order as any number of such agents would.

        It follows from the reliability of the order, 1/2 + arcsin(sqrt(order)) / pi, as for
        normally distributed similarities: similarities that are equal but for noise count as wrong
        half of the time.
        """
        return 0.5 + math.asin(math.sqrt(min(self.order, 1.0))) / math.pi

    def at(self, agents: ArrayLike) -> Floats:
        """The reliability to expect of other numbers of agents of the same kind."""
        factors = np.asarray(agents, np.float64) / self.agents
        if not self.known:
            return np.full(factors.size, np.nan)
        return np.array([spearman_brown(self.value, factor) for factor in factors.ravel()])

    def more_agents(self, target: float) -> int | None:
        """How many more agents of the same kind the target needs; None if it cannot be said."""
        value = self.value
        if not 0 < value < 1:
            return 0 if value == 1 else None
        factor = target * (1 - value) / (value * (1 - target))
        wanted = round(self.agents * factor, 6)  # 300 and not 301 by rounding error
        return max(0, math.ceil(wanted) - self.agents) if wanted <= _MOST_AGENTS else None


def spearman_brown(reliability: float, factor: float) -> float:
    """The reliability of `factor` times as many agents, by the formula of Spearman and Brown.

    Args:
        reliability: The reliability of the agents at hand, at most 1.
        factor: The number of agents relative to them.

    Returns:
        The reliability to expect.

    Raises:
        ValueError: If the reliability exceeds 1, or if the factor is not positive.

    >>> spearman_brown(0.5, 2)
    0.666...
    """
    given, times = checks.number(reliability, "reliability"), checks.number(factor, "factor")
    if given > 1:
        raise ValueError(f"reliability must be at most 1, got {given:g}")
    if times <= 0:
        raise ValueError(f"factor must be positive, got {times:g}")
    return times * given / max(1 + (times - 1) * given, 1e-12)


def split_half(
    statistics: TaskStatistics,
    rng: np.random.Generator,
    splits: int = SPLITS,
    agents: int | None = None,
) -> dict[str, Reliability]:
    """Measure the reliability of similarities by random halves of the agents.

    It is the correlation of the similarities of pairs of tasks in two halves, extrapolated to all
    agents. If there are many tasks, a sample of pairs represents all.

    Args:
        statistics: The results of agents on tasks.
        rng: The generator that splits.
        splits: The number of splits.
        agents: The number of agents that these are a sample of, if they are one.

    Returns:
        The reliability by measure, "information" and "correlation". It is unknown with fewer than
        8 agents or 10 pairs of tasks.

    >>> from taskspace.similarity.statistics import SuccessStatistics
    >>> rng = np.random.default_rng(0)
    >>> skills = np.repeat(rng.normal(size=(400, 2)), 10, axis=1)  # ten tasks for each of two
    >>> solved = SuccessStatistics.from_rates(rng.random((400, 20)) < 1 / (1 + np.exp(-2 * skills)))
    >>> found = split_half(solved, rng)["correlation"]
    >>> round(found.value, 2), round(found.order, 2)
    (0.95, 0.85)
    """
    checks.whole(splits, "splits", 2)
    sample = statistics.rates.shape[1]
    agents = sample if agents is None else checks.whole(agents, "agents", sample)
    pairs = sample_pairs(statistics.n_tasks, rng)
    found: dict[str, list[tuple[float, float]]] = {measure: [] for measure in MEASURES}
    if sample >= FEWEST_AGENTS and len(pairs[0]) >= FEWEST_PAIRS:
        for _ in range(splits):
            order = rng.permutation(sample)
            halves = [statistics.of_agents(part) for part in np.array_split(order, 2)]
            for measure in MEASURES:
                one, other = (_similarities(half, pairs, measure) for half in halves)
                found[measure].append(_correlations(one, other))
    return {measure: _reliability(agents, sample, halves) for measure, halves in found.items()}


def _reliability(agents: int, sample: int, halves: list[tuple[float, float]]) -> Reliability:
    table = np.array(halves or [(np.nan, np.nan)])
    if np.isnan(table).any():
        return Reliability(agents, float("nan"), np.full(len(table), np.nan), float("nan"), sample)
    half, ranks = table.mean(0).tolist()
    splits = np.array([_of_all(one, agents / sample) for one in table[:, 0].tolist()])
    return Reliability(agents, half, splits, _of_all(ranks), sample)


def _of_all(half: float, factor: float = 1.0) -> float:
    """The reliability of two halves together, or of `factor` times as many agents; at least 0."""
    return spearman_brown(max(half, 0.0), 2.0 * factor)


def _similarities(
    statistics: TaskStatistics, pairs: tuple[NDArray[np.int64], ...], measure: str
) -> Floats:
    if measure == INFORMATION:
        first, second = pairs
        return pair_estimates(statistics, first, second)
    return statistics.correlation(*pairs)


def _correlations(one: Floats, other: Floats) -> tuple[float, float]:
    """The correlation of what is known of both, and that of its ranks; NaN if it is too little."""
    from scipy.stats import rankdata

    both = np.isfinite(one) & np.isfinite(other)
    if both.sum() < FEWEST_PAIRS:
        return float("nan"), float("nan")
    # Rounding must not part what is equal, e.g. similarities of 0.
    first, second = (values[both].round(9) for values in (one, other))
    return _correlation(first, second), _correlation(rankdata(first), rankdata(second))


def _correlation(one: Floats, other: Floats) -> float:
    """Pearson's correlation; 0 if one of them does not vary."""
    if not np.ptp(one) or not np.ptp(other):
        return 0.0
    return float(np.corrcoef(one, other)[0, 1])

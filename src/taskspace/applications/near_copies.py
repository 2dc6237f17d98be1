"""Near-copies among tasks: pairs that agree far more than the population model explains.

All tasks of a test agree to some extent, because agents differ in ability and in a few skills. So
the results on a pair are compared with a model in which the two tasks share nothing but the
agents' factors (`models/success/factors.py`). The excess agreement of a pair is

    1 - difference / difference expected by the model,

where the difference is the fraction of agents whose results on the two tasks differ (of scores, the
mean squared difference). It is 0 for two tasks that share only the factors and 1 for two that
always have the same result. Two tasks are near-copies if the lower bound of its interval, which
holds for all pairs at once, is at least the threshold.

The model must not explain copies away: a group of copies would be a factor of its own. So tasks
that are very alike count once in the model.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from taskspace.models.success.factors import fit_factors
from taskspace.outcomes.outcomes import Outcomes
from taskspace.similarity.concordance import Concordance, concordance, concordant_pairs
from taskspace.similarity.statistics import SuccessStatistics

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

MOST_PAIRS = 200_000  # that are compared with the model, to bound memory
# If no pair is a near-copy, the best that would be if they were the only pair looked at are shown.
CANDIDATES, ALONE = 20, 0.025
# Tasks count once in the model if their concordance is so large, in single attempts, or if their
# excess agreement given general ability is.
NEARLY_EQUAL, VERY_ALIKE = 0.9, 0.6
RANK = 8  # most factors of the model
AGENTS_PER_FACTOR, TASKS_PER_FACTOR = 10, 10  # at least
LEAST_SPREAD = 0.05  # of the loadings; a small one lets learning switch factors off
_RESULTS, _FEWEST, _MOST = 4_000_000, 200, 2000  # results and tasks from which factors are learned
_RIDGE = 1e-6


@dataclass(frozen=True, eq=False)
class PairTest:
    """Pairs of tasks and their excess agreement; one entry per pair."""

    first: Numbers
    second: Numbers
    agents: Numbers  # that tried both
    difference: Floats  # fraction of agents with different results
    expected: Floats  # the same according to the population model
    excess: Floats
    low: Floats
    high: Floats

    def only(self, chosen: NDArray[np.bool_] | Numbers) -> PairTest:
        """Some of the pairs."""
        return PairTest(*(getattr(self, field.name)[chosen] for field in fields(self)))


def find_near_copies(
    outcomes: Outcomes, statistics: SuccessStatistics, threshold: float, error: float
) -> tuple[PairTest, bool]:
    """Pairs that may be near-copies, the surest first, and whether more of them were left off.

    `error` is the error probability of each bound of each pair's interval. If no pair is a
    near-copy, the best of those are returned that would be if each were the only pair looked at.
    """
    tested, dropped = _candidates(outcomes, statistics, threshold, error, error, MOST_PAIRS)
    if not (tested.low >= threshold).any():
        tested, _ = _candidates(outcomes, statistics, threshold, ALONE, error, CANDIDATES)
        dropped = False
    return tested, dropped


def _candidates(
    outcomes: Outcomes,
    statistics: SuccessStatistics,
    threshold: float,
    search_error: float,
    error: float,
    most: int,
) -> tuple[PairTest, bool]:
    tasks = np.flatnonzero(_usable(statistics, threshold, search_error))
    some = _of_tasks(statistics, tasks)
    first, second, dropped = concordant_pairs(some, threshold, error=search_error, most=most)
    tested = _test(outcomes, statistics, tasks[first], tasks[second], error)
    tested = tested.only(tested.excess >= threshold)
    order = np.lexsort((tested.second, tested.first, -tested.excess, -tested.low))
    return tested.only(order), dropped


def agents_needed(threshold: float, error: float, expected: float = 0.5) -> int:
    """The fewest agents with which two tasks can be near-copies if their results never differ.

    `expected` is the difference that the population model expects; 0.5 is the largest.

    >>> agents_needed(0.5, 0.025), agents_needed(0.5, 0.025 / 1770)
    (13, 39)
    """
    return int(np.ceil(np.log(error) / np.log1p(-(1 - threshold) * expected)))


def count_pairs(statistics: SuccessStatistics) -> int:
    """The number of pairs of tasks on which agents differ."""
    tasks = int((spread(statistics) > 0).sum())
    return tasks * (tasks - 1) // 2


def spread(statistics: SuccessStatistics) -> Floats:
    """The sum over agents of the squared deviations from the mean of a task."""
    squares = np.einsum("ta,ta->t", statistics.rates, statistics.rates, dtype=np.float64)
    found = squares - _agents(statistics) * statistics.success**2
    return np.where(found > 1e-9, found, 0.0)


def _agents(statistics: SuccessStatistics) -> Numbers:
    """The number of agents that tried each task."""
    if statistics.tried is None:
        return np.full(statistics.n_tasks, statistics.rates.shape[1])
    return statistics.tried.sum(1)


def _usable(statistics: SuccessStatistics, threshold: float, error: float) -> NDArray[np.bool_]:
    """The tasks that can be in a near-copy: agents differ on them, and enough agents tried them."""
    apart = spread(statistics)
    if not statistics.single:
        return apart > 0
    agents = agents_needed(threshold, error)
    slack = -agents * np.expm1(np.log(error) / agents)  # of the fewest agents; more have more
    usable: NDArray[np.bool_] = 2 * (1 - threshold) * apart >= slack * (1 - 1e-9)
    return usable & (_agents(statistics) >= agents)


def _of_tasks(statistics: SuccessStatistics, tasks: Numbers) -> SuccessStatistics:
    tried = None if statistics.tried is None else statistics.tried[tasks]
    return SuccessStatistics(
        statistics.rates[tasks], statistics.success[tasks], statistics.twice[tasks], tried
    )


def _test(
    outcomes: Outcomes, statistics: SuccessStatistics, first: Numbers, second: Numbers, error: float
) -> PairTest:
    """Compare pairs with the population model."""
    found = concordance(statistics, first, second)
    scale = _expected_by_model(outcomes, statistics, first, second, found)
    lower, upper = bounds(found.difference, found.agents, found.atom, error)
    return PairTest(
        first, second, found.agents, found.difference, scale,
        1 - found.difference / scale, np.maximum(1 - upper / scale, -1.0), 1 - lower / scale,
    )  # fmt: skip


def _expected_by_model(
    outcomes: Outcomes,
    statistics: SuccessStatistics,
    first: Numbers,
    second: Numbers,
    found: Concordance,
) -> Floats:
    """The difference of each pair if its tasks share only the factors of the population.

    Which tasks count once is found in two steps: nearly equal results are the same task, whatever
    the model, and the others are judged given general ability alone, because it makes results on
    all tasks alike, and a few copies cannot bend it.
    """
    if not len(first):
        return np.zeros(0)
    tasks = np.flatnonzero(spread(statistics) > 0)

    def expected(alike: Floats, least: float, rank: int) -> Floats:
        factors = agent_factors(outcomes, counted_once(tasks, first, second, alike, least), rank)
        by_factors = _expected(statistics, factors, first, second)
        return np.maximum(np.minimum(by_factors, found.independent), 1e-12)

    equal = found.kappa if statistics.single else np.zeros(len(first))
    given_ability = 1 - found.difference / expected(equal, NEARLY_EQUAL, 1)
    alike = np.where(equal >= NEARLY_EQUAL, 1.0, given_ability)
    return expected(alike, VERY_ALIKE, RANK)


def bounds(
    difference: Floats, agents: Numbers, atom: Floats | float, error: float
) -> tuple[Floats, Floats]:
    """Bounds of the expected difference; each fails with probability at most `error`.

    For single attempts they are Clopper and Pearson's exact bounds of a proportion. Scores count
    as that many agents whose results differ by the typical amount, `atom`.

    >>> lower, upper = bounds(np.array([0.0]), np.array([100]), 1.0, 0.025)
    >>> lower, upper.round(3)
    (array([0.]), array([0.036]))
    """
    from scipy.stats import beta

    number = np.maximum(agents, 1)
    count = np.minimum(number * difference / atom, number)
    with np.errstate(invalid="ignore"):
        upper = beta.ppf(1 - error, count + 1, number - count)
        lower = beta.ppf(error, count, number - count + 1)
    lower = np.where(count > 0, lower, 0.0) * atom
    upper = np.where(count < number, upper, 1.0) * atom
    return lower, upper


def groups(pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Groups in which all pairs are given (complete linkage); the first pairs join first.

    >>> groups([(0, 1), (2, 3), (1, 2), (0, 4), (1, 4)])  # 2 and 3 are not linked to 0
    [[0, 1, 4], [2, 3]]
    """
    ordered = list(pairs)
    linked = set(ordered) | {(b, a) for a, b in ordered}
    group: dict[int, set[int]] = {}
    for pair in ordered:
        one, other = (group.setdefault(task, {task}) for task in pair)
        if one is not other and all((a, b) in linked for a in one for b in other):
            one |= other
            group.update(dict.fromkeys(other, one))
    return sorted({tuple(sorted(each)): sorted(each) for each in group.values() if len(each) > 1}
        .values())  # fmt: skip


def counted_once(
    tasks: Numbers, first: Numbers, second: Numbers, alike: Floats, least: float
) -> Numbers:
    """The tasks of the model: all, but one of each group whose pairs are at least so much alike."""
    order = np.argsort(-alike, kind="stable")
    chosen = order[alike[order] >= least]
    found = groups(zip(first[chosen].tolist(), second[chosen].tolist(), strict=True))
    return np.setdiff1d(tasks, [task for group in found for task in group[1:]])


def agent_factors(outcomes: Outcomes, tasks: Numbers, most_factors: int) -> Floats:
    """The agents' factors (agents, 1 + factors), with a constant first; few data allow only it."""
    from threadpoolctl import threadpool_limits

    agents = outcomes.n_agents
    rank = min(most_factors, agents // AGENTS_PER_FACTOR, len(tasks) // TASKS_PER_FACTOR)
    constant = np.ones((agents, 1))
    if not rank:
        return constant
    most = int(np.clip(_RESULTS // agents, _FEWEST, _MOST))
    tried = np.count_nonzero(outcomes.rollouts, axis=0)[tasks]
    shuffled = np.random.default_rng(0).permutation(len(tasks))
    # The tasks that most agents tried say most about the agents.
    chosen = tasks[np.sort(shuffled[np.argsort(-tried[shuffled], kind="stable")][:most])]
    successes, attempts = (
        table[:, chosen].astype(np.float64) for table in (outcomes.successes, outcomes.rollouts)
    )
    with threadpool_limits(1):  # the same rounding, whatever the number of threads
        fitted = fit_factors(successes, attempts, rank, LEAST_SPREAD)
    return np.concatenate([constant, fitted.agents.mean], axis=1)


def _expected(some: SuccessStatistics, factors: Floats, first: Numbers, second: Numbers) -> Floats:
    """The difference of each pair if the tasks share only the agents' factors."""
    tasks, places = np.unique(np.append(first, second), return_inverse=True)
    one, other = places[: len(first)], places[len(first) :]
    loadings, own = loadings_of(some, tasks, factors)
    covariance = factors.T @ factors / len(factors)
    apart = loadings[one] - loadings[other]
    explained = np.einsum("pi,ij,pj->p", apart, covariance, apart)
    return explained + own[one] + own[other]


def loadings_of(
    statistics: SuccessStatistics, tasks: Numbers, factors: Floats
) -> tuple[Floats, Floats]:
    """How each task depends on the agents' factors, and the variance that they do not explain."""
    rates = statistics.rates[tasks].astype(np.float64)
    tried = np.ones(rates.shape, bool) if statistics.tried is None else statistics.tried[tasks]
    moments = (tried @ (factors[:, :, None] * factors[:, None]).reshape(len(factors), -1)).reshape(
        len(tasks), factors.shape[1], factors.shape[1]
    )
    solved = np.linalg.solve(
        moments + _RIDGE * np.eye(factors.shape[1]), (rates @ factors)[:, :, None]
    )
    loadings = np.asarray(solved[:, :, 0], np.float64)
    residuals = np.where(tried, rates - loadings @ factors.T, 0.0)
    freedom = np.maximum(tried.sum(1) - factors.shape[1], 1)
    own: Floats = (residuals**2).sum(1) / freedom
    return loadings, own

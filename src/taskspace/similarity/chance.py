"""What chance would give: tables in which the results of every task are shuffled among the agents.

In such a table, agents solve as many tasks as before on average, but nothing is left of what two
tasks share. What the true table has beyond it is not due to chance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taskspace.similarity.profiles import CORRELATION
from taskspace.similarity.statistics import sample_pairs
from taskspace.similarity.task_statistics import TaskStatistics

Floats = NDArray[np.float64]

SHUFFLES = 9  # tables of shuffled results whose eigenvalues are those of chance
MOST_SKILLS = 20  # eigenvalues that are compared
_SIMILAR = 3  # agents of similar skill, among which results are shuffled
PAIR_SHUFFLES = 19  # the similarity of an independent pair exceeds all of them in 5 % of cases
CHANCE_OF_A_PAIR = 1 / (PAIR_SHUFFLES + 1)


@dataclass(frozen=True, eq=False)
class Scree:
    """The leading eigenvalues of the correlations of outcomes, and what chance would give.

    Attributes:
        values: The eigenvalues, the largest first.
        chance: The largest values that shuffled tables have in their place.

    >>> scree = Scree(np.array([6.0, 3.0, 1.0]), np.array([2.0, 1.5, 1.2]))
    >>> scree.above, round(scree.first_share, 2)
    (2, 0.73)
    """

    values: Floats
    chance: Floats

    @property
    def above(self) -> int:
        """The number of leading eigenvalues that exceed chance: skills in which agents differ."""
        above = self.values > self.chance
        return len(above) if above.all() else int(above.argmin())

    @property
    def first_share(self) -> float:
        """The share of the first one in what exceeds chance; NaN if nothing does."""
        beyond = (self.values - self.chance)[: self.above]
        return float(beyond[0] / beyond.sum()) if self.above else float("nan")


def parallel_analysis(
    statistics: TaskStatistics, tasks: NDArray[np.int64], rng: np.random.Generator
) -> Scree:
    """Compare the eigenvalues of correlations with those of shuffled tables (Horn's analysis).

    An eigenvalue must exceed those of all shuffled tables. (Horn compared with their mean, which
    often finds dimensions in noise.) Correlations serve for both measures of similarity: they need
    fewer agents than information.

    Args:
        statistics: The results of agents on tasks.
        tasks: The indices of the tasks to correlate.
        rng: The generator that shuffles.

    Returns:
        The leading eigenvalues, at most 20 and fewer than tasks.

    >>> from taskspace.similarity.statistics import SuccessStatistics
    >>> rng = np.random.default_rng(0)
    >>> skills = np.repeat(rng.normal(size=(400, 2)), 10, axis=1)  # ten tasks for each of two
    >>> solved = SuccessStatistics.from_rates(rng.random((400, 20)) < 1 / (1 + np.exp(-2 * skills)))
    >>> parallel_analysis(solved, np.arange(20), rng).above
    2
    """
    from threadpoolctl import threadpool_limits

    most = min(MOST_SKILLS, len(tasks) - 1)
    with threadpool_limits(1):  # bit-identical on any number of cores
        found = _correlation_spectrum(statistics, tasks)
        tables = (shuffled(statistics, rng) for _ in range(SHUFFLES))
        chance = np.max([_correlation_spectrum(each, tasks) for each in tables], axis=0)
    return Scree(found[:most], chance[:most])


def beyond_one_ability(
    statistics: TaskStatistics, tasks: NDArray[np.int64], rng: np.random.Generator
) -> bool:
    """Whether agents differ in more than one ability.

    Tasks of one ability and different difficulties may have several eigenvalues above chance:
    easy tasks are more similar to easy ones. Therefore the second eigenvalue is compared with those
    of tables in which the results of every task are shuffled among agents of similar scores.

    Args:
        statistics: The results of agents on tasks.
        tasks: The indices of the tasks to correlate.
        rng: The generator that shuffles.

    Returns:
        Whether the second eigenvalue exceeds those of all shuffled tables.

    >>> from taskspace.similarity.statistics import SuccessStatistics
    >>> rng = np.random.default_rng(0)
    >>> skill, level = rng.normal(size=(300, 1)), rng.normal(size=40)
    >>> solved = rng.random((300, 40)) < 1 / (1 + np.exp(-4 * (skill - level)))
    >>> one_skill = SuccessStatistics.from_rates(solved)
    >>> parallel_analysis(one_skill, np.arange(40), rng).above
    2
    >>> beyond_one_ability(one_skill, np.arange(40), rng)
    False
    """
    from threadpoolctl import threadpool_limits

    if len(tasks) < 3:
        return False
    with threadpool_limits(1):  # bit-identical on any number of cores
        found = _correlation_spectrum(statistics, tasks)[1]
        for _ in range(SHUFFLES):
            mixed = shuffled_among_similar(statistics, rng)
            if _correlation_spectrum(mixed, tasks)[1] >= found:
                return False
    return True


def share_above_chance(statistics: TaskStatistics, rng: np.random.Generator) -> float:
    """The share of pairs of tasks whose similarity in bits exceeds those of 19 shuffled tables.

    Of independent tasks, it is 5 % or less.

    Args:
        statistics: The results of agents on tasks.
        rng: The generator that shuffles, and draws a sample of pairs if there are many tasks.

    Returns:
        The share; NaN if no pair of tasks has a known similarity.

    >>> from taskspace.similarity.statistics import SuccessStatistics
    >>> rng = np.random.default_rng(0)
    >>> one_skill = SuccessStatistics.from_rates(rng.normal(size=(100, 1)) > rng.normal(size=20))
    >>> share_above_chance(one_skill, rng) > 0.8
    True
    """
    first, second = sample_pairs(statistics.n_tasks, rng)
    found = statistics.pairs(first, second)
    most = np.zeros_like(found)
    for _ in range(PAIR_SHUFFLES):
        most = np.fmax(most, shuffled(statistics, rng).pairs(first, second))
    known = np.isfinite(found)
    rounding = 1e-9  # ties are not above chance
    return float((found[known] > most[known] + rounding).mean()) if known.any() else float("nan")


def shuffled(statistics: TaskStatistics, rng: np.random.Generator) -> TaskStatistics:
    """The same results and the same missing pairs, with those of each task in random order."""
    values = statistics.values
    if statistics.tried is None:
        mixed = rng.permuted(values, axis=1)
    else:
        mixed = np.zeros_like(values)
        for row, tried in enumerate(statistics.tried):
            mixed[row, tried] = rng.permutation(values[row, tried])
    return statistics.with_values(mixed)


def shuffled_among_similar(statistics: TaskStatistics, rng: np.random.Generator) -> TaskStatistics:
    """The same with the results of each task shuffled among three agents of similar scores each.

    They are neighbours among the agents that tried the task, in the order of their scores relative
    to the tasks that they tried.
    """
    tried = statistics.tried
    by_score = _by_score(statistics, rng)
    start = int(rng.integers(_SIMILAR))  # so that not the same agents are together each time
    mixed = np.zeros_like(statistics.values)
    for row, values in enumerate(statistics.values):
        agents = by_score if tried is None else by_score[tried[row, by_score]]
        group = (np.arange(len(agents)) + start) // _SIMILAR
        mixed[row, agents] = values[agents[np.argsort(group + rng.random(len(agents)))]]
    return statistics.with_values(mixed)


def _by_score(statistics: TaskStatistics, rng: np.random.Generator) -> NDArray[np.int64]:
    """The agents in the order of their scores; ties are broken at random."""
    deviations = statistics.values - statistics.centres[:, None]
    if statistics.tried is None:
        score = deviations.mean(0)
    else:
        score = (deviations * statistics.tried).sum(0) / np.maximum(statistics.tried.sum(0), 1)
    order = rng.permutation(len(score))
    return order[np.argsort(score[order], kind="stable")]


def _correlation_spectrum(statistics: TaskStatistics, tasks: NDArray[np.int64]) -> Floats:
    matrix = np.nan_to_num(statistics.matrix(tasks, tasks, CORRELATION).astype(np.float64))
    np.fill_diagonal(matrix, 1.0)
    return np.asarray(np.linalg.eigvalsh(matrix)[::-1], np.float64)

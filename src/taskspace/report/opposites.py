"""The section of a report about opposite tasks: agents good at one tend to be bad at the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from taskspace.outcomes.labels import shortened
from taskspace.report import html
from taskspace.report.words import decimals
from taskspace.similarity.estimates import pair_estimates
from taskspace.similarity.profiles import CORRELATION
from taskspace.similarity.returns import statistics_of
from taskspace.similarity.statistics import sample_pairs
from taskspace.similarity.task_statistics import TaskStatistics

if TYPE_CHECKING:
    from taskspace.runs.run import Run

MOST_PAIRS = 10  # rows of the table
LEVEL = 0.05  # probability that any pair is listed if no tasks are opposite
LONGEST = 60  # characters of the name of a task


def sections(run: Run) -> list[html.Section]:
    """The most opposite pairs of tasks on a map by correlation; nothing if there are none."""
    if run.measure != CORRELATION:
        return []
    statistics = statistics_of(run.outcomes)
    first, second = sample_pairs(statistics.n_tasks, np.random.default_rng(0))
    found = beyond_chance(statistics, first, second)
    if not len(found):
        return []
    values = pair_estimates(statistics, first[found], second[found], CORRELATION)
    agents = statistics.together(first[found], second[found])
    best = np.argsort(values, kind="stable")[:MOST_PAIRS]
    names = [shortened(str(name), LONGEST) for name in run.outcomes.tasks]
    rows = [
        (
            f"{names[first[found[pair]]]} and {names[second[found[pair]]]}",
            decimals(float(values[pair])),
            int(agents[pair]),
        )
        for pair in best
    ]
    caption = (
        f"The most opposite {len(rows)} of {len(found):,} pairs whose correlation is more negative"
        f" than chance explains (of {len(first):,} pairs looked at): agents that are good at one"
        " task tend to be bad at the other. Correlations are shrunk towards 0, the more the fewer"
        " agents tried both tasks."
    )
    columns = ("pair", "correlation", "agents")
    return [html.Numbers(rows, columns, heading="Opposite tasks", caption=caption)]


def beyond_chance(
    statistics: TaskStatistics, first: NDArray[np.int64], second: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The pairs whose correlations are more negative than chance explains, at LEVEL for all.

    A correlation of independent tasks has a standard error of 1 / sqrt(n - 1) with n agents, and a
    larger one if it was divided by the reliabilities of returns.

    >>> from taskspace.similarity.statistics import SuccessStatistics
    >>> halves = SuccessStatistics.from_rates([[1, 0, 1]] * 20 + [[0, 1, 1]] * 20)
    >>> beyond_chance(halves, np.array([0, 0]), np.array([1, 2]))
    array([0])
    """
    from scipy.stats import norm

    agents = statistics.together(first, second)
    larger = np.sqrt(np.maximum(statistics.noise[first] * statistics.noise[second], 1.0))
    errors = statistics.correlation(first, second) * np.sqrt(np.maximum(agents - 1, 0)) / larger
    return np.flatnonzero(errors < norm.ppf(LEVEL / max(len(first), 1)))

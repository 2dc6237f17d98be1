"""The full score of a new agent, from any answered tasks, with an interval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.applications.replay import Replay, members, replay, share, single_attempts
from taskspace.models.linear_population import Floats, LinearPopulation, Numbers

EVERY = "all tasks"
_POOLED = 10  # number of agents that the other groups are worth, when the errors are scaled


@dataclass(frozen=True, eq=False)
class Scores:
    """Full scores of one agent: its mean success rate over all tasks of each group.

    Attributes:
        names: The groups: "all tasks", or the values of a label.
        scores: The estimated score on each group. Answered tasks count with their results.
        low: The lower bound of each score.
        high: The upper bound of each score.
        answered: The number of answered tasks of each group.
        tasks: The number of tasks of each group.
        plain: The mean of the answers in each group, for comparison; NaN if there are none.
        level: The probability with which an interval contains the score.

    >>> import taskspace as ts
    >>> outcomes = ts.Outcomes([[1, 1, 0, 0]] * 9 + [[0, 0, 1, 1], [1, 1, 1, 1]] * 9, 1)
    >>> found = ts.PerformancePredictor().fit(outcomes).score(["task-0", "task-1"], [1, 1])
    >>> found.names, found.answered, found.tasks
    (array(['all tasks'], dtype='<U9'), array([2]), array([4]))
    >>> bool(found.low[0] <= found.scores[0] <= found.high[0])
    True
    """

    names: NDArray[np.str_]
    scores: Floats
    low: Floats
    high: Floats
    answered: NDArray[np.int64]
    tasks: NDArray[np.int64]
    plain: Floats
    level: float

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns of a table with one row per group."""
        names = ("scores", "low", "high", "answered", "tasks", "plain")
        table = {name: getattr(self, name) for name in names}
        return {"group": self.names, "score": table.pop("scores"), **table}


def groups_by(
    labels: Mapping[str, NDArray[Any]], by: Any, count: int
) -> tuple[NDArray[np.str_], NDArray[np.int64]]:
    """The names of the groups, and the number of the group of each task, or -1.

    >>> groups_by({"topic": np.array(["sums", "areas", "", "sums"], object)}, "topic", 4)
    (array(['areas', 'sums'], dtype='<U5'), array([ 1,  0, -1,  1]))
    """
    if by is None:
        return np.array([EVERY]), np.zeros(count, np.int64)
    if by not in labels:
        known = ", ".join(repr(name) for name in labels) or "no labels"
        raise ValueError(
            f"by must be a label of the tasks, got {checks.brief(by)}; there are {known}"
        )
    values = labels[by]
    missing = np.isnan(values) if values.dtype.kind == "f" else values == ""
    names, numbers = np.unique(values[~missing].astype(np.str_), return_inverse=True)
    groups = np.full(count, -1, np.int64)
    groups[~missing] = numbers
    return names, groups


def estimate_scores(
    population: LinearPopulation,
    answered: Numbers,
    results: Floats,
    names: NDArray[np.str_],
    groups: NDArray[np.int64],
    level: float,
) -> Scores:
    """Estimate the full score on each group of tasks; see `PerformancePredictor.score`."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # bit-identical on any number of cores
        single = single_attempts(population, answered, results)
        errors = replay(population, answered, groups, single_attempts=single)
        regression = population.regression(answered, errors.shrinkage)
        weights = regression.weights(results)
        asked = members(groups, answered)
        rest = members(groups, np.setdiff1d(np.arange(len(groups)), answered))
        spread = np.sqrt(np.diagonal(population.group_covariance(regression, rest)))
    counts, left = _sizes(asked), _sizes(rest)
    known = np.zeros(len(groups))
    known[answered] = results
    solved = np.array([known[tasks].sum() for tasks in asked])
    expected, others = (
        np.array([weights @ population.sums(tasks) for tasks in part]) for part in (asked, rest)
    )
    missed = (solved - expected) / np.maximum(counts, 1)
    predicted = others / np.maximum(left, 1) + share(counts, errors.halves()) * missed
    width = spread * widths(errors, level)
    sizes = counts + left
    low, middle, high = (
        (solved + left * np.clip(predicted + side * width, 0.0, 1.0)) / sizes for side in (-1, 0, 1)
    )
    plain = np.where(counts > 0, solved / np.maximum(counts, 1), np.nan)
    return Scores(names, middle, low, high, counts, sizes, plain, level)


def _sizes(parts: list[Numbers]) -> NDArray[np.int64]:
    return np.array([len(part) for part in parts], np.int64)


def widths(errors: Replay, level: float) -> Floats:
    """Half of the width of each group's interval, in standard deviations of the model.

    The errors of the replayed agents give the scale, and Student's distribution the quantile.
    """
    from scipy.stats import t

    squares = errors.corrected(errors.halves()) ** 2
    agents = (~np.isnan(squares)).sum(0)
    total = np.nansum(squares, 0)
    pooled = total.sum() / max(agents.sum(), 1)
    scale = np.sqrt((total + _POOLED * pooled) / (agents + _POOLED))
    freedom = max(len(squares) - 1, 1)
    return scale * float(t.ppf((1 + level) / 2, freedom))

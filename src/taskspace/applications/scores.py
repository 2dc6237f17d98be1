"""The full score of a new agent, from any answered tasks, with an interval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.applications.distributions import student_quantile
from taskspace.applications.replay import (
    Replay,
    members,
    misfit_of,
    other_sums,
    replay,
    share,
    single_attempts,
)
from taskspace.models.linear_population import Floats, LinearPopulation, Numbers
from taskspace.outcomes.html_tables import html_table
from taskspace.outcomes.labels import LABEL, value_text

EVERY = "all tasks"
LEAST_AGENTS = 5  # the errors of fewer say too little about those of the next
_CHOSEN = 2  # settings chosen by the errors of the known agents


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
        misfit: By how much the answers differ more from the prediction than those of the known
            agents, if they differ more than those of any; otherwise 1. Intervals are widened by it.

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
    misfit: float = 1.0

    @property
    def unusual(self) -> bool:
        """Whether the answers are unlike those of every known agent."""
        return self.misfit > 1

    @property
    def warning(self) -> str:
        """A sentence about unusual answers; empty if they are not unusual."""
        if not self.unusual:
            return ""
        return (
            "the answers are unlike those of every known agent, so the scores are uncertain and"
            f" their intervals were made at least {self.misfit:.1f} times as wide"
        )

    def _repr_html_(self) -> str:
        """The table in a notebook."""
        return html_table(self.columns, notes=[self.warning if self.unusual else ""], what="groups")

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns of a table with one row per group."""
        names = ("scores", "low", "high", "answered", "tasks", "plain")
        table = {name: getattr(self, name) for name in names}
        return {"group": self.names, "score": table.pop("scores"), **table}


def groups_by(
    labels: Mapping[str, NDArray[Any]], by: Any, count: int, what: str = "by"
) -> tuple[NDArray[np.str_], NDArray[np.int64]]:
    """The names of the groups, and the number of the group of each task, or -1.

    Texts are in alphabetical order, numbers in that of their size. A label may be given as tables
    of tasks show it, e.g. as label:cluster. `what` is what error messages call the label.

    >>> groups_by({"topic": np.array(["sums", "areas", "", "sums"], object)}, "topic", 4)
    (array(['areas', 'sums'], dtype='<U5'), array([ 1,  0, -1,  1]))
    >>> groups_by({"grade": np.array([10.0, 9.0, np.nan, 9.0])}, "grade", 4)
    (array(['9', '10'], dtype='<U2'), array([ 1,  0, -1,  0]))
    """
    if by is None:
        return np.array([EVERY]), np.zeros(count, np.int64)
    if isinstance(by, str) and by not in labels:
        by = by.removeprefix(LABEL)
    if not isinstance(by, str) or by not in labels:
        known = ", ".join(repr(name) for name in labels) or "no labels"
        raise ValueError(
            f"{what} must be a label of the tasks, got {checks.brief(by)}; there are {known}"
        )
    values = labels[by]
    numeric = values.dtype.kind == "f"
    missing = np.isnan(values) if numeric else values == ""
    if missing.all():
        raise ValueError(f"{what} must be a label with values, got {by!r}, which no task has")
    known = values[~missing] if numeric else values[~missing].astype(np.str_)
    names, numbers = np.unique(known, return_inverse=True)
    groups = np.full(count, -1, np.int64)
    groups[~missing] = numbers
    return np.array([value_text(name) for name in names.tolist()]), groups


def unlabelled(by: str, groups: NDArray[np.int64]) -> str:
    """A sentence about the tasks that are in no group; empty if there are none.

    >>> unlabelled("topic", np.array([0, -1, 1]))
    '1 of 3 tasks has no topic.'
    """
    count = int((groups < 0).sum())
    verb = "has" if count == 1 else "have"
    return f"{count:,} of {len(groups):,} tasks {verb} no {by}." if count else ""


def estimate_scores(
    population: LinearPopulation,
    answered: Numbers,
    results: Floats,
    names: NDArray[np.str_],
    groups: NDArray[np.int64],
    level: float,
    noise: Floats | None = None,
) -> Scores:
    """Estimate the full score on each group of tasks; see `PerformancePredictor.score`.

    `noise` is for returns: the standard deviation (agents, tasks) of an attempt.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # bit-identical on any number of cores
        how = _attempts(population, answered, results, noise)
        errors = replay(population, answered, groups, **how)
        return scores_given(errors, answered, results, names, groups, level)


def scores_given(
    errors: Replay,
    answered: Numbers,
    results: Floats,
    names: NDArray[np.str_],
    groups: NDArray[np.int64],
    level: float,
) -> Scores:
    """Estimate scores as `estimate_scores` does, given the errors of the known agents.

    These are the same for all agents that answer the same tasks.
    """
    population = errors.population
    weights = population.weights(answered, results, errors.shrinkage)
    asked = members(groups, answered)
    counts, sizes = _sizes(asked), np.bincount(groups[groups >= 0], minlength=len(asked))
    left = sizes - counts
    known = np.zeros(len(groups))
    known[answered] = results
    solved = np.array([known[tasks].sum() for tasks in asked])
    expected = np.array([weights @ population.sums(tasks) for tasks in asked])
    others = other_sums(population, asked) @ weights
    missed = (solved - expected) / np.maximum(counts, 1)
    predicted = others / np.maximum(left, 1) + share(counts, errors.halves) * missed
    predicted = np.clip(predicted, 0.0, 1.0)  # otherwise both bounds could be 0, or both 1
    own = misfit_of(population, answered, results, weights, errors.shrinkage)
    misfit = errors.unlike(float(own))
    width = half_width(errors, level, misfit)
    low, middle, high = (
        (solved + left * np.clip(predicted + side * width, 0.0, 1.0)) / sizes for side in (-1, 0, 1)
    )
    plain = np.where(counts > 0, solved / np.maximum(counts, 1), np.nan)
    return Scores(names, middle, low, high, counts, sizes, plain, level, misfit)


def _attempts(
    population: LinearPopulation,
    answered: Numbers,
    results: Floats,
    noise: Floats | None,
    asked: Numbers | None = None,
) -> dict[str, Any]:
    """What attempts of the known agents are like, as arguments of `replay`."""
    if noise is not None:
        return {"noise": noise[:, answered if asked is None else asked]}
    return {"single": single_attempts(population, answered, results)}


def _sizes(parts: list[Numbers]) -> NDArray[np.int64]:
    return np.array([len(part) for part in parts], np.int64)


def half_width(errors: Replay, level: float, misfit: float = 1.0) -> Floats:
    """Half of the width of the interval for the mean over the other tasks of each group.

    The errors of the replayed agents give the scale, and Student's distribution the quantile. The
    shrinkage and the correction were chosen by the same errors, hence the factor for few agents.
    For an agent unlike the known ones, the scale is at least that of the model, times the misfit.
    """
    agents = max(len(errors.on_rest), LEAST_AGENTS)
    quantile = student_quantile((1 + level) / 2, agents - 1) * np.sqrt(agents / (agents - _CHOSEN))
    scale = errors.scale() if misfit == 1 else misfit * np.maximum(errors.scale(), 1.0)
    found: Floats = scale * errors.spread * quantile
    return found


def answers_needed(
    population: LinearPopulation,
    answered: Numbers,
    results: Floats,
    found: Scores,
    groups: NDArray[np.int64],
    width: float,
    noise: Floats | None = None,
) -> NDArray[np.int64]:
    """How many more answers in each group make its interval this narrow.

    The known agents take longer quizzes, with random tasks added to each group: one more, two
    more, four more and so on. Between these numbers, the width is taken as linear.
    """
    from threadpoolctl import threadpool_limits

    order = np.random.default_rng(0).permutation(np.setdiff1d(np.arange(len(groups)), answered))
    more = members(groups, order)
    left = found.tasks - found.answered
    counts, widths = [np.zeros_like(left)], [found.high - found.low]
    with threadpool_limits(1):  # bit-identical on any number of cores
        while (widths[-1] > width).any():
            counts.append(np.minimum(np.maximum(2 * counts[-1], 1), left))
            added = [tasks[:count] for tasks, count in zip(more, counts[-1], strict=True)]
            asked = np.concatenate([answered, *added])
            how = _attempts(population, answered, results, noise, asked)
            errors = replay(population, asked, groups, **how)
            whole = (
                2
                * half_width(errors, found.level, found.misfit)
                * (left - counts[-1])
                / found.tasks
            )
            widths.append(np.minimum(whole, widths[-1]))  # more answers tell at least as much
    curves = zip(np.transpose(counts), np.transpose(widths), strict=True)
    return np.array([_first(*curve, width) for curve in curves])


def _first(counts: NDArray[np.int64], widths: Floats, width: float) -> int:
    """The first count with at most this width; both are ordered, and the last is narrow enough."""
    after = int((widths > width).argmin())
    if after == 0:
        return 0
    between = (widths[after - 1] - width) / (widths[after - 1] - widths[after])
    return int(np.ceil(counts[after - 1] + between * (counts[after] - counts[after - 1])))

"""`choose_subset`: a fixed short test that predicts the full score of new agents."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.applications.redundancy import redundant
from taskspace.applications.return_answers import refuse_returns
from taskspace.applications.score_formula import ScoreFormula
from taskspace.applications.scores import EVERY, groups_by
from taskspace.applications.subset_choices import (
    anchor_points,
    at_random,
    half_random,
    informative,
)
from taskspace.applications.subset_comparison import SubsetComparison, compare, steps
from taskspace.applications.subset_errors import ANCHORS, HALF_RANDOM, INFORMATIVE, Question
from taskspace.applications.subset_limits import Limits
from taskspace.models.linear_population import Floats, LinearPopulation, Numbers
from taskspace.outcomes.html_tables import html_table
from taskspace.outcomes.outcomes import Outcomes
from taskspace.outcomes.rates import mean_rates
from taskspace.outcomes.result_tables import max_score_of
from taskspace.progress import progress_bar

FEWEST_AGENTS = 5  # fewer cannot be left out in turn
INTERCEPT = "(intercept)"
CLIPPED = "Scores below 0 count as 0, above 1 as 1."
SIZES = (0.25, 0.5, 1, 2)  # at which methods are compared, relative to k


@dataclass(frozen=True, eq=False)
class Subset:
    """A fixed short test: some of the tasks, and the formula of the full score.

    The score on a group of tasks, from 0 to 1, is estimated by its intercept plus the sum of weight
    x result over the chosen tasks. A sum below 0 counts as 0, and one above 1 as 1. Results are as
    in the table of results: from 0 to `max_score`.

    Attributes:
        tasks: The names of the chosen tasks, in the order of the choice.
        success: The mean success rate of the agents on each of them.
        labels: Their labels, if the choice was made by label; else empty.
        names: The groups that have a score: "all tasks", and the values of the label if there is
            one.
        intercepts: The intercept of each score.
        weights: The weights (scores, chosen tasks).
        method: "informative", "half informative, half random", "anchor points" or "random",
            whichever has the smallest error for left-out agents.
        comparison: The errors of left-out agents, beside other choices and at other sizes.
        near_copies: Pairs of near-copies among the chosen tasks, which are unavoidable if too few
            other tasks are left.
        max_score: The highest result, 1 unless the outcomes were read with another highest score.

    >>> rng = np.random.default_rng(0)
    >>> solved = rng.normal(size=(40, 1)) > rng.normal(size=60) + 0.3 * rng.normal(size=(40, 60))
    >>> subset = choose_subset(Outcomes(1 * solved, 1), 5)
    >>> len(subset.tasks), subset.names
    (5, array(['all tasks'], dtype='<U9'))
    >>> bool(subset.estimate([1, 1, 1, 1, 1])[0] > subset.estimate([0, 0, 0, 0, 0])[0])
    True
    """

    tasks: NDArray[np.str_]
    success: Floats
    labels: NDArray[np.str_]
    names: NDArray[np.str_]
    intercepts: Floats
    weights: Floats
    method: str
    comparison: SubsetComparison
    near_copies: tuple[tuple[str, str], ...]
    max_score: float

    def estimate(self, results: ArrayLike) -> Floats:
        """Estimate the scores of an agent from its results on the chosen tasks.

        Args:
            results: The results in the order of `tasks`, each from 0 to `max_score`.

        Returns:
            One score per group, in the order of `names`.

        Raises:
            ValueError: If there is not one result per task, or one is not from 0 to `max_score`.
        """
        given = checks.numbers(results, "results")
        if given.shape != self.tasks.shape:
            raise ValueError(
                f"results must be one number for each of the {len(self.tasks)} tasks, got an array"
                f" of shape {given.shape}"
            )
        if given.min() < 0 or given.max() > self.max_score:
            wrong = given[(given < 0) | (given > self.max_score)][0]
            raise ValueError(f"results must be numbers {self.range_of_results}, got {wrong:g}")
        return ScoreFormula(self.intercepts, self.weights).apply(given[None])[0]

    def _repr_html_(self) -> str:
        """The table in a notebook."""
        return html_table(self.columns, notes=[self.verdict], what="tasks", most=100)

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns of a table: the intercept in the first row, then one row per task.

        With 1 as the result of the intercept, a score is the sum of weight x result, where a sum
        below 0 counts as 0 and above 1 as 1.
        """
        found: dict[str, NDArray[Any]] = {"task": np.array([INTERCEPT, *self.tasks])}
        if len(self.labels):
            found["label"] = np.append("", self.labels)
        found["success"] = np.append(np.nan, self.success)
        for name, intercept, weights in zip(
            self.names.tolist(), self.intercepts, self.weights, strict=True
        ):
            column = "weight" if name == EVERY else f"weight:{name}"
            found[column] = np.append(intercept, weights)
        return found

    @property
    def verdict(self) -> str:
        """How well the test predicts scores of left-out agents, and what the formula leaves out."""
        scale = (
            ""
            if self.max_score == 1
            else f" The weights are for results {self.range_of_results}, and scores go from 0 to 1."
        )
        return f"{self.comparison.verdict(len(self.tasks))} {CLIPPED}{scale}"

    @property
    def range_of_results(self) -> str:
        """What results may be, for sentences."""
        return f"from 0 to {self.max_score:g}"


def choose_subset(
    source: Any,
    k: int,
    *,
    by: str | None = None,
    at_least: int | None = None,
    seed: int = 0,
    progress: bool | None = None,
) -> Subset:
    """Choose the tasks of a short test that predicts the full score of new agents best.

    Informative tasks are chosen one after the other: each is the one that most reduces the variance
    of the scores under a model of the population, given those that are chosen already. Agents that
    are left out of the choice, in turn, show how large the error is at several sizes, and decide
    between informative tasks, as many informative as random tasks, anchor points (the centres of
    clusters of tasks), and random tasks.
    No choice has two near-copies, unless nothing else is left.

    Args:
        source: The outcomes of at least 5 agents, or a `Run`, whose outcomes are used. Pairs may
            be missing.
        k: The number of tasks, from 1 to one less than there are.
        by: A label of the tasks. The score on the tasks of each of its values is then predicted
            too, and the choice is made for these scores.
        at_least: The least number of tasks per value of the label `by`, 1 by default; all if a
            value has fewer.
        seed: The seed of all random choices.
        progress: Whether to show a progress bar; by default on terminals only.

    Returns:
        The chosen tasks, the formula of the scores, and the comparison with other choices.

    Raises:
        TypeError: If `source` has another type.
        ValueError: If an argument is invalid, or if there are too few agents.

    >>> rng = np.random.default_rng(0)
    >>> solved = rng.normal(size=(40, 1)) > rng.normal(size=60) + 0.3 * rng.normal(size=(40, 60))
    >>> subset = choose_subset(Outcomes(1 * solved, 1), 5)
    >>> subset.comparison.is_better(5)
    True
    """
    from threadpoolctl import threadpool_limits

    outcomes = _checked(source)
    refuse_returns(outcomes.scale, "a short test requires results from 0 to 1")
    key = checks.seed(seed)
    names, labels = _labels(outcomes, by)
    limits, count = Limits(labels, check_least(at_least, by)), checks.whole(k, "k", 1)
    check_size(outcomes, count, by, at_least)
    sizes = _sizes(count, outcomes.n_tasks, int(limits.least_per_label.sum()))
    work = steps(outcomes.n_agents) * len(sizes)
    with (
        threadpool_limits(1),  # bit-identical on any number of cores
        progress_bar("Choosing tasks", work, progress) as advance,
    ):
        limits = replace(limits, copies=_near_copies(outcomes))
        question = Question(limits, by is not None)
        comparison = compare(outcomes, question, sizes, key, advance)
        population = LinearPopulation.fit(outcomes, seed=key)
        method, rng = comparison.best(count), np.random.default_rng(key)
        chosen = _choose(method, population, question, count, rng)
        formula = question.formula(population, chosen)
    most = max_score_of(outcomes.info)
    return Subset(
        tasks=outcomes.tasks[chosen],
        success=mean_rates(outcomes.rates[:, chosen], 0),
        labels=np.zeros(0, np.str_) if by is None else np.append(names, "")[labels[chosen]],
        names=np.array([EVERY]) if by is None else np.append(EVERY, names),
        intercepts=formula.intercepts,
        weights=formula.weights / most,
        method=method,
        comparison=comparison,
        near_copies=_copies_among(chosen, limits, outcomes),
        max_score=most,
    )


def check_least(at_least: Any, by: Any, *, options: bool = False) -> int:
    """The least number of tasks per value of the label; 0 if there is no label.

    Messages have the names of the command's `options`, or of the arguments in Python.
    """
    label, least, none = ("--by", "--at-least", "none") if options else ("by", "at_least", "None")
    if at_least is None:
        return 0 if by is None else 1
    if by is None:
        raise ValueError(f"{label} must be the name of a label for {least}, got {none}")
    return checks.whole(at_least, least)


def check_size(
    outcomes: Outcomes, k: int, by: str | None, at_least: int | None, *, options: bool = False
) -> None:
    """Refuse a number of tasks that is too large, or too small for a label; see `check_least`."""
    what, label, least = ("-k", "--by", "--at-least") if options else ("k", "by", "at_least")
    if k >= outcomes.n_tasks:
        raise ValueError(f"{what} must be below the number of tasks, {outcomes.n_tasks}, got {k}")
    limits = Limits(_labels(outcomes, by, label)[1], check_least(at_least, by))
    owed = int(limits.least_per_label.sum())
    if k < owed:
        raise ValueError(
            f"{what} must be at least {owed}, which is {limits.least} for each value of {by!r}, got"
            f" {k}; pass a larger {what} or a smaller {least}"
        )


def _labels(
    outcomes: Outcomes, by: str | None, what: str = "by"
) -> tuple[NDArray[np.str_], Numbers]:
    """The values of the label, and the number of that of each task."""
    names, labels = groups_by(outcomes.task_labels, by, outcomes.n_tasks, what)
    if by is not None and EVERY in names:
        raise ValueError(
            f"values of the label {by!r} must not be {EVERY!r}, which names the full score, got"
            " one that is; rename it"
        )
    return names, labels


def _choose(
    method: str, population: LinearPopulation, question: Question, k: int, rng: np.random.Generator
) -> Numbers:
    """The tasks that one of the methods chooses."""
    if method == INFORMATIVE:
        return informative(population, question.targets, k, question.limits, rng)
    if method == HALF_RANDOM:
        return half_random(population, question.targets, k, question.limits, rng)
    if method == ANCHORS:
        return anchor_points(population, k, question.limits, rng)[0]
    return at_random(k, question.limits, rng)


def _checked(source: Any) -> Outcomes:
    """The outcomes of the agents that tried anything."""
    outcomes = source if isinstance(source, Outcomes) else getattr(source, "outcomes", None)
    if not isinstance(outcomes, Outcomes):
        raise TypeError(f"the source must be Outcomes or a Run, got {checks.brief(source)}")
    active = (outcomes.rollouts > 0).any(axis=1)
    if active.sum() < FEWEST_AGENTS:
        raise ValueError(
            f"outcomes must have at least {FEWEST_AGENTS} agents with results, got {active.sum()}"
        )
    return outcomes if active.all() else outcomes.of_agents(outcomes.agents[active].tolist())


def _near_copies(outcomes: Outcomes) -> dict[int, list[int]]:
    """The near-copies of each task, by position; pairs that may be near-copies count too."""
    found = redundant(outcomes)
    position = {name: number for number, name in enumerate(outcomes.tasks.tolist())}
    copies: dict[int, list[int]] = {}
    for pair in zip(found.first.tolist(), found.second.tolist(), strict=True):
        one, other = (position[name] for name in pair)
        copies.setdefault(one, []).append(other)
        copies.setdefault(other, []).append(one)
    return copies


def _sizes(k: int, tasks: int, least: int) -> list[int]:
    """The numbers of tasks at which choices are compared; k is one of them."""
    wanted = {min(max(round(k * factor), least, 1), tasks - 1) for factor in SIZES}
    return sorted(wanted | {k})


def _copies_among(
    chosen: Numbers, limits: Limits, outcomes: Outcomes
) -> tuple[tuple[str, str], ...]:
    """The pairs of near-copies among the chosen tasks, by name."""
    names = outcomes.tasks.tolist()
    return tuple(
        (names[one], names[other])
        for position, one in enumerate(chosen.tolist())
        for other in chosen[position + 1 :].tolist()
        if other in limits.copies.get(one, [])
    )

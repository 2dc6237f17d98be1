"""How well short tests predict the full scores of agents that took no part in choosing them.

Agents are left out in turn. The tasks are chosen from the results of the other agents, and the
left-out agents' scores are estimated from their results on these tasks alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.applications.replay import replay
from taskspace.applications.score_formula import ScoreFormula, score_formula
from taskspace.applications.subset_choices import (
    Limits,
    anchor_points,
    at_random,
    disputed,
    informative,
)
from taskspace.models.linear_population import Floats, LinearPopulation, Numbers
from taskspace.outcomes.outcomes import Outcomes
from taskspace.progress import Advance

# The methods that a subset can be chosen by; left-out agents decide between them.
INFORMATIVE, ANCHORS, RANDOM = "informative", "anchor points", "random"
METHODS = (INFORMATIVE, ANCHORS, RANDOM)
CHOSEN, DISPUTED = "chosen", "most disputed"
PLAIN_RANDOM, WEIGHTED_ANCHORS = "random, plain mean", "anchor points, cluster weights"
FOLDS = 5
JUDGED = 60  # results of left-out agents, by repeated divisions if there are fewer agents
MOST_DIVISIONS, MOST_JUDGED = 4, 200
DRAWS = 4  # of random tasks per division
_CLEAR = 2.0  # standard errors by which a difference must exceed 0


@dataclass(frozen=True, eq=False)
class SubsetComparison:
    """Errors of estimated scores for left-out agents, by method and number of tasks.

    Attributes:
        methods: The method of each row. "chosen" is whichever of "informative", "anchor points"
            and "random" had the smallest error for the other left-out agents.
        sizes: The number of tasks of each row.
        errors: The mean absolute error of the full score.
        standard_errors: The standard errors of `errors`, over agents.
        label_errors: The mean absolute error of the scores by label; NaN if there is no label.
        better: By how much the error of each row is below that of random tasks whose score is
            estimated in the same way (of labels, if there are any).
        better_errors: The standard errors of `better`, over agents.
        agents: The number of left-out agents.
    """

    methods: NDArray[np.str_]
    sizes: NDArray[np.int64]
    errors: Floats
    standard_errors: Floats
    label_errors: Floats
    better: Floats
    better_errors: Floats
    agents: int

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns of a table with one row per method and size."""
        found = {
            "tasks": self.sizes, "method": self.methods, "error": self.errors,
            "standard_error": self.standard_errors, "label_error": self.label_errors,
            "better_than_random": self.better, "standard_error_of_better": self.better_errors,
        }  # fmt: skip
        if np.isnan(self.label_errors).all():
            del found["label_error"]
        return found

    def row(self, method: str, size: int) -> int:
        """The number of the row of a method at a size."""
        return int(np.flatnonzero((self.methods == method) & (self.sizes == size))[0])

    def verdict(self, size: int) -> str:
        """One sentence: how good a choice of this size is, beside random tasks."""
        row, other = self.row(CHOSEN, size), self.row(RANDOM, size)
        labelled = not np.isnan(self.label_errors).all()
        errors = self.label_errors if labelled else self.errors
        what = "score by label" if labelled else "full score"
        start = (
            f"{size} tasks predict the {what} of a left-out agent with a mean absolute error of"
            f" {errors[row]:.4f}, random tasks with {errors[other]:.4f}"
        )
        if self.better[row] > _CLEAR * self.better_errors[row]:
            return f"{start}."
        return (
            f"{start}: not better beyond noise (difference {self.better[row]:.4f},"
            f" standard error {self.better_errors[row]:.4f}), so {size} random tasks would do."
        )


@dataclass(frozen=True, eq=False)
class Question:
    """What the scores are of: all tasks, and the tasks of each label if there are labels."""

    limits: Limits
    labelled: bool

    @property
    def groupings(self) -> list[NDArray[np.int64]]:
        """The number of each task's group: one group of all tasks, and one per label."""
        every = np.zeros(len(self.limits.labels), np.int64)
        return [every, self.limits.labels] if self.labelled else [every]

    @property
    def targets(self) -> Floats:
        """The weight of every task in every score (tasks, scores)."""
        columns = []
        for groups in self.groupings:
            sizes = np.bincount(groups[groups >= 0])
            columns.append((groups[:, None] == np.arange(len(sizes))) / np.maximum(sizes, 1))
        return np.concatenate(columns, axis=1)

    def formula(self, population: LinearPopulation, chosen: Numbers) -> ScoreFormula:
        """The formula of all scores from the results on the chosen tasks."""
        return _stack([score_formula(population, chosen, each) for each in self.groupings])


def _stack(parts: list[ScoreFormula]) -> ScoreFormula:
    return ScoreFormula(
        np.concatenate([part.intercepts for part in parts]),
        np.concatenate([part.weights for part in parts]),
    )


def choose_by(
    method: str, population: LinearPopulation, question: Question, k: int, rng: np.random.Generator
) -> Numbers:
    """The tasks that one of the methods chooses."""
    if method == INFORMATIVE:
        return informative(population, question.targets, k, question.limits)
    if method == ANCHORS:
        return anchor_points(population, k, question.limits, rng)[0]
    return at_random(k, question.limits, rng)


def compare(
    outcomes: Outcomes, question: Question, sizes: list[int], seed: int, advance: Advance
) -> tuple[SubsetComparison, dict[int, str]]:
    """Compare methods at several sizes; also returns the best of METHODS for each size."""
    rng = np.random.default_rng(seed)
    rates = outcomes.rates
    found: dict[tuple[str, int], list[tuple[Numbers, Floats]]] = {}
    for left_out in divisions(len(rates), rng):
        known = outcomes.of_agents(np.delete(outcomes.agents, left_out).tolist())
        population = LinearPopulation.fit(known, seed=seed)
        for size in sizes:
            for method, errors in _judge(population, rates[left_out], question, size, rng):
                found.setdefault((method, size), []).append((left_out, errors))
            advance(1)
    return _summary(found, sizes, question.labelled, len(rates))


def divisions(agents: int, rng: np.random.Generator) -> Iterator[Numbers]:
    """The left-out agents of each division; each agent is left out the same number of times."""
    for _ in range(rounds(agents)):
        order = rng.permutation(agents)[:MOST_JUDGED]
        yield from np.array_split(order, FOLDS)


def rounds(agents: int) -> int:
    """How many times each agent is left out."""
    return int(np.clip(-(-JUDGED // agents), 1, MOST_DIVISIONS))


def _judge(
    population: LinearPopulation,
    results: Floats,
    question: Question,
    size: int,
    rng: np.random.Generator,
) -> Iterator[tuple[str, Floats]]:
    """The absolute errors (agents, scores) of each method for new agents' results."""
    truth = _true_scores(results, question)

    def error(tasks: Numbers) -> Floats:
        return np.abs(_estimates(population, tasks, results, question) - truth)

    yield INFORMATIVE, error(informative(population, question.targets, size, question.limits))
    yield DISPUTED, error(disputed(population, size, question.limits))
    anchors, weights = anchor_points(population, size, question.limits, rng)
    yield ANCHORS, error(anchors)
    draws = [at_random(size, question.limits, rng) for _ in range(DRAWS)]
    yield RANDOM, np.mean([error(tasks) for tasks in draws], axis=0)
    plain = [(tasks, np.ones(size)) for tasks in draws]
    for method, tests in ((PLAIN_RANDOM, plain), (WEIGHTED_ANCHORS, [(anchors, weights)])):
        errors = [np.abs(_means(results, question, *test) - truth) for test in tests]
        yield method, np.mean(errors, axis=0)


def _true_scores(results: Floats, question: Question) -> Floats:
    """The mean result over the tasks that an agent tried (agents, scores); NaN if none."""
    tried = ~np.isnan(results)
    weights = (question.targets > 0).astype(np.float64)
    counts = tried @ weights
    return np.where(counts > 0, np.nan_to_num(results) @ weights / np.maximum(counts, 1), np.nan)


def _means(results: Floats, question: Question, tasks: Numbers, weights: Floats) -> Floats:
    """Weighted means of the results on the tasks of a test; of all of them if a label has none."""
    given = results[:, tasks]
    tried = ~np.isnan(given)
    inside = (question.targets[tasks] > 0) * weights[:, None]
    counts = tried @ inside
    means = np.nan_to_num(given) @ inside / np.maximum(counts, 1e-12)
    everything = np.where(counts[:, :1] > 0, means[:, :1], 0.5)
    return np.where(counts > 0, means, everything)


def _estimates(
    population: LinearPopulation, chosen: Numbers, results: Floats, question: Question
) -> Floats:
    """The estimated scores (agents, scores) over the tasks that an agent tried."""
    tried = ~np.isnan(results)
    if tried.all():
        return question.formula(population, chosen).apply(results[:, chosen])
    found = np.empty((len(results), question.targets.shape[1]))
    errors = [replay(population, chosen, groups) for groups in question.groupings]
    for row, (own, given) in enumerate(zip(tried, results, strict=True)):
        answered = chosen[own[chosen]]
        parts = [
            score_formula(population, answered, groups, replayed, np.flatnonzero(own))
            for groups, replayed in zip(question.groupings, errors, strict=True)
        ]
        found[row] = _stack(parts).apply(given[None, answered])[0]
    return found


def _summary(
    found: dict[tuple[str, int], list[tuple[Numbers, Floats]]], sizes: list[int], labelled: bool,
    agents: int,
) -> tuple[SubsetComparison, dict[int, str]]:  # fmt: skip
    rows: list[tuple[str, int, float, float, float, float, float]] = []
    best: dict[int, str] = {}
    for size in sizes:
        parts = {method: found[method, size] for method, own in found if own == size}
        parts[CHOSEN] = _picked([parts[method] for method in METHODS], labelled)
        means = {method: _per_agent(part, agents) for method, part in parts.items()}
        asked = {method: _asked(each, labelled) for method, each in means.items()}
        best[size] = min(METHODS, key=lambda method: float(np.mean(asked[method])))
        for method in (CHOSEN, *(method for method in means if method != CHOSEN)):
            full, gain = means[method][:, 0], asked[RANDOM] - asked[method]
            by_label = float(asked[method].mean()) if labelled else np.nan
            row = (full.mean(), _standard_error(full), by_label, gain.mean(), _standard_error(gain))
            rows.append((method, size, *map(float, row)))
    columns = list(zip(*rows, strict=True))
    comparison = SubsetComparison(
        np.array(columns[0]), *(np.array(column) for column in columns[1:]), len(full)
    )
    return comparison, best


def _picked(parts: list[list[tuple[Numbers, Floats]]], labelled: bool) -> list[tuple[Numbers, Floats]]:
    """For each division, the errors of the method that is best for the agents of the others."""
    means = np.array([[_asked(errors, labelled).mean() for _, errors in part] for part in parts])
    others = means.sum(1, keepdims=True) - means
    return [parts[method][division] for division, method in enumerate(others.argmin(0))]


def _asked(errors: Floats, labelled: bool) -> Floats:
    """The error of each agent: of its scores by label if there are labels, or of its full score."""
    return np.nanmean(errors[:, 1:], axis=1) if labelled else errors[:, 0]


def _per_agent(parts: list[tuple[Numbers, Floats]], agents: int) -> Floats:
    """The mean errors (agents, scores) of every agent that was left out."""
    numbers = np.concatenate([left_out for left_out, _ in parts])
    errors = np.concatenate([errors for _, errors in parts])
    counts = np.bincount(numbers, minlength=agents)
    sums = np.zeros((agents, errors.shape[1]))
    np.add.at(sums, numbers, errors)
    return sums[counts > 0] / counts[counts > 0, None]


def _standard_error(values: Floats) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else np.nan

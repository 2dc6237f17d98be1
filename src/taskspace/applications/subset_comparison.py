"""The comparison of ways to choose a short test, by agents that are left out in turn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.applications.subset_errors import (
    ANCHORS,
    HALF_RANDOM,
    INFORMATIVE,
    RANDOM,
    Question,
    errors_of_methods,
)
from taskspace.models.linear_population import Floats, LinearPopulation, Numbers
from taskspace.outcomes.html_tables import html_table
from taskspace.outcomes.outcomes import Outcomes
from taskspace.progress import Advance

METHODS = (
    INFORMATIVE,
    HALF_RANDOM,
    ANCHORS,
    RANDOM,
)  # of which the best is used; the others are baselines
FOLDS = 5
JUDGED = 60  # left-out results; if there are fewer agents, they are divided several times,
MOST_DIVISIONS = 4  # at most so many times
MOST_AGENTS = 200  # that are left out; of more, some are drawn
_CLEAR = 2.0  # standard errors that a difference must exceed


@dataclass(frozen=True, eq=False)
class SubsetComparison:
    """Errors of scores estimated from short tests, for agents left out of the choice.

    Each row is a way to choose so many tasks. The score is estimated by the same population model
    for all of them, except where the method says plain mean or cluster weights.

    Attributes:
        methods: The method of each row.
        sizes: The number of tasks of each row.
        errors: The mean absolute error of the full score.
        label_errors: The mean absolute error of the scores by label; NaN if there is no label.
        standard_errors: The standard error, over agents, of `label_errors` if there is a label, or
            of `errors`.
        gains: By how much this error is below that of random tasks.
        gain_errors: The standard errors of `gains`.
        agents: The number of agents that were left out.

    >>> methods = np.array(["informative", "anchor points", "random"])
    >>> errors, none = np.array([0.02, 0.03, 0.04]), np.full(3, np.nan)
    >>> sizes, gains = np.full(3, 30), 0.04 - errors
    >>> found = SubsetComparison(methods, sizes, errors, none, none, gains, np.zeros(3), 9)
    >>> found.best(30), found.is_better(30)
    ('informative', True)
    """

    methods: NDArray[np.str_]
    sizes: NDArray[np.int64]
    errors: Floats
    label_errors: Floats
    standard_errors: Floats
    gains: Floats
    gain_errors: Floats
    agents: int

    @property
    def labelled(self) -> bool:
        """Whether the scores by label are compared."""
        return not np.isnan(self.label_errors).all()

    @property
    def asked(self) -> Floats:
        """The errors that count: those of the scores by label if there is a label."""
        return self.label_errors if self.labelled else self.errors

    def _repr_html_(self) -> str:
        """The table in a notebook."""
        return html_table(self.columns)

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns of a table with one row per size and method."""
        found = {"tasks": self.sizes, "method": self.methods, "error": self.errors}
        if self.labelled:
            found["label_error"] = self.label_errors
        return {
            **found, "standard_error": self.standard_errors, "gain": self.gains,
            "gain_standard_error": self.gain_errors,
        }  # fmt: skip

    @property
    def curves(self) -> dict[str, tuple[Floats, Floats]]:
        """The errors that count and their standard errors, by method, in the order of sizes."""
        return {
            method: (
                self.asked[self.methods == method],
                self.standard_errors[self.methods == method],
            )
            for method in dict.fromkeys(self.methods.tolist())
        }

    def row(self, method: str, size: int) -> int:
        """The number of the row of a method and a size."""
        return int(np.flatnonzero((self.methods == method) & (self.sizes == size))[0])

    def best(self, size: int) -> str:
        """The method to use at this size, that of the smallest error; see `METHODS`."""
        compared = [method for method in METHODS if method in self.methods]  # older runs have fewer
        return min(compared, key=lambda method: float(self.asked[self.row(method, size)]))

    def is_better(self, size: int) -> bool:
        """Whether the best method is better than random tasks beyond noise."""
        row = self.row(self.best(size), size)
        return bool(self.gains[row] > _CLEAR * self.gain_errors[row])

    def verdict(self, size: int) -> str:
        """How good the best choice is beside random tasks, in one or two sentences."""
        best, other = self.best(size), self.row(RANDOM, size)
        row, what = self.row(best, size), "scores by label" if self.labelled else "full score"
        noun, verb = ("task", "predicts") if size == 1 else ("tasks", "predict")
        if best == RANDOM:
            return (
                f"{size} random {noun} {verb} the {what} of left-out agents with an error of"
                f" {self.asked[row]:.3f}, and no other choice has a smaller one."
            )
        found = (
            f"{size} {noun} ({best}) {verb} the {what} of left-out agents with an error of"
            f" {self.asked[row]:.3f}, {size} random {noun} with {self.asked[other]:.3f}."
        )
        if self.is_better(size):
            return found
        return (
            f"{found} That is not better beyond noise (gain {self.gains[row]:.3f} ±"
            f" {_CLEAR * self.gain_errors[row]:.3f}), so random tasks would do."
        )


def compare(
    outcomes: Outcomes, question: Question, sizes: list[int], seed: int, advance: Advance
) -> SubsetComparison:
    """Leave agents out in turn, and compare the methods at these sizes by their errors."""
    rng, rates = np.random.default_rng(seed), outcomes.rates
    left_out, found = [], []
    for numbers in _divisions(len(rates), rng):
        known = outcomes.of_agents(np.delete(outcomes.agents, numbers).tolist())
        population = LinearPopulation.fit(known, seed=seed)
        new = rates[numbers]
        left_out.append(numbers)
        errors: dict[tuple[int, str], Floats] = {}
        for size in sizes:
            for method, each in errors_of_methods(population, new, question, size, rng):
                errors[size, method] = each
            advance(1)
        found.append(errors)
    agents = np.concatenate(left_out)
    merged = {key: np.concatenate([errors[key] for errors in found]) for key in found[0]}
    per_agent = {key: _per_agent(agents, errors) for key, errors in merged.items()}
    return _summary(per_agent, question.labelled)


def steps(agents: int) -> int:
    """The number of divisions of the agents into known and left out."""
    return FOLDS * int(np.clip(-(-JUDGED // agents), 1, MOST_DIVISIONS))


def _divisions(agents: int, rng: np.random.Generator) -> Iterator[Numbers]:
    """The left-out agents of each division; every agent is left out equally often."""
    for _ in range(steps(agents) // FOLDS):
        yield from np.array_split(rng.permutation(agents)[:MOST_AGENTS], FOLDS)


def _per_agent(agents: Numbers, errors: Floats) -> Floats:
    """The mean errors (agents, scores) of every agent that was left out."""
    numbers, rows = np.unique(agents, return_inverse=True)
    sums = np.zeros((len(numbers), errors.shape[1]))
    np.add.at(sums, rows, errors)
    return sums / np.bincount(rows)[:, None]


def _summary(found: dict[tuple[int, str], Floats], labelled: bool) -> SubsetComparison:
    full = {key: errors[:, 0] for key, errors in found.items()}
    by_label = {
        key: _mean_of_known(errors[:, 1:]) if labelled else np.full(len(errors), np.nan)
        for key, errors in found.items()
    }
    asked = by_label if labelled else full
    gains = {(size, method): asked[size, RANDOM] - asked[size, method] for size, method in found}
    return SubsetComparison(
        methods=np.array([method for _, method in found]),
        sizes=np.array([size for size, _ in found]),
        errors=np.array([full[key].mean() for key in found]),
        label_errors=np.array([by_label[key].mean() for key in found]),
        standard_errors=np.array([_standard_error(asked[key]) for key in found]),
        gains=np.array([gains[key].mean() for key in found]),
        gain_errors=np.array([_standard_error(gains[key]) for key in found]),
        agents=len(next(iter(full.values()))),
    )


def _mean_of_known(errors: Floats) -> Floats:
    """The mean error of each agent over the labels of which it tried tasks."""
    known = ~np.isnan(errors)
    return np.where(known, errors, 0.0).sum(1) / np.maximum(known.sum(1), 1)


def _standard_error(values: Floats) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))

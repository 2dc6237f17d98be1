"""Errors of short tests for agents that took no part in choosing the tasks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from taskspace.applications.replay import Replay, replay
from taskspace.applications.score_formula import ScoreFormula, score_formula
from taskspace.applications.subset_choices import (
    anchor_points,
    at_random,
    disputed,
    half_random,
    informative,
)
from taskspace.applications.subset_limits import Limits
from taskspace.models.linear_population import Floats, LinearPopulation, Numbers

INFORMATIVE, ANCHORS, RANDOM, DISPUTED = "informative", "anchor points", "random", "most disputed"
HALF_RANDOM = "half informative, half random"
PLAIN_RANDOM, WEIGHTED_ANCHORS = "random, plain mean", "anchor points, cluster weights"
DRAWS, HALF_DRAWS = 4, 2  # of random tasks


@dataclass(frozen=True, eq=False)
class Question:
    """What a short test must tell: the score on all tasks, and on each label if there are any."""

    limits: Limits
    labelled: bool

    @property
    def groupings(self) -> list[NDArray[np.int64]]:
        """The number of each task's group: one group of all tasks, and one per label."""
        every = np.zeros(len(self.limits.labels), np.int64)
        return [every, self.limits.labels] if self.labelled else [every]

    @cached_property
    def members(self) -> Floats:
        """1 where a task counts in a score, else 0 (tasks, scores)."""
        return np.concatenate(
            [groups[:, None] == np.arange(groups.max() + 1) for groups in self.groupings], axis=1
        ).astype(np.float64)

    @property
    def targets(self) -> Floats:
        """The weight of every task in every score (tasks, scores)."""
        return self.members / self.members.sum(0)

    def replays(self, population: LinearPopulation, chosen: Numbers) -> list[Replay]:
        """What known agents' results on the chosen tasks tell about their scores."""
        return [replay(population, chosen, groups) for groups in self.groupings]

    def formula(
        self,
        population: LinearPopulation,
        chosen: Numbers,
        replays: list[Replay] | None = None,
        among: Numbers | None = None,
    ) -> ScoreFormula:
        """The formula of all scores, among some tasks, from the results on the chosen tasks."""
        parts = [
            score_formula(replayed, chosen, groups, among)
            for groups, replayed in zip(
                self.groupings, replays or self.replays(population, chosen), strict=True
            )
        ]
        return ScoreFormula(
            np.concatenate([part.intercepts for part in parts]),
            np.concatenate([part.weights for part in parts]),
        )


def errors_of_methods(
    population: LinearPopulation,
    results: Floats,
    question: Question,
    k: int,
    rng: np.random.Generator,
) -> Iterator[tuple[str, Floats]]:
    """The absolute errors (agents, scores) of each method, for new agents with these results.

    The score of an agent is its mean over the tasks that it tried; it is NaN if it tried none.
    """
    limits, tried = question.limits, ~np.isnan(results)
    draws = [at_random(k, limits, rng) for _ in range(DRAWS)]
    missing = population.tried is not None or not tried.all()
    # A replay of each test would be slow if pairs are missing, so that all share that of one draw.
    replays = question.replays(population, draws[0]) if missing else None
    counts = tried @ question.members
    solved = np.nan_to_num(results) @ question.members
    truth = np.where(counts > 0, solved / np.maximum(counts, 1), np.nan)

    def error(tasks: Numbers) -> Floats:
        return np.abs(_estimates(population, tasks, results, question, replays) - truth)

    yield INFORMATIVE, error(informative(population, question.targets, k, limits, rng))
    halves = [
        half_random(population, question.targets, k, limits, own) for own in rng.spawn(HALF_DRAWS)
    ]
    yield HALF_RANDOM, np.mean([error(tasks) for tasks in halves], axis=0)
    yield RANDOM, np.mean([error(tasks) for tasks in draws], axis=0)
    yield DISPUTED, error(disputed(population, k, limits))
    anchors, weights = anchor_points(population, k, limits, rng)
    yield ANCHORS, error(anchors)
    plain = [np.abs(_means(results, question, tasks, np.ones(k)) - truth) for tasks in draws]
    yield PLAIN_RANDOM, np.mean(plain, axis=0)
    yield WEIGHTED_ANCHORS, np.abs(_means(results, question, anchors, weights) - truth)


def _means(results: Floats, question: Question, tasks: Numbers, weights: Floats) -> Floats:
    """Weighted means of the results on the tasks of a test; of all of them if a label has none."""
    given = results[:, tasks]
    inside = question.members[tasks] * weights[:, None]
    totals = ~np.isnan(given) @ inside
    means = np.nan_to_num(given) @ inside / np.maximum(totals, 1e-12)
    of_all = np.where(totals[:, :1] > 0, means[:, :1], 0.5)
    return np.where(totals > 0, means, of_all)


def _estimates(
    population: LinearPopulation,
    chosen: Numbers,
    results: Floats,
    question: Question,
    replays: list[Replay] | None,
) -> Floats:
    """The estimated scores (agents, scores) over the tasks that each agent tried."""
    if replays is None:
        return question.formula(population, chosen).apply(results[:, chosen])
    found = np.empty((len(results), question.members.shape[1]))
    for row, given in enumerate(results):
        tried = np.flatnonzero(~np.isnan(given))
        answered = chosen[np.isin(chosen, tried)]
        formula = question.formula(population, answered, replays, tried)
        found[row] = formula.apply(given[None, answered])[0]
    return found

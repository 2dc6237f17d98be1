"""Scores of a map: the fraction of ordinal constraints that hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.models.embedding.training import HELD_OUT, Constraints, Pool
from taskspace.outcomes.outcomes import Outcomes
from taskspace.similarity.statistics import SuccessStatistics

Floats = NDArray[np.float64]


def accuracies(vectors: Floats, difficulty: Floats, constraints: Constraints) -> dict[str, float]:
    """The fraction of constraints that hold for these vectors and difficulties, per type."""
    found = {}
    anchor, one, other = (vectors[column] for column in constraints.triplets.tasks.T)
    if len(anchor):
        yes = (anchor * one).sum(1) > (anchor * other).sum(1)
        p = constraints.triplets.probability
        found["similarity"] = float(np.where(yes, p, 1 - p).mean())
    easier, harder = (difficulty[column] for column in constraints.pairs.T)
    if len(easier):
        found["difficulty"] = float((harder > easier).mean())
    return found


def drawn(
    statistics: SuccessStatistics,
    tasks: NDArray[np.int64],
    rng: np.random.Generator,
    norm_weight: float = 1.0,
) -> Constraints:
    """Constraints among some of the tasks, of both types unless `norm_weight` is 0."""
    return Constraints.draw(statistics, Pool(tasks), HELD_OUT, norm_weight, rng)


def statistics_of(tasks: Any, y: Any, outcomes: Outcomes | None) -> SuccessStatistics:
    """The statistics of outcomes, or of scores (tasks, agents) in place of success rates."""
    if outcomes is not None:
        if outcomes.n_tasks != len(tasks):
            raise ValueError(
                f"tasks and outcomes must have the same number of tasks, got {len(tasks)} tasks and"
                f" outcomes on {outcomes.n_tasks}"
            )
        return SuccessStatistics.from_outcomes(outcomes)
    scores = checks.numbers(y, "y")
    scores = scores[:, None] if scores.ndim == 1 else scores
    if scores.ndim != 2 or len(scores) != len(tasks):
        raise ValueError(
            f"y must have one row of scores for each of the {len(tasks)} tasks,"
            f" got an array of shape {scores.shape}"
        )
    low, high = scores.min(), scores.max()
    if low < 0 or high > 1:
        scores = (scores - low) / (high - low)
    return SuccessStatistics.from_rates(scores.T)

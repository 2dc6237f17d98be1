"""Scores of a map: the fraction of ordinal constraints that hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.models.embedding.constraints import Triplets
from taskspace.models.embedding.training import HELD_OUT, Constraints, Pool
from taskspace.outcomes.outcomes import Outcomes
from taskspace.similarity.profiles import INFORMATION
from taskspace.similarity.statistics import SuccessStatistics

Floats = NDArray[np.float64]
Tasks = NDArray[np.int64]
PairSimilarity = Callable[[Tasks, Tasks], Floats]  # of the pairs of tasks in two columns


def inner_products(vectors: Floats) -> PairSimilarity:
    """The similarity of pairs of tasks with these vectors."""
    return lambda first, second: (vectors[first] * vectors[second]).sum(1)


def pair_similarities(statistics: SuccessStatistics, measure: str) -> PairSimilarity:
    """The similarity of pairs of tasks with these outcomes."""
    return lambda first, second: statistics.pairs(first, second, measure)


def triplet_accuracy(similarity: PairSimilarity, triplets: Triplets) -> float | None:
    """The fraction of triplets in the right order, which is known with a probability."""
    if not len(triplets.tasks):
        return None
    anchor, one, other = triplets.tasks.T
    yes, p = similarity(anchor, one) > similarity(anchor, other), triplets.probability
    return float(np.where(yes, p, 1 - p).mean())


def accuracies(vectors: Floats, difficulty: Floats, constraints: Constraints) -> dict[str, float]:
    """The fraction of constraints that hold for these vectors and difficulties, per type."""
    found = {}
    right = triplet_accuracy(inner_products(vectors), constraints.triplets)
    if right is not None:
        found["similarity"] = right
    easier, harder = (difficulty[column] for column in constraints.pairs.T)
    if len(easier):
        found["difficulty"] = float((harder > easier).mean())
    return found


def drawn(
    statistics: SuccessStatistics,
    tasks: NDArray[np.int64],
    rng: np.random.Generator,
    norm_weight: float = 1.0,
    measure: str = INFORMATION,
) -> Constraints:
    """Constraints among some of the tasks, of both types unless `norm_weight` is 0."""
    return Constraints.draw(statistics, Pool(tasks), HELD_OUT, norm_weight, rng, measure)


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
    if low == high and not 0 <= low <= 1:
        raise ValueError(f"y must be scores that differ, got {low:g} for all tasks and agents")
    if low < 0 or high > 1:
        scores = (scores - low) / (high - low)
    return SuccessStatistics.from_rates(scores.T)

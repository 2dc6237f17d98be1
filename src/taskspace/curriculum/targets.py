"""Target tasks: a few that stand for the target distribution, and their similarity to all tasks."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks

Floats = NDArray[np.float64]

STANDING_FOR = 128  # target tasks that stand for the others


@dataclass(frozen=True)
class Target:
    """A target distribution over the tasks.

    Attributes:
        weights: The probability of each task.
        chosen: The positions of tasks drawn from it.
        similarity: The similarity of all tasks with the chosen ones (tasks, chosen).
    """

    weights: Floats
    chosen: NDArray[np.int64]
    similarity: NDArray[np.float32]

    @functools.cached_property
    def nearest(self) -> NDArray[np.float32]:
        """The similarity of each task with the most similar of the chosen ones."""
        found: NDArray[np.float32] = self.similarity.max(1, initial=0.0)
        return found


def no_target(count: int) -> Target:
    """The uniform distribution, for rules that need no target."""
    empty = np.zeros((count, 0), np.float32)
    return Target(np.full(count, 1 / count), np.arange(0), empty)


def make_target(
    given: Any, tasks: Any, features: Floats | None, model: Any, rng: np.random.Generator
) -> Target:
    """Choose target tasks at random, and compute similarities with all tasks.

    With a model, similarity is learned (bits that two outcomes share); without one it is
    exp(-distance) of standardized features.
    """
    count = len(tasks)
    weights = checks.numbers(given, "target")
    if weights.shape != (count,) or weights.min() < 0 or not weights.any():
        raise ValueError(
            f"target must be {count} booleans or weights, one per task and not all 0, got"
            f" {checks.brief(given)} of shape {weights.shape}"
        )
    weights = weights / weights.sum()
    most = min(STANDING_FOR, int((weights > 0).sum()))
    chosen = np.sort(rng.choice(count, most, replace=False, p=weights))
    if model is not None:
        similarity = model.similarity(tasks, np.asarray(tasks)[chosen])
    elif features is not None:
        similarity = raw_similarity(features, features[chosen])
    else:
        raise ValueError(
            "target must be None for tasks without features and without a model, got"
            f" {checks.brief(given)}"
        )
    return Target(weights, chosen, similarity.astype(np.float32))


def raw_similarity(features: Floats, others: Floats) -> Floats:
    """exp(-distance) of features, each divided by its standard deviation.

    >>> raw_similarity(np.array([[0.0], [2.0]]), np.array([[0.0]])).round(3)
    array([[1.   ],
           [0.135]])
    """
    spread = features.std(0)
    scale = np.where(spread > 0, spread, 1.0)
    a, b = features / scale, others / scale
    squares = (a**2).sum(1)[:, None] + (b**2).sum(1) - 2 * a @ b.T
    return np.exp(-np.sqrt(np.maximum(squares, 0.0)))

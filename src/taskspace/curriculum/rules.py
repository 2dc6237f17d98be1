"""Rules: how much to train on each task, given its probability of success.

A rule is a function of a `Situation` that returns one weight per task; only their ratios matter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_HARD = 0.1  # weight of tasks that are never solved, relative to the mean probability


@dataclass(frozen=True)
class Situation:
    """What a rule may use.

    Attributes:
        p: The probability of success on each task.
        fast: The same by the most recent episodes only.
        slow: The same by a long memory.
        target_p: The probability of success on some target tasks; empty without a target.
        similarity: The similarity of all tasks with those target tasks (tasks, targets).
        nearest: The similarity of each task with the most similar of them.
    """

    p: Floats
    fast: Floats
    slow: Floats
    target_p: Floats
    similarity: NDArray[np.floating]
    nearest: NDArray[np.floating]


def uniform(now: Situation) -> Floats:
    """The same weight for all tasks."""
    return np.ones_like(now.p)


def learnability(now: Situation) -> Floats:
    """P (1 - p), the variance of the outcome."""
    return now.p * (1 - now.p)


def frontier(now: Situation) -> Floats:
    """(p + mean p / 10) (1 - p)⁴: tasks that are solved at times.

    Learnability keeps training on what is nearly solved; here weights fall quickly with success,
    and tasks without any success keep a small weight.
    """
    unsolved = (1 - now.p) * (1 - now.p)
    return (now.p + _HARD * now.p.mean()) * unsolved * unsolved


def progress(now: Situation) -> Floats:
    """|fast - slow|: tasks on which success changes, in either direction."""
    return np.abs(now.fast - now.slow)


def proximal(now: Situation) -> Floats:
    """Tasks that can be learned and are similar to target tasks that can be learned.

    The largest p (1 - p) p' (1 - p') similarity over the target tasks, where p' is the probability
    of success on the target task.
    """
    gains = (now.target_p * (1 - now.target_p)).astype(now.similarity.dtype)
    return now.p * (1 - now.p) * np.max(now.similarity * gains, axis=1, initial=0.0)


def towards(now: Situation) -> Floats:
    """The frontier, in proportion to the similarity with the most similar target task."""
    return frontier(now) * now.nearest


Rule = Callable[[Situation], Floats]
RULES: dict[str, Rule] = {
    "uniform": uniform,
    "learnability": learnability,
    "frontier": frontier,
    "progress": progress,
    "proximal": proximal,
    "towards": towards,
}
NEED_TARGET = ("proximal", "towards")

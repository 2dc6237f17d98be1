"""Simulated tables of results: agents with several skills, tasks that require one of them each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import taskspace as ts


@dataclass(frozen=True, eq=False)
class Planted:
    """What was planted: the skill of each task, and the probabilities of success."""

    topics: Any  # (tasks,)
    rates: Any  # (agents, tasks)
    outcomes: ts.Outcomes


def planted(
    agents: int, topics: int, tasks: int, *, rollouts: int = 1, missing: float = 0.0, seed: int = 0
) -> Planted:
    """A table in which the tasks of each topic require a skill of their own."""
    rng = np.random.default_rng(seed)
    need = np.repeat(np.arange(topics), tasks)
    levels, skills = rng.normal(0, 0.7, len(need)), rng.normal(size=(agents, topics))
    rates = 1 / (1 + np.exp(-2.5 * (skills[:, need] - levels)))
    counts = np.where(rng.random(rates.shape) < missing, 0, rollouts)
    return Planted(need, rates, ts.Outcomes(rng.binomial(counts, rates), counts))


def results_of(successes: Any, rollouts: Any = 1, **parts: Any) -> ts.Outcomes:
    """Outcomes of whatever is accepted, which their annotations do not tell."""
    return ts.Outcomes(successes, rollouts, **parts)


def separation(vectors: Any, topics: Any) -> float:
    """The mean cosine of tasks with the same topic, minus that of tasks with different topics."""
    directions = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines, same = directions @ directions.T, topics[:, None] == topics
    other = ~np.eye(len(topics), dtype=bool)
    return float(cosines[same & other].mean() - cosines[~same].mean())


def off_diagonal(matrix: Any) -> Any:
    """One number per pair of different tasks."""
    return matrix[np.triu_indices(len(matrix), 1)]

"""Outcomes that are given: a table of results, of whatever agents and tasks."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.models.embedding.estimator import TaskEmbedder
from taskspace.outcomes.outcomes import Outcomes
from taskspace.runs import layout, measures
from taskspace.runs.clusters import Clusters
from taskspace.runs.sources.base import MOST_SHOWN, Played, Source
from taskspace.runs.stages import Stages

FEWEST_TASKS = 3  # one of which is more like a second than the third is


@dataclass(frozen=True)
class TableSource(Source):
    """Outcomes that somebody else has gathered."""

    outcomes: Outcomes
    name: str
    n_components: int | str
    steps: int
    seed: int

    def __post_init__(self) -> None:
        checks.whole(self.steps, "steps")
        if self.n_components != "auto":
            checks.whole(self.n_components, "the number of dimensions, if not 'auto',", 1)
        if self.outcomes.n_tasks < FEWEST_TASKS:
            raise ValueError(
                f"a map needs at least {FEWEST_TASKS} tasks; these results have"
                f" {self.outcomes.n_tasks}"
            )

    def settings(self) -> dict[str, Any]:
        """A digest of the outcomes, and how the map is learned."""
        return {
            "results": _digest(self.outcomes),
            "n_components": self.n_components,
            "steps": self.steps,
            "seed": self.seed,
            "name": self.name,
        }

    def play(self, stages: Stages) -> Played:
        """Keep the outcomes in the folder."""
        stages.stage(layout.OUTCOMES, lambda: self.outcomes, Outcomes.save, Outcomes.load)
        return Played(self.outcomes)

    def learn(self, played: Played, seed: int) -> TaskEmbedder:
        """A map of the dimension that was asked for."""
        embedder = TaskEmbedder(self.n_components, steps=self.steps, random_state=seed)
        return embedder.fit(played.outcomes)

    def clusters(self, played: Played, embedder: TaskEmbedder) -> Clusters:
        """Clusters found in the map."""
        return Clusters.found(embedder.transform(played.outcomes.task_inputs))

    def shown(self, played: Played, clusters: Clusters) -> tuple[Any, NDArray[np.int64]]:
        """Some of the tasks of the table."""
        order = np.random.default_rng(self.seed).permutation(played.outcomes.n_tasks)[:MOST_SHOWN]
        chosen = np.sort(order)
        return played.outcomes.task_inputs[chosen], clusters.labels[chosen]

    def measure(self, played: Played, embedder: TaskEmbedder) -> dict[str, Any]:
        """What can be said without playing anything."""
        return measures.basic_numbers(self.name, played.outcomes, embedder)


def _digest(outcomes: Outcomes) -> str:
    """What tells these results from others."""
    digest = hashlib.sha256()
    for part in ("successes", "rollouts", "agents", "tasks", "features"):
        value = getattr(outcomes, part)
        if value is not None:
            digest.update(f"{part} {value.dtype} {value.shape}".encode())
            digest.update(np.ascontiguousarray(value).tobytes())
    return digest.hexdigest()

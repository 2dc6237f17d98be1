"""Outcomes from a table of results, of any agents on any tasks."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.models.embedding.base import Embedding
from taskspace.models.embedding.informative import check_agents
from taskspace.models.embedding.table_map import check_size
from taskspace.models.embedding.task_embedder import TaskEmbedder
from taskspace.outcomes.about_tables import check_telling_apart
from taskspace.outcomes.how_read import how_read
from taskspace.outcomes.labels import pack
from taskspace.outcomes.outcomes import Outcomes
from taskspace.outcomes.result_tables import MAX_SCORE, max_score_of
from taskspace.outcomes.returns import SCALE_ARRAYS, pack_scale
from taskspace.runs import layout, measures
from taskspace.runs.clusters import Clusters
from taskspace.runs.sources.base import MOST_SHOWN, Played, Source
from taskspace.runs.sources.plans import ORDINAL, measure_settings
from taskspace.runs.stages import Stages
from taskspace.similarity.profiles import CORRELATION, INFORMATION

FEWEST_TASKS = 3  # a triplet
FEWEST_ORDERED = 3  # agents with returns
FEWEST_RESULTS = 10_000  # agents x tasks for which a second process is worth its start


@dataclass(frozen=True)
class TableSource(Source):
    """Outcomes that the user provides."""

    outcomes: Outcomes
    name: str
    n_components: int | str
    seed: int
    method: str
    steps: int  # of the paper's map
    similarity: str = INFORMATION

    def __post_init__(self) -> None:
        check_sizes(self.n_components, self.steps)
        if self.outcomes.n_tasks < FEWEST_TASKS:
            raise ValueError(
                f"results must have at least {FEWEST_TASKS} tasks, got {self.outcomes.n_tasks}"
            )
        if self.method != ORDINAL and not self.uses_torch:
            check_size(self.n_components, self.outcomes.n_tasks, "the number of dimensions")
        check_agents(self.outcomes)
        _check_orders(self.outcomes)
        if self.outcomes.features is not None:
            checks.moderate(self.outcomes.features, "features")
            check_telling_apart(self.outcomes.features)

    @property
    def beside(self) -> tuple[layout.Part, ...]:  # type: ignore[override]
        """What takes longest, unless it takes less than starting a process."""
        if self.outcomes.n_agents * self.outcomes.n_tasks < FEWEST_RESULTS:
            return ()
        second = (layout.SECOND_EMBEDDER,) if self.uses_torch else ()
        return (*second, layout.SHORT_TEST, layout.PREDICTOR)

    @property
    def uses_torch(self) -> bool:  # type: ignore[override]
        """Only with features."""
        return self.outcomes.features is not None

    def described(self) -> dict[str, Any]:
        """All arguments but the outcomes."""
        values = [self.name, self.n_components, self.seed, self.method, self.steps, self.similarity]
        return {"kind": "table", "values": values}

    def settings(self) -> dict[str, Any]:
        """A digest of the outcomes, and the settings of the map."""
        most = max_score_of(self.outcomes.info)
        return {
            "results": _digest(self.outcomes),
            # Answers are read on this scale, so that runs of equal results may differ.
            **({} if most == 1 else {MAX_SCORE: most}),
            "method": self.method,
            **measure_settings(self.similarity),
            "n_components": self.n_components,
            **({"steps": self.steps} if self.method == ORDINAL else {}),
            "seed": self.seed,
            "name": self.name,
        }

    def reading(self) -> list[str]:
        """Which files were read as what, and what the columns of a table were taken for."""
        return how_read(self.outcomes)

    def play(self, stages: Stages) -> Played:
        """Save the outcomes in the run folder."""
        stages.stage(layout.OUTCOMES, lambda: self.outcomes, Outcomes.save, Outcomes.load)
        return Played(self.outcomes)

    def learn(self, played: Played, seed: int) -> Embedding:
        """Learn a map with the given number of dimensions."""
        if self.method == ORDINAL:
            from taskspace.models.embedding.ordinal_embedder import OrdinalEmbedder  # imports torch

            paper = OrdinalEmbedder(self.n_components, steps=self.steps, random_state=seed)
            return paper.fit(played.outcomes)
        return self._embedder(seed).fit(played.outcomes)

    def learn_again(self, played: Played, seed: int) -> Embedding:
        """Learn a map without test scores, which would take as long as the map."""
        if self.method == ORDINAL:
            return self.learn(played, seed)
        return self._embedder(seed).untested().fit(played.outcomes)

    def _embedder(self, seed: int) -> TaskEmbedder:
        return TaskEmbedder(self.n_components, measure=self.similarity, random_state=seed)

    def clusters(self, played: Played, embedder: Embedding) -> Clusters:
        """Find clusters in the map."""
        points = embedder.points(played.outcomes.task_inputs)
        return Clusters.found(points, signed=self.similarity == CORRELATION)

    def shown(self, played: Played, clusters: Clusters) -> tuple[Any, NDArray[np.int64]]:
        """A random selection of the tasks of the table."""
        chosen = self.listed()
        return played.outcomes.task_inputs[chosen], clusters.labels[chosen]

    def listed(self) -> NDArray[np.int64]:
        """The indices of this selection."""
        order = np.random.default_rng(self.seed).permutation(self.outcomes.n_tasks)
        return np.sort(order[:MOST_SHOWN])

    def measure(self, played: Played, embedder: Embedding) -> dict[str, Any]:
        """The measurements that need no further evaluation."""
        outcomes = played.outcomes
        return {
            **measures.basic_measurements(self.name, outcomes, embedder),
            **measures.label_scores(outcomes.task_labels, embedder.points(outcomes.task_inputs)),
        }


def _check_orders(outcomes: Outcomes) -> None:
    """Refuse returns of two agents, who are in the same order on every two tasks, or in reverse."""
    if (
        outcomes.scale is not None
        and outcomes.features is None
        and outcomes.n_agents < FEWEST_ORDERED
    ):
        raise ValueError(
            f"returns must be those of at least {FEWEST_ORDERED} agents, got {outcomes.n_agents};"
            " tasks are compared by the order in which they put the agents"
        )


def check_sizes(n_components: Any, steps: Any) -> None:
    """Refuse an invalid number of dimensions or training steps."""
    checks.whole(steps, "steps")
    checks.dimensions(n_components, "the number of dimensions")


def _digest(outcomes: Outcomes) -> str:
    """A digest that identifies the results."""
    digest = hashlib.sha256()
    parts = {**vars(outcomes), "labels": pack(outcomes.task_labels, outcomes.agent_labels)}
    parts |= pack_scale(outcomes.scale)
    names = ["successes", "rollouts", "agents", "tasks", "features", "labels"]
    names += [] if outcomes.scale is None else ["returns", "return_spreads", *SCALE_ARRAYS]
    for part in names:
        value = parts.get(part)
        if value is not None:
            digest.update(f"{part} {value.dtype} {value.shape}".encode())
            digest.update(np.ascontiguousarray(value).tobytes())
    return digest.hexdigest()

"""What the pipeline asks of a source of outcomes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from taskspace.agents.population import Population
from taskspace.envs.base import Environment
from taskspace.models.embedding.estimator import TaskEmbedder
from taskspace.outcomes.outcomes import Outcomes
from taskspace.runs.clusters import Clusters
from taskspace.runs.stages import Stages

MOST_SHOWN = 1000  # tasks on a picture of a map: more are hard to look at


@dataclass(frozen=True, eq=False)
class Played:
    """What a source yields.

    Attributes:
        outcomes: How it went.
        environment: What was to be solved; None where there is only a table.
        population: Who solved it; None where there is only a table.
    """

    outcomes: Outcomes
    environment: Environment | None = None
    population: Population | None = None

    @property
    def known(self) -> tuple[Environment, Population]:
        """Environment and population, of a source that has them."""
        assert self.environment is not None
        assert self.population is not None
        return self.environment, self.population


class Source(ABC):
    """Where outcomes come from, and what a task is. All that follows is the same for every source.

    Attributes:
        embedder_class: The class of its map.
        name: What the tasks are called together.
        seed: Of all that is drawn at random.
    """

    embedder_class: ClassVar[type[TaskEmbedder]] = TaskEmbedder
    name: str
    seed: int

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """All that the results depend on, as plain JSON."""

    @abstractmethod
    def play(self, stages: Stages) -> Played:
        """The stages up to the outcomes."""

    @abstractmethod
    def learn(self, played: Played, seed: int) -> TaskEmbedder:
        """A map of these outcomes."""

    @abstractmethod
    def clusters(self, played: Played, embedder: TaskEmbedder) -> Clusters:
        """The clusters of the tasks that were played."""

    @abstractmethod
    def shown(self, played: Played, clusters: Clusters) -> tuple[Any, NDArray[np.int64]]:
        """Tasks for a picture of the map, and their clusters."""

    @abstractmethod
    def measure(self, played: Played, embedder: TaskEmbedder) -> dict[str, Any]:
        """What the map is worth."""

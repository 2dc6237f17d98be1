"""The interface between the pipeline and its sources of outcomes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace.models.embedding.base import Embedding
from taskspace.outcomes.outcomes import Outcomes
from taskspace.runs.clusters import Clusters
from taskspace.runs.layout import Part
from taskspace.runs.stages import Stages

if TYPE_CHECKING:
    from taskspace.agents.population import Population
    from taskspace.envs.base import Environment

MOST_SHOWN = 1000  # tasks in a figure of a map: more are hard to read


@dataclass(frozen=True, eq=False)
class Played:
    """The data that a source provides.

    Attributes:
        outcomes: The results of the agents on the tasks.
        training: The results on more tasks that the map is learned from; None if there are none.
        environment: The environment; None for a table.
        population: The agents; None for a table.
    """

    outcomes: Outcomes
    environment: Environment | None = None
    population: Population | None = None
    training: Outcomes | None = None

    @property
    def known(self) -> tuple[Environment, Population]:
        """Environment and population; only for sources that have them."""
        assert self.environment is not None
        assert self.population is not None
        return self.environment, self.population


class Source(ABC):
    """Where outcomes come from, and what a task is. All later stages are shared by all sources.

    Attributes:
        name: The name of the set of tasks.
        seed: The random seed of the whole run.
        method: How the map is made, "information" or "ordinal".
        similarity: The measure of similarity, "information" or "correlation".
        beside: The parts that may be made in another process while this one is busy.
        uses_torch: Whether they need torch.
    """

    name: str
    seed: int
    method: str
    similarity: str

    beside: tuple[Part, ...] = ()
    uses_torch: bool = True

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """All settings that the results depend on, as plain JSON."""

    def described(self) -> dict[str, Any]:
        """Its kind and values, as plain JSON, from which another process makes the same source."""
        raise NotImplementedError(f"{self.name} has no parts to be made in another process")

    def reading(self) -> list[str]:
        """What was read from where, in lines for the log."""
        return []

    @abstractmethod
    def play(self, stages: Stages) -> Played:
        """Run the stages up to the outcomes."""

    @abstractmethod
    def learn(self, played: Played, seed: int) -> Embedding:
        """Learn a map from the outcomes."""

    def learn_again(self, played: Played, seed: int) -> Embedding:
        """Learn a map with another seed, to compare the two; its test scores are not needed."""
        return self.learn(played, seed)

    @abstractmethod
    def clusters(self, played: Played, embedder: Embedding) -> Clusters:
        """The clusters of the tasks of the outcomes."""

    @abstractmethod
    def shown(self, played: Played, clusters: Clusters) -> tuple[Any, NDArray[np.int64]]:
        """The tasks to show in figures of the map, and their clusters."""

    def listed(self) -> NDArray[np.int64] | None:
        """The indices of the tasks that `shown` returns; None if they are not in the outcomes."""
        return None

    @abstractmethod
    def measure(self, played: Played, embedder: Embedding) -> dict[str, Any]:
        """Measure the quality of the map."""

"""What tasks are coloured by: clusters that an environment knows, or groups found in the map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from taskspace.embedding.base import Embedding

MOST_GROUPS = 8
MOST_LOOKED_AT = 3000  # tasks that groups are found from
_SEED = 0  # groups depend on the map alone


class TaskSpace(Protocol):
    """Tasks that have a name together, and clusters: any environment, or the tasks of a table."""

    @property
    def name(self) -> str:
        """What they are called together."""

    @property
    def cluster_names(self) -> Sequence[str]:
        """The names of the clusters."""

    @property
    def clusters_told(self) -> str:
        """What the clusters are, in words."""

    def clusters(self, tasks: Any, /) -> NDArray[np.int64]:
        """The cluster of each task, an index into `cluster_names`."""


@dataclass(frozen=True, eq=False)
class FoundGroups:
    """Groups of tasks whose vectors point the same way, for tasks without known clusters."""

    name: str
    embedder: Embedding
    centres: NDArray[np.float64]  # (groups, dimensions), each of length 1
    clusters_told: str = "groups of tasks that point the same way; they were found in the map"

    @classmethod
    def find(cls, name: str, embedder: Embedding, tasks: Any) -> FoundGroups:
        """As many groups as keep furthest apart (by their silhouette), 2 to 8."""
        from sklearn.cluster import KMeans
        from sklearn.metrics import silhouette_score
        from threadpoolctl import threadpool_limits

        few = np.random.default_rng(_SEED).permutation(len(tasks))[:MOST_LOOKED_AT]
        directions = _directions(embedder.transform(np.asarray(tasks)[few]))
        distinct = len(np.unique(directions.round(6), axis=0))
        best, score = directions.mean(0, keepdims=True), -np.inf
        with threadpool_limits(1):
            for count in range(2, min(MOST_GROUPS, distinct - 1) + 1):
                found = KMeans(count, n_init=4, random_state=_SEED).fit(directions)
                apart = silhouette_score(directions, found.labels_)
                if apart > score:
                    best, score = found.cluster_centers_, apart
        order = np.argsort(-np.bincount((directions @ best.T).argmax(1), minlength=len(best)))
        return cls(name, embedder, _directions(best[order]))

    @property
    def cluster_names(self) -> Sequence[str]:
        """Group 1 is the one with most tasks."""
        return [f"group {number + 1}" for number in range(len(self.centres))]

    def clusters(self, tasks: Any, /) -> NDArray[np.int64]:
        """The group whose direction is nearest."""
        return np.asarray((self.embedder.transform(tasks) @ self.centres.T).argmax(1))


def _directions(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)

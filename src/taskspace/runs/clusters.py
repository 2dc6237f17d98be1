"""Clusters of tasks: defined by the environment, or found in the map."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.envs.base import Environment
from taskspace.files import read_arrays, write_arrays

MOST_CLUSTERS = 8
MOST_LOOKED_AT = 3000  # tasks used to find clusters
_SEED = 0  # fixed, so that clusters depend only on the map
_LEAST_SIDE = 0.1  # of the squared lengths, in each of two opposite directions
_FOUND = "clusters of tasks whose vectors have similar directions; they were found in the map"


@dataclass(frozen=True, eq=False)
class Clusters:
    """Clusters of tasks, which give the tasks their colours in figures.

    Attributes:
        names: The names of the clusters.
        description: One sentence fragment that says what the clusters are.
        labels: The cluster of each task, an index into `names`.
    """

    names: tuple[str, ...]
    description: str
    labels: NDArray[np.int64]

    @classmethod
    def known(cls, environment: Environment, tasks: Any) -> Clusters:
        """The clusters that the environment defines."""
        labels = environment.clusters(tasks)
        return cls(environment.cluster_names, environment.cluster_description, labels)

    @classmethod
    def found(cls, points: NDArray[np.float64], signed: bool = False) -> Clusters:
        """Clusters of tasks whose points have similar directions; cluster 1 is the largest.

        The number of clusters, 2 to 8, is the one with the best silhouette. If the map is `signed`
        and has one dimension, its two directions are opposite skills, hence clusters.
        """
        sides = _sides(points) if signed and points.shape[1] == 1 else None
        centres = _centres(_directions(points)) if sides is None else sides
        labels = np.asarray((points @ centres.T).argmax(1))
        return cls(tuple(f"cluster {n + 1}" for n in range(len(centres))), _FOUND, labels)

    @property
    def by_task(self) -> NDArray[np.str_]:
        """The name of the cluster of each task."""
        return np.array(self.names)[self.labels]

    def save(self, path: Path) -> None:
        """Write the clusters to an .npz file."""
        arrays = {"names": np.array(self.names), "description": np.array(self.description)}
        write_arrays({**arrays, "labels": self.labels}, path)

    @classmethod
    def load(cls, path: Path) -> Clusters:
        """Load clusters written by `save`."""
        found = read_arrays(path)
        return cls(tuple(found["names"].tolist()), str(found["description"]), found["labels"])


def _centres(directions: NDArray[np.float64]) -> NDArray[np.float64]:
    """The unit vectors of the cluster centres (clusters, dimensions), largest cluster first."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score
    from threadpoolctl import threadpool_limits

    few = np.random.default_rng(_SEED).permutation(len(directions))[:MOST_LOOKED_AT]
    some = directions[few]
    distinct = len(np.unique(some.round(6), axis=0))
    best, score = some.mean(0, keepdims=True), -np.inf
    with threadpool_limits(1):
        for count in range(2, min(MOST_CLUSTERS, distinct - 1) + 1):
            found = KMeans(count, n_init=4, random_state=_SEED).fit(some)
            apart = silhouette_score(some, found.labels_)
            if apart > score:
                best, score = found.cluster_centers_, apart
    order = np.argsort(-np.bincount((some @ best.T).argmax(1), minlength=len(best)))
    return _directions(best[order])


def _sides(points: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The two directions of one dimension, unless one of them is hardly used: that is noise."""
    positive = points[:, 0] > 0
    shares = [float((points[side] ** 2).sum()) for side in (positive, ~positive)]
    if min(shares) < _LEAST_SIDE * sum(shares) or not sum(shares):
        return None
    return np.array([[1.0], [-1.0]]) * (1.0 if positive.mean() >= 0.5 else -1.0)


def _directions(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)

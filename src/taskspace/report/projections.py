"""Projections of a map to two dimensions: where each task is drawn, and where a new one belongs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

TSNE, PCA, LINE = "t-SNE", "PCA", "the only axis"
MOST_PLACED = 2000  # tasks that t-SNE places; it takes long, and more of them look no different
NEIGHBOURS = 3  # that say where a task belongs in a t-SNE projection
_SPREAD = 0.2  # of a map with one dimension, upwards, as a share of its length
_TOO_LARGE = 1e15  # that vectors are apart: squares would not be numbers in single precision


@dataclass(frozen=True, eq=False)
class Axes:
    """The two main directions of the vectors, or the only one."""

    mean: Floats  # (dimensions,)
    directions: Floats  # (2 or 1, dimensions)

    @classmethod
    def of(cls, vectors: NDArray[np.floating]) -> Axes:
        """Principal axes; each points where its largest number is positive.

        >>> Axes.of(np.array([[0, 0], [0, 4], [1, 2], [-1, 2]], np.float32)).directions.round()
        array([[0., 1.],
               [1., 0.]])
        """
        table = vectors.astype(np.float64)
        if table.shape[1] == 1:
            return cls(np.zeros(1), np.ones((1, 1)))
        mean = table.mean(0)
        values, columns = np.linalg.eigh(np.cov(table - mean, rowvar=False))
        found = columns.T[np.argsort(-values, kind="stable")[:2]]
        largest = np.take_along_axis(found, np.abs(found).argmax(1)[:, None], 1)
        return cls(mean, found * np.where(largest < 0, -1.0, 1.0))

    def project(self, vectors: NDArray[np.floating]) -> Floats:
        """The coordinates of these vectors (vectors, 2)."""
        flat: Floats = (np.asarray(vectors, np.float64) - self.mean) @ self.directions.T
        return flat if flat.shape[1] == 2 else np.column_stack([flat, np.zeros(len(flat))])


def project(vectors: NDArray[np.floating]) -> dict[str, NDArray[np.float32]]:
    """Every projection of the tasks with these vectors (tasks, dimensions), by name.

    t-SNE places at most 2000 tasks, drawn at random; each other task lies between the three that
    are nearest to it on the map. A map with one dimension is a line, and its tasks are spread
    upwards, so that they can be told apart.
    """
    flat = Axes.of(vectors).project(vectors)
    if vectors.shape[1] == 1:
        noise = np.random.default_rng(0).uniform(-_SPREAD, _SPREAD, len(flat))
        return {LINE: np.column_stack([flat[:, 0], noise * np.ptp(vectors)]).astype(np.float32)}
    return {TSNE: _tsne_of_many(vectors), PCA: flat.astype(np.float32)}


def _tsne_of_many(vectors: NDArray[np.floating]) -> NDArray[np.float32]:
    if len(vectors) <= MOST_PLACED:
        return tsne(np.ascontiguousarray(vectors))
    from scipy.spatial import cKDTree

    some = np.sort(np.random.default_rng(0).permutation(len(vectors))[:MOST_PLACED])
    chosen = np.ascontiguousarray(vectors[some])
    placed = tsne(chosen)
    coordinates = between(vectors, cKDTree(chosen), placed)
    coordinates[some] = placed
    return coordinates


def tsne(vectors: NDArray[Any]) -> NDArray[np.float32]:
    """t-SNE (vectors, 2); vectors that are all the same, or too large, are drawn at one point."""
    from sklearn.manifold import TSNE as Estimator
    from threadpoolctl import threadpool_limits

    spread = float(np.ptp(vectors, axis=0).max())
    if not 0 < spread < _TOO_LARGE:  # t-SNE would divide by it, and crash
        return np.zeros((len(vectors), 2), np.float32)
    estimator = Estimator(init="pca", random_state=0, perplexity=min(30, max(len(vectors) // 4, 1)))
    with threadpool_limits(1):  # bit-identical, and five times as fast on a busy machine
        found: NDArray[np.float32] = estimator.fit_transform(vectors)
    return found


def between(
    vectors: NDArray[np.floating], known: Any, coordinates: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Between the nearest known vectors (a `cKDTree`) and their coordinates, nearer to the closest.

    >>> from scipy.spatial import cKDTree
    >>> known, coordinates = cKDTree([[0.0], [1.0]]), np.array([[0, 0], [8, 4]], np.float32)
    >>> between(np.array([[0.0], [0.25]]), known, coordinates).round(6)
    array([[0., 0.],
           [2., 1.]], dtype=float32)
    """
    parts = range(1, min(NEIGHBOURS, known.n) + 1)
    distances, numbers = known.query(vectors, k=list(parts))
    weights = 1 / np.maximum(distances, 1e-12)
    weights /= weights.sum(1, keepdims=True)
    found: NDArray[np.float32] = np.einsum("tk,tkd->td", weights, coordinates[numbers])
    return found.astype(np.float32)

"""Projections of a map to two dimensions, for its own tasks and for new ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

TSNE, PCA, LINE = "t-SNE", "PCA", "the only axis"
MOST_PLACED = 2000  # tasks that t-SNE runs on; it is slow, and more tasks look no different
NEIGHBOURS = 3  # that determine the position of another task in a t-SNE projection
_SPREAD = 0.2  # vertical jitter of a 1-D map, relative to its length
_TOO_LARGE = 1e15  # range of the vectors whose squares overflow in single precision


@dataclass(frozen=True, eq=False)
class Axes:
    """The first two principal axes of some vectors, or the only one."""

    mean: Floats  # (dimensions,)
    directions: Floats  # (2 or 1, dimensions)

    @classmethod
    def of(cls, vectors: NDArray[np.floating]) -> Axes:
        """Principal axes; the largest component of each one is positive.

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
        """The coordinates of vectors (vectors, 2)."""
        flat: Floats = (np.asarray(vectors, np.float64) - self.mean) @ self.directions.T
        return flat if flat.shape[1] == 2 else np.column_stack([flat, np.zeros(len(flat))])


def project(vectors: NDArray[np.floating]) -> dict[str, NDArray[np.float32]]:
    """All projections of tasks with these vectors (tasks, dimensions), by name.

    t-SNE runs on at most 2000 random tasks; every other task is placed between its three nearest
    neighbours among them. A map with one dimension is a line with random vertical positions, so
    that points do not overlap.
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
    """t-SNE (vectors, 2); vectors that are all equal, or too large, get one common point."""
    from sklearn.manifold import TSNE as Estimator
    from threadpoolctl import threadpool_limits

    spread = float(np.ptp(vectors, axis=0).max())
    if not 0 < spread < _TOO_LARGE:  # t-SNE would divide by zero or overflow
        return np.zeros((len(vectors), 2), np.float32)
    estimator = Estimator(init="pca", random_state=0, perplexity=min(30, max(len(vectors) // 4, 1)))
    with threadpool_limits(1):  # bit-identical results, and five times faster on a busy machine
        found: NDArray[np.float32] = estimator.fit_transform(vectors)
    return found


def between(
    vectors: NDArray[np.floating], known: Any, coordinates: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Interpolate coordinates between the nearest known vectors (a `cKDTree`), by distance.

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

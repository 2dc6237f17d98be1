"""Flat views of a map: where each task is drawn, and where a new one lands among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.summary import neighbourhoods

Floats = NDArray[np.float64]

TSNE, PCA, LINE = "t-SNE", "PCA", "the only axis"
LAID_OUT = 2000  # tasks that t-SNE places; it takes long, and more of them look no different
NEIGHBOURS = 3  # that say where a task lands in a t-SNE
_SPREAD = 0.2  # of a map with one dimension, upwards, as a share of its length


@dataclass(frozen=True, eq=False)
class Axes:
    """The two main directions of the vectors, or the only one."""

    mean: Floats  # (dimensions,)
    directions: Floats  # (2 or 1, dimensions)

    @classmethod
    def of(cls, vectors: NDArray[np.float32]) -> Axes:
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

    def places(self, vectors: NDArray[np.floating]) -> Floats:
        """Where these vectors lie (vectors, 2)."""
        flat: Floats = (np.asarray(vectors, np.float64) - self.mean) @ self.directions.T
        return flat if flat.shape[1] == 2 else np.column_stack([flat, np.zeros(len(flat))])


def lay_out(vectors: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
    """Every view of the tasks with these vectors (tasks, dimensions), by name.

    t-SNE places at most 2000 tasks, drawn at random; each other task lies between the three that
    are nearest to it on the map. A map with one dimension is a line, and its tasks are spread
    upwards, so that they can be told apart.
    """
    flat = Axes.of(vectors).places(vectors)
    if vectors.shape[1] == 1:
        noise = np.random.default_rng(0).uniform(-_SPREAD, _SPREAD, len(flat))
        return {LINE: np.column_stack([flat[:, 0], noise * np.ptp(vectors)]).astype(np.float32)}
    return {TSNE: _neighbourhoods(vectors), PCA: flat.astype(np.float32)}


def _neighbourhoods(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    from scipy.spatial import cKDTree

    some = np.sort(np.random.default_rng(0).permutation(len(vectors))[:LAID_OUT])
    chosen = np.ascontiguousarray(vectors[some])
    placed = neighbourhoods(chosen)
    places = between(vectors, cKDTree(chosen), placed)
    places[some] = placed
    return places


def between(
    vectors: NDArray[np.floating], known: Any, places: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Between the places of the nearest known vectors (a `cKDTree`), the nearer to the closest.

    >>> from scipy.spatial import cKDTree
    >>> known, places = cKDTree([[0.0], [1.0]]), np.array([[0, 0], [8, 4]], np.float32)
    >>> between(np.array([[0.0], [0.25]]), known, places).round(6)
    array([[0., 0.],
           [2., 1.]], dtype=float32)
    """
    parts = range(1, min(NEIGHBOURS, known.n) + 1)
    distances, numbers = known.query(vectors, k=list(parts))
    weights = 1 / np.maximum(distances, 1e-12)
    weights /= weights.sum(1, keepdims=True)
    found: NDArray[np.float32] = np.einsum("tk,tkd->td", weights, places[numbers])
    return found.astype(np.float32)

"""Positions of tasks in the projections that the page shows, also of new tasks."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace.models.embedding.spectral import unit
from taskspace.models.embedding.task_embedder import TaskEmbedder
from taskspace.report.projections import LINE, TSNE, Axes, between

if TYPE_CHECKING:
    from taskspace.runs.run import Run

Floats = NDArray[np.float64]


class Positions:
    """The projections of a run.

    An information map with one dimension is drawn with the difficulty as the vertical axis: all its
    directions are equal.

    Attributes:
        informative: Whether the map is an information map, of which directions are projected.
        axes: The principal axes of what is projected.
        known: The positions of the tasks of the outcomes (tasks, 2), by the name of the projection.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self.informative = isinstance(run.embedder, TaskEmbedder)
        self.axes = Axes.of(run.points)
        self.known: dict[str, NDArray[Any]] = run.layouts
        if self._is_plane:
            self.known = {LINE: _plane(run.index.vectors, run.index.difficulty)}

    @property
    def _is_plane(self) -> bool:
        return self.informative and self._run.embedder.n_components_ == 1

    def of(self, vectors: Floats, difficulty: Floats) -> dict[str, NDArray[Any]]:
        """The positions of tasks that may be new (tasks, 2), by the name of the projection."""
        if self._is_plane:
            return {LINE: _plane(vectors, difficulty)}
        points = unit(vectors) if self.informative else vectors
        return {
            name: between(points, self._tree, self.known[TSNE])
            if name == TSNE
            else self.axes.project(points)
            for name in self.known
        }

    @functools.cached_property
    def _tree(self) -> Any:
        from scipy.spatial import cKDTree

        return cKDTree(self._run.points)


def _plane(vectors: NDArray[Any], difficulty: NDArray[Any]) -> NDArray[np.float32]:
    return np.column_stack([vectors[:, 0], difficulty]).astype(np.float32)

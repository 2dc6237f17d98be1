"""What a fitted map answers about tasks, with NumPy alone: vectors, similarity, difficulty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.models.embedding.profile_map import BLOCK, ProfileMap
from taskspace.models.embedding.spectral import unit
from taskspace.models.success.predicting import Predicting
from taskspace.outcomes.feature_rows import in_order, rows
from taskspace.outcomes.task_names import are_names, as_list, positions

Floats = NDArray[np.float64]


class Reading:
    """The questions that every fitted map answers.

    A subclass sets the attributes and implements `_vectors`.
    """

    n_components_: int
    n_features_in_: int
    test_scores_: dict[str, float]
    task_names_: NDArray[np.str_] | None = None
    feature_names_: tuple[str, ...] = ()

    def transform(self, X: Any) -> Floats:
        """Map tasks to vectors; the tasks may be new.

        Args:
            X: Rows of features. If the model was fitted without features, the names of tasks as
                text, or their positions in the outcomes as integers.

        Returns:
            The vectors (tasks, n_components).

        Raises:
            ValueError: If the tasks have the wrong form, if a name is unknown, or if an integer
                is a position and also the name of another task.
        """
        return self._array(X)

    def _array(self, X: Any) -> Floats:
        """What `transform` returns, always as an array."""
        self._check_fitted()
        vectors = self._vectors(self._validated(X, reset=False))
        checks.finite(vectors, "the vectors of these tasks")
        return vectors

    def similarity(self, first: Any, second: Any) -> Floats:
        """Similarity of tasks: the inner products of their vectors.

        Args:
            first: The tasks in the rows, as in `transform`; one task is accepted too.
            second: The tasks in the columns.

        Returns:
            The similarities (first, second).
        """
        return self._array(self._rows(first)) @ self._array(self._rows(second)).T

    def direction(self, X: Any) -> Floats:
        """Direction of the vector of each task.

        Args:
            X: The tasks, as in `transform`; one task is accepted too.

        Returns:
            Vectors of length 1 (tasks, n_components), or 0 where the vector is 0.
        """
        return unit(self._array(self._rows(X)))

    def points(self, X: Any) -> Floats:
        """The points whose distances figures, clusters and silhouettes are based on: the vectors.

        Args:
            X: The tasks, as in `transform`.

        Returns:
            One point per task.
        """
        return self._array(X)

    def difficulty(self, X: Any) -> Floats:
        """Difficulty of each task, by default the length of its vector.

        Args:
            X: The tasks, as in `transform`; one task is accepted too.

        Returns:
            One difficulty per task.
        """
        return np.linalg.norm(self._array(self._rows(X)), axis=1)

    def _check_fitted(self) -> None:
        """Raise an error if the map was not fitted."""

    def _rows(self, tasks: ArrayLike) -> Any:
        """A table of tasks, or a list of names, also if one task is given."""
        if self.task_names_ is not None:
            return as_list(tasks)
        array = checks.array(in_order(tasks, self.feature_names_), "tasks")
        return array[None] if array.ndim == 1 else array

    def _numbered(self, X: Any) -> Any:
        """The indices of names in a column, or what else was given."""
        if self.task_names_ is not None:
            return positions(self.task_names_, X, "map")[:, None]
        if are_names(X):
            raise ValueError(
                "tasks must be one row of features per task, got names; this map was fitted to"
                " features, so it cannot find a task by name"
            )
        return X

    def _validated(self, X: Any, *, reset: bool = True) -> NDArray[Any]:
        """Check the tasks and convert them to an array: features, or indices of names."""
        given = self._numbered(X)
        if self.task_names_ is not None:
            return np.asarray(given)
        found = rows(in_order(given, self.feature_names_))
        if found.shape[1] != self.n_features_in_:
            raise ValueError(
                f"tasks must have {self.n_features_in_} features, got {found.shape[1]}"
            )
        tasks = found if found.dtype == np.uint8 else found.astype(np.float64)
        checks.moderate(tasks, "the features of tasks")
        return tasks

    def _vectors(self, tasks: NDArray[Any]) -> Floats:
        """The vectors of validated tasks."""
        raise NotImplementedError


class ReadingInformation(Reading):
    """The questions that an information map answers.

    A subclass sets `model_` and `map_` if tasks have features, otherwise `task_names_`, `_known`
    and `_difficulty`.
    """

    measure: str
    model_: Predicting
    map_: ProfileMap
    spectrum_: Floats
    kept_: float
    _known: Floats
    _difficulty: Floats

    def points(self, X: Any) -> Floats:
        """The points whose distances figures, clusters and silhouettes are based on: directions.

        In one dimension there are only two directions, so the points are the vectors.

        Args:
            X: The tasks, as in `transform`.

        Returns:
            One point per task.
        """
        self._check_fitted()
        return self.direction(X) if self.n_components_ > 1 else self._array(X)

    def information(self, X: Any) -> Floats:
        """Information that two attempts at a task by the same agent share: the squared length.

        Args:
            X: The tasks, as in `transform`; one task is accepted too.

        Returns:
            One number per task: bits, or the correlation of the two attempts if the measure is
            "correlation".
        """
        squared: Floats = (self._array(self._rows(X)) ** 2).sum(1)
        return squared

    def difficulty(self, X: Any) -> Floats:
        """Difficulty of tasks: the probability that an agent of the population fails.

        Args:
            X: The tasks, as in `transform`; one task is accepted too.

        Returns:
            One difficulty per task, from 0 to 1.
        """
        self._check_fitted()
        return self._difficulties(self._validated(self._rows(X), reset=False))

    def _vectors(self, tasks: NDArray[Any]) -> Floats:
        if self.task_names_ is not None:
            return self._known[tasks[:, 0].astype(np.int64)]
        # In blocks, because the probabilities of all agents on many tasks take much memory.
        parts = (tasks[start : start + BLOCK] for start in range(0, max(len(tasks), 1), BLOCK))
        return np.concatenate([self.map_.vectors(self.model_.predict_proba(x)) for x in parts])

    def _difficulties(self, tasks: NDArray[Any]) -> Floats:
        if self.task_names_ is not None:
            return self._difficulty[tasks[:, 0].astype(np.int64)]
        return self.model_.difficulty(tasks)

    def _restore_arrays(
        self,
        settings: Mapping[str, Any],
        arrays: Mapping[str, NDArray[Any]],
        model: Predicting | None,
    ) -> None:
        """Set the fitted attributes from what was saved."""
        self.kept_, self.test_scores_ = settings["kept"], settings["test_scores"]
        self.spectrum_ = arrays["spectrum"]
        if self.task_names_ is not None:
            self._known, self._difficulty = arrays["vectors"], arrays["difficulty"]
            if self._known.shape != (len(self.task_names_), self.n_components_):
                raise ValueError("the shape of the vectors must agree with the names")
            return
        if model is None:
            raise ValueError("the success model is missing")
        self.model_ = model
        landmarks = arrays["landmarks"].astype(np.float64)
        self.map_ = ProfileMap(landmarks, arrays["weights"], self.measure, model.dispersion_)
        if self.map_.weights.shape[1] != self.n_components_:
            raise ValueError("the shape of the weights must agree with the dimensions")

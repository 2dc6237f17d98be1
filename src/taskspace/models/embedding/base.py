"""The base class of all embeddings, which map tasks to vectors."""

from __future__ import annotations

import os
from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from taskspace import checks
from taskspace.models.embedding import storage
from taskspace.models.embedding.axes import unit
from taskspace.models.embedding.lookup import are_names
from taskspace.models.embedding.verdict import Evidence
from taskspace.outcomes.feature_rows import in_order, rows
from taskspace.outcomes.outcomes import Outcomes
from taskspace.outcomes.task_names import as_list, positions

if TYPE_CHECKING:
    from typing_extensions import Self


class Embedding(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Base class of embeddings, which map each task to a vector.

    A subclass implements `fit`, which sets the attributes below, and `_vectors`.

    Attributes:
        n_components_: The number of dimensions.
        task_names_: The names of the tasks if they have no features, otherwise None.
        test_scores_: Held-out scores by name, if `fit` has computed any.
        feature_names_: The names of the features if the model was fitted to outcomes with
            features. Columns of a DataFrame of tasks are found by these names.
    """

    n_components_: int
    test_scores_: dict[str, float]
    task_names_: NDArray[np.str_] | None = None
    feature_names_: tuple[str, ...] = ()

    def transform(self, X: Any) -> NDArray[np.float64]:
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
        check_is_fitted(self, "n_components_")
        vectors = self._vectors(self._validated(X, reset=False))
        checks.finite(vectors, "the vectors of these tasks")
        return vectors

    def _array(self, X: Any) -> NDArray[np.float64]:
        """The vectors as an array; after `set_output`, `transform` returns a DataFrame."""
        return np.asarray(self.transform(X))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The names of the dimensions, for scikit-learn's `set_output`.

        Args:
            input_features: Not used; scikit-learn passes it.

        Returns:
            The names "v0", "v1" and so on, as `taskspace embed` writes them.
        """
        check_is_fitted(self, "n_components_")
        return np.array([f"v{index}" for index in range(self.n_components_)], object)

    def evidence(self, agents: int, tasks: int) -> Evidence:
        """What is known about the quality of the map, for a verdict.

        Args:
            agents: The number of agents that the map was learned from.
            tasks: The number of tasks that it was learned from.

        Returns:
            The evidence.
        """
        check_is_fitted(self, "n_components_")
        pairs, needs = self._tested(agents, tasks)
        scores = getattr(self, "test_scores_", {})
        accuracy, by_half = scores.get("similarity"), "plain" in scores
        return Evidence(agents, tasks, self.n_components_, accuracy, pairs, needs, by_half)

    def _tested(self, agents: int, tasks: int) -> tuple[int, str]:
        """The number of pairs of tasks of the test scores, and what such a test requires."""
        return 0, ""

    def similarity(self, first: Any, second: Any) -> NDArray[np.float64]:
        """Similarity of tasks: the inner products of their vectors.

        Args:
            first: The tasks in the rows, as in `transform`; one task is accepted too.
            second: The tasks in the columns.

        Returns:
            The similarities (first, second).
        """
        return self._array(self._rows(first)) @ self._array(self._rows(second)).T

    def direction(self, X: Any) -> NDArray[np.float64]:
        """Direction of the vector of each task.

        Args:
            X: The tasks, as in `transform`; one task is accepted too.

        Returns:
            Vectors of length 1 (tasks, n_components), or 0 where the vector is 0.
        """
        return unit(self._array(self._rows(X)))

    def points(self, X: Any) -> NDArray[np.float64]:
        """The points whose distances figures, clusters and silhouettes are based on: the vectors.

        Args:
            X: The tasks, as in `transform`.

        Returns:
            One point per task.
        """
        return self._array(X)

    def difficulty(self, X: Any) -> NDArray[np.float64]:
        """Difficulty of each task, by default the length of its vector.

        Args:
            X: The tasks, as in `transform`; one task is accepted too.

        Returns:
            One difficulty per task.
        """
        return np.linalg.norm(self._array(self._rows(X)), axis=1)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the model to a folder: settings in JSON, weights in safetensors, no pickle.

        Args:
            folder: The path of the folder; an existing model of this type is replaced.

        Raises:
            ValueError: If the folder contains other files, or if the network is a custom one.
        """
        check_is_fitted(self, "n_components_")
        storage.save(self, folder)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """Read a model written by `save`.

        Args:
            folder: The path of the folder.

        Returns:
            The fitted model.

        Raises:
            FileNotFoundError: If there is no model in the folder.
            ValueError: If the model is damaged or of another type.
        """
        return storage.load(cls, folder)

    def _rows(self, tasks: ArrayLike) -> Any:
        """A table of tasks, or a list of names, also if one task is given."""
        if self.task_names_ is not None:
            return as_list(tasks)
        array = checks.array(in_order(tasks, self.feature_names_), "tasks")
        return array[None] if array.ndim == 1 else array

    def _validated(self, X: Any, **options: Any) -> NDArray[Any]:
        """Check the tasks and convert them to an array: features, or indices of names."""
        if self.task_names_ is not None:
            X = positions(self.task_names_, X, "map")[:, None]
        elif are_names(X):
            raise ValueError(
                "tasks must be one row of features per task, got names; this map was fitted to"
                " features, so it cannot find a task by name"
            )
        elif not options.get("reset", True):
            X = in_order(X, self.feature_names_)
            X = X if hasattr(X, "columns") else rows(X)
        options["ensure_all_finite"] = False  # scikit-learn's own message about NaN is long
        # Bytes stay bytes: as floats, Karel tasks would take eight times the memory.
        kind = np.uint8 if getattr(X, "dtype", None) == np.uint8 else np.float64
        tasks: NDArray[Any] = validate_data(self, X, dtype=kind, **options)
        checks.moderate(tasks, "the features of tasks")
        return tasks

    @abstractmethod
    def _vectors(self, tasks: NDArray[Any]) -> NDArray[np.float64]:
        """The vectors of validated tasks."""

    @abstractmethod
    def _state(self) -> storage.State:
        """What `save` writes besides the parameters and the names."""

    @abstractmethod
    def _restore(self, state: storage.State) -> None:
        """Set the fitted attributes from what `save` has written."""


def features_of(outcomes: Outcomes) -> NDArray[Any]:
    """The features of the tasks."""
    if outcomes.features is None:
        raise ValueError("there are no features of the tasks in these outcomes; pass tasks too")
    return outcomes.features

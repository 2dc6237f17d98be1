"""The base class of all embeddings, which map tasks to vectors."""

from __future__ import annotations

import os
from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from taskspace import checks
from taskspace.models.embedding import storage
from taskspace.models.embedding.reading import Reading
from taskspace.models.embedding.verdict import Evidence
from taskspace.outcomes.feature_rows import in_order, rows
from taskspace.outcomes.outcomes import Outcomes

if TYPE_CHECKING:
    from typing_extensions import Self


class Embedding(Reading, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Base class of embeddings, which map each task to a vector.

    A subclass implements `fit`, which sets the attributes below, and `_vectors`.

    Attributes:
        n_components_: The number of dimensions.
        task_names_: The names of the tasks if they have no features, otherwise None.
        test_scores_: Held-out scores by name, if `fit` has computed any.
        feature_names_: The names of the features if the model was fitted to outcomes with
            features. Columns of a DataFrame of tasks are found by these names.
    """

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Map tasks to vectors; the tasks may be new.

        Args:
            X: Rows of features. If the model was fitted without features, the names of tasks as
                text, or their positions in the outcomes as integers.

        Returns:
            The vectors (tasks, n_components); after `set_output`, a DataFrame.

        Raises:
            ValueError: If the tasks have the wrong form, if a name is unknown, or if an integer
                is a position and also the name of another task.
        """
        return self._array(X)  # here, because scikit-learn wraps only methods of its own classes

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
        self._check_fitted()
        pairs, needs = self._tested(agents, tasks)
        scores = getattr(self, "test_scores_", {})
        accuracy, plain = scores.get("similarity"), scores.get("plain")
        return Evidence(agents, tasks, self.n_components_, accuracy, pairs, needs, plain)

    def _tested(self, agents: int, tasks: int) -> tuple[int, str]:
        """The number of pairs of tasks of the test scores, and what such a test requires."""
        return 0, ""

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the model to a folder: settings in JSON, weights in safetensors, no pickle.

        Args:
            folder: The path of the folder; an existing model of this type is replaced.

        Raises:
            ValueError: If the folder contains other files, or if the network is a custom one.
        """
        self._check_fitted()
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

    def _check_fitted(self) -> None:
        check_is_fitted(self, "n_components_")

    def _validated(self, X: Any, **options: Any) -> NDArray[Any]:
        """Check the tasks as scikit-learn does, and convert them to an array."""
        X = self._numbered(X)
        if self.task_names_ is None and not options.get("reset", True):
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

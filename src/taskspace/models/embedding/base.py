"""The base class of all embeddings: a network from standardized tasks to vectors."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from taskspace import checks
from taskspace.models.embedding import storage
from taskspace.models.embedding.network import forward, layers_of, perceptron
from taskspace.outcomes.outcomes import Outcomes

if TYPE_CHECKING:
    from typing_extensions import Self


_TASKS_AT_ONCE = 1 << 16  # so that the outputs of a hidden layer take at most 20 MB


class Embedding(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Base class of embeddings, which map each task to a vector.

    A subclass implements `fit`, which sets the attributes below.

    Attributes:
        mean_: The mean of each feature.
        scale_: The standard deviation of each feature.
        network_: The network, in `precision`.
        n_components_: The number of dimensions.
        task_names_: The names of the tasks if they have no features, otherwise None.
    """

    precision: ClassVar[torch.dtype] = torch.float64  # of the fitted network
    saved: ClassVar[tuple[str, ...]] = ("mean", "scale")  # saved besides the network

    hidden: Any
    mean_: NDArray[np.float64]
    scale_: NDArray[np.float64]
    network_: torch.nn.Module
    n_components_: int
    task_names_: NDArray[np.str_] | None = None

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Map tasks to vectors; the tasks may be new.

        The vector of a task is bit-identical for any other tasks in `X` and on every processor.
        (Networks other than perceptrons, e.g. Karel's encoder, round differently in batches of
        different sizes.)

        Args:
            X: Rows of features, or names of tasks if the model was fitted without features.

        Returns:
            The vectors (tasks, n_components).

        Raises:
            ValueError: If the tasks have the wrong form, or if a name is unknown.
        """
        check_is_fitted(self, "network_")
        return self._vectors(self._validated(X, reset=False))

    def similarity(self, first: Any, second: Any) -> NDArray[np.float64]:
        """Similarity of tasks: the inner products of their vectors.

        Args:
            first: The tasks in the rows, as in `transform`; one task is accepted too.
            second: The tasks in the columns.

        Returns:
            The similarities (first, second).
        """
        return self.transform(self._rows(first)) @ self.transform(self._rows(second)).T

    def difficulty(self, X: Any) -> NDArray[np.float64]:
        """Length of the vector of each task; in a `TaskEmbedder`, the longer, the harder.

        Args:
            X: The tasks, as in `transform`; one task is accepted too.

        Returns:
            One length per task.
        """
        return np.linalg.norm(self.transform(self._rows(X)), axis=1)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the model to a folder: settings in JSON, weights in safetensors, no pickle.

        Args:
            folder: The path of the folder; an existing model of this type is replaced.

        Raises:
            ValueError: If the folder contains other files, or if the network is a custom one.
        """
        check_is_fitted(self, "network_")
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
        """A table of tasks, also if one task is given."""
        array = np.asarray(tasks)
        return array[None] if array.ndim == 1 else array

    def _validated(self, X: Any, **options: Any) -> NDArray[Any]:
        """Check the tasks and convert them to an array."""
        options["ensure_all_finite"] = False  # scikit-learn's own message about NaN is long
        tasks: NDArray[np.float64] = validate_data(self, X, dtype=np.float64, **options)
        checks.finite(tasks, "tasks")
        return tasks

    def _vectors(self, tasks: NDArray[Any]) -> NDArray[np.float64]:
        """The vectors of validated tasks."""
        starts = range(0, max(len(tasks), 1), _TASKS_AT_ONCE)
        parts = [self._outputs(tasks[start : start + _TASKS_AT_ONCE]) for start in starts]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _outputs(self, tasks: NDArray[Any]) -> NDArray[np.float64]:
        """The outputs of the network for tasks, in one pass."""
        inputs = self._inputs(tasks)
        if layers := layers_of(self.network_):
            return forward(layers, inputs.numpy())
        with torch.no_grad():
            return self.network_(inputs).double().numpy()

    def _learn_scale(self, tasks: NDArray[Any]) -> torch.Tensor:
        """Store the mean and the scale of these tasks, and return the inputs of the network."""
        self.mean_, self.scale_ = tasks.mean(0), np.maximum(tasks.std(0), 1e-6)
        return self._inputs(tasks)

    def _inputs(self, tasks: NDArray[Any]) -> torch.Tensor:
        """The inputs of the network for tasks."""
        return torch.from_numpy((tasks - self.mean_) / self.scale_)

    def _network(self, inputs: int, outputs: int) -> torch.nn.Module:
        """An untrained network, to train or to load weights into."""
        return perceptron((inputs, *self.hidden, outputs))

    def _findings(self) -> dict[str, Any]:
        """Further results of `fit`, for the JSON file."""
        return {}

    def _restore_findings(self, settings: dict[str, Any]) -> None:
        """Restore the results of `_findings` from the JSON file."""


def features_of(outcomes: Outcomes) -> NDArray[Any]:
    """The features of the tasks."""
    if outcomes.features is None:
        raise ValueError("there are no features of the tasks in these outcomes; pass tasks too")
    return outcomes.features


def check_layers(hidden: Sequence[int]) -> None:
    """Check the sizes of hidden layers."""
    for size in hidden:
        checks.whole(size, "the size of a hidden layer", 1)

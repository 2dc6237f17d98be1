"""What all embeddings of tasks have in common: a network from standardized tasks to vectors."""

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


_TASKS_AT_ONCE = 1 << 16  # what hidden layers make of them stays within 20 MB each


class Embedding(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A vector for every task. A subclass says in `fit` where the network comes from.

    `fit` sets `mean_` and `scale_` (of the tasks), `network_` (in `precision`) and
    `n_components_`; all that is below follows from these.
    """

    precision: ClassVar[torch.dtype] = torch.float64  # of the finished network
    kept: ClassVar[tuple[str, ...]] = ("mean", "scale")  # what is saved beside the network

    hidden: Any
    mean_: NDArray[np.float64]
    scale_: NDArray[np.float64]
    network_: torch.nn.Module
    n_components_: int
    task_names_: NDArray[np.str_] | None = None  # where tasks are known by their names alone

    def transform(self, X: Any) -> NDArray[np.float64]:
        """The vector of each task (tasks, n_components), seen before or not.

        A task's vector is bit-identical whatever other tasks are in `X`, and on every processor.
        (Networks other than perceptrons, such as Karel's encoder, round differently in batches of
        other sizes.)
        """
        check_is_fitted(self, "network_")
        return self._vectors(self._validated(X, reset=False))

    def similarity(self, first: Any, second: Any) -> NDArray[np.float64]:
        """Inner products of the tasks of the first set (rows) with those of the second."""
        return self.transform(self._rows(first)) @ self.transform(self._rows(second)).T

    def difficulty(self, X: Any) -> NDArray[np.float64]:
        """The length of each task's vector; in a `TaskEmbedder` the longer, the harder."""
        return np.linalg.norm(self.transform(self._rows(X)), axis=1)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the model to a folder: JSON settings and safetensors, no pickle."""
        check_is_fitted(self, "network_")
        storage.save(self, folder)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """Read a folder that `save` wrote."""
        return storage.load(cls, folder)

    def _rows(self, tasks: ArrayLike) -> Any:
        """Several tasks, also where one is given."""
        array = np.asarray(tasks)
        return array[None] if array.ndim == 1 else array

    def _validated(self, X: Any, **options: Any) -> NDArray[Any]:
        """The tasks as an array, or one sentence on what is wrong with them."""
        options["ensure_all_finite"] = False  # scikit-learn's own sentence on NaN is five
        tasks: NDArray[np.float64] = validate_data(self, X, dtype=np.float64, **options)
        checks.finite(tasks, "tasks")
        return tasks

    def _vectors(self, tasks: NDArray[Any]) -> NDArray[np.float64]:
        """The vectors of tasks that have been validated."""
        starts = range(0, max(len(tasks), 1), _TASKS_AT_ONCE)
        parts = [self._outputs(tasks[start : start + _TASKS_AT_ONCE]) for start in starts]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _outputs(self, tasks: NDArray[Any]) -> NDArray[np.float64]:
        """What the network gives for tasks, all at once."""
        inputs = self._inputs(tasks)
        if layers := layers_of(self.network_):
            return forward(layers, inputs.numpy())
        with torch.no_grad():
            return self.network_(inputs).double().numpy()

    def _learn_scale(self, tasks: NDArray[Any]) -> torch.Tensor:
        """Remember mean and scale of these tasks, and give what the network sees of them."""
        self.mean_, self.scale_ = tasks.mean(0), np.maximum(tasks.std(0), 1e-6)
        return self._inputs(tasks)

    def _inputs(self, tasks: NDArray[Any]) -> torch.Tensor:
        """What the network sees of tasks."""
        return torch.from_numpy((tasks - self.mean_) / self.scale_)

    def _network(self, inputs: int, outputs: int) -> torch.nn.Module:
        """A network that has learned nothing, to train or to load weights into."""
        return perceptron((inputs, *self.hidden, outputs))

    def _findings(self) -> dict[str, Any]:
        """What else `fit` found out, for the JSON file."""
        return {}

    def _restore_findings(self, settings: dict[str, Any]) -> None:
        """Take back from the JSON file what `_findings` gave."""


def features_of(outcomes: Outcomes) -> NDArray[Any]:
    """The tasks that these outcomes are about."""
    if outcomes.features is None:
        raise ValueError("these outcomes hold no features of the tasks; pass tasks with them")
    return outcomes.features


def check_layers(hidden: Sequence[int]) -> None:
    """Refuse hidden layers that are none."""
    for size in hidden:
        checks.whole(size, "the size of a hidden layer", 1)

"""Embeddings by a network from standardized tasks to vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from taskspace import checks
from taskspace.models.embedding.base import Embedding
from taskspace.models.embedding.forward import forward
from taskspace.models.embedding.network import layers_of, perceptron, weights_of
from taskspace.models.embedding.storage import State

_TASKS_AT_ONCE = 1 << 16  # so that the outputs of a hidden layer take at most 20 MB


class NetworkEmbedding(Embedding):
    """Base class of embeddings whose vectors are the outputs of a network.

    The vector of a task is bit-identical for any other tasks beside it and on every processor.
    (Networks other than perceptrons, e.g. Karel's encoder, round differently in batches of
    different sizes.)

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

    def _vectors(self, tasks: NDArray[Any]) -> NDArray[np.float64]:
        starts = range(0, max(len(tasks), 1), _TASKS_AT_ONCE)
        parts = [self._outputs(tasks[start : start + _TASKS_AT_ONCE]) for start in starts]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _outputs(self, tasks: NDArray[Any]) -> NDArray[np.float64]:
        """The outputs of the network for tasks, in one pass."""
        inputs = self._inputs(tasks)
        if layers := layers_of(self.network_):
            return forward(weights_of(layers), inputs.numpy())
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

    def _state(self) -> State:
        if callable(self.hidden):
            raise ValueError("an embedder with a custom network cannot be saved; save its weights")
        arrays = {name: tensor.numpy() for name, tensor in self.network_.state_dict().items()}
        arrays |= {name: np.asarray(getattr(self, f"{name}_")) for name in self._scales()}
        return State(self._findings(), arrays)

    def _restore(self, state: State) -> None:
        arrays = dict(state.arrays)
        for name in self._scales():
            setattr(self, f"{name}_", arrays.pop(name))
        with torch.random.fork_rng(devices=[]):  # new layers draw weights, which are overwritten
            network = self._network(self.n_features_in_, self.n_components_)
        self.network_ = network.to(self.precision)
        self.network_.load_state_dict({name: torch.tensor(part) for name, part in arrays.items()})
        self._restore_findings(state.settings)

    def _scales(self) -> tuple[str, ...]:
        """The scales that are saved; names of tasks, unlike features, have none."""
        return self.saved if self.task_names_ is None else ()

    def _findings(self) -> dict[str, Any]:
        """Further results of `fit`, for the JSON file."""
        return {}

    def _restore_findings(self, settings: dict[str, Any]) -> None:
        """Restore the results of `_findings` from the JSON file."""


def check_device(device: Any) -> None:
    """Check that torch can use this device."""
    try:
        torch.empty(0, device=device).cpu()
    except (AssertionError, RuntimeError, TypeError) as error:  # torch raises all of these
        raise ValueError(
            'device must be a torch device of this machine, e.g. "cpu" or "cuda", got'
            f" {checks.brief(device)}"
        ) from error


def check_layers(hidden: Sequence[int]) -> None:
    """Check the sizes of hidden layers."""
    checks.listed(hidden, "hidden")
    for size in hidden:
        checks.whole(size, "the size of a hidden layer", 1, checks.WIDEST)

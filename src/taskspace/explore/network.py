"""The network behind a map in a form from which the page itself can embed new tasks."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from taskspace.models.embedding.base import Embedding
from taskspace.models.embedding.network import layers_of
from taskspace.models.embedding.network_embedding import NetworkEmbedding
from taskspace.models.embedding.task_embedder import TaskEmbedder
from taskspace.models.success.model import SuccessModel
from taskspace.models.success.network import Encoding, Residual

LARGEST = 65_535  # stands for a probability of 1


def page_network(embedder: Embedding) -> dict[str, Any] | None:
    """What `assets/tasks/network.js` needs to embed a new task; None if it cannot."""
    if isinstance(embedder, TaskEmbedder):
        return _of_profiles(embedder)
    layers = layers_of(embedder.network_) if isinstance(embedder, NetworkEmbedding) else []
    if not layers:
        return None
    return {
        "mean": embedder.mean_.tolist(),
        "scale": embedder.scale_.tolist(),
        "layers": [_parameters(layer) for layer in layers],
    }


def _of_profiles(embedder: TaskEmbedder) -> dict[str, Any] | None:
    """The success network, and the landmarks of the map."""
    if embedder.task_names_ is not None:
        return None
    success = _success_network(embedder.model_)
    if success is None:
        return None
    found = embedder.map_
    return {
        "success": success,
        "landmarks": sixteen_bits(found.landmarks),
        "weights": found.weights.astype(np.float32),
        "measure": found.measure,
    }


def _success_network(model: SuccessModel) -> dict[str, Any] | None:
    """The layers, unless the model has other ones, e.g. an encoder of programs."""
    if getattr(model, "kind_", "network") != "network":
        return None
    encoding, first, *rest, norm, _, last = model.network_
    if not isinstance(encoding, Encoding):
        return None
    blocks = [block.layers for block in rest if isinstance(block, Residual)]
    return {
        "mean": encoding.mean.tolist(),
        "scale": encoding.scale.tolist(),
        "columns": encoding.columns.tolist(),
        "edges": encoding.edges.tolist(),
        "first": _parameters(first),
        "blocks": [
            {"norm": _parameters(start), "first": _parameters(one), "second": _parameters(two)}
            for start, one, _, two in blocks
        ],
        "norm": _parameters(norm),
        "last": _parameters(last),
    }


def _parameters(layer: Any) -> dict[str, NDArray[np.float32]]:
    """The weight and the bias of a layer, in single precision."""
    return {name: _array(getattr(layer, name)) for name in ("weight", "bias")}


def _array(tensor: torch.Tensor) -> NDArray[np.float32]:
    return tensor.detach().numpy().astype(np.float32)


def sixteen_bits(probabilities: NDArray[np.float64]) -> NDArray[np.uint16]:
    """Probabilities in steps of 1 / 65535.

    >>> sixteen_bits(np.array([0.0, 0.5, 1.0]))
    array([    0, 32768, 65535], dtype=uint16)
    """
    return (LARGEST * probabilities).round().astype(np.uint16)

"""Canonical axes: a rotation in which maps that agree look the same.

The constraints depend on inner products and lengths only, so training leaves the rotation random.
The principal axes of the map itself would not help: if skills are similar, as in MultiKeyNav, the
axes have nearly equal variances, and their order and signs remain random. Therefore maps are
rotated towards a reference that depends on the outcomes alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from taskspace.models.embedding.spectral import unit

if TYPE_CHECKING:
    import torch


def spectral_map(similarity: NDArray[np.floating], size: int) -> NDArray[np.float64]:
    """The reference: vectors (n, size) whose inner products are nearest to similarities (n, n).

    These are the principal axes of the similarities, the largest first. The sign of each axis makes
    the mean cubed coordinate positive. Unknown similarities (NaN) count as 0.

    >>> similarity = np.array([[4.0, 0.0, 4.0], [0.0, 1.0, 0.0], [4.0, 0.0, 4.0]])
    >>> spectral_map(similarity, 2).round(6) + 0.0
    array([[2., 0.],
           [0., 1.],
           [2., 0.]])
    """
    values, axes = np.linalg.eigh(np.nan_to_num(similarity.astype(np.float64)))
    largest = slice(None, -size - 1, -1)  # eigh starts with the smallest
    vectors = axes[:, largest] * np.sqrt(np.maximum(values[largest], 0))
    vectors = np.where((vectors**3).sum(0) < 0, -vectors, vectors)
    return np.pad(vectors, ((0, 0), (0, size - vectors.shape[1])))


def best_rotation(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rotation or reflection of `a` with the largest mean cosine to `b` (Procrustes).

    >>> a = np.array([[1.0, 0.0], [1.0, 2.0], [0.0, 3.0]])
    >>> best_rotation(a, a[:, ::-1]).round(6) + 0.0
    array([[0., 1.],
           [1., 0.]])
    """
    left, _, right = np.linalg.svd(unit(a).T @ unit(b))
    return left @ right


def fold(network: torch.nn.Module, rotation: NDArray[np.float64]) -> torch.nn.Module:
    """Rotate the vectors of a `Lookup` or perceptron by changing its last weights."""
    import torch

    from taskspace.models.embedding.lookup import Lookup

    with torch.no_grad():
        if isinstance(network, Lookup):
            network.vectors.copy_(network.vectors @ torch.as_tensor(rotation).to(network.vectors))
            return network
        assert isinstance(network, torch.nn.Sequential)
        last = network[-1]
        assert isinstance(last, torch.nn.Linear)
        turn = torch.as_tensor(rotation.T.copy()).to(last.weight)
        last.weight.copy_(turn @ last.weight)
        last.bias.copy_(turn @ last.bias)
    return network


def append(network: torch.nn.Module, rotation: NDArray[np.float64]) -> torch.nn.Module:
    """Append the rotation as a layer to any network, whose last weights may be of any type."""
    import torch

    size = len(rotation)
    like = next(network.parameters())
    turn = torch.nn.Linear(size, size, bias=False, device="meta")  # draws no random weights
    turn.weight = torch.nn.Parameter(torch.as_tensor(rotation.T.copy()).to(like), False)
    return torch.nn.Sequential(network, turn)

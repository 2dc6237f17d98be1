"""Canonical axes: the rotation in which two maps that agree look alike.

The constraints know inner products and lengths only, so training leaves the rotation to chance.
A map's own principal axes would not help: where skills are alike, as in MultiKeyNav, axes have
nearly the same moments, and their order and signs are still left to chance. So maps are rotated
towards a reference that the outcomes alone determine.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from taskspace.models.embedding.lookup import Lookup


def spectral_map(similarity: NDArray[np.floating], size: int) -> NDArray[np.float64]:
    """The reference: vectors (n, size) whose inner products are nearest to similarities (n, n).

    These are the principal axes of the similarities, the largest first. The sign of each makes the
    mean of the cubed coordinate positive. What is not known (NaN) counts as 0.

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


def unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Vectors of length 1; what has no length stays 0."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(length > 0, length, 1)


def fold(network: torch.nn.Module, rotation: NDArray[np.float64]) -> torch.nn.Module:
    """A lookup or perceptron of ours that gives rotated vectors: its last weights are changed."""
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
    """Any network, and after it the rotation: what its last weights do is not ours to know."""
    size = len(rotation)
    like = next(network.parameters())
    turn = torch.nn.Linear(size, size, bias=False, device="meta")  # draws no random weights
    turn.weight = torch.nn.Parameter(torch.as_tensor(rotation.T.copy()).to(like), False)
    return torch.nn.Sequential(network, turn)

"""Maps from eigenvectors: vectors whose inner products are nearest to given similarities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ENOUGH = 0.95  # the fraction of the shared information that "auto" keeps
_ROUNDS = 500
_CLOSE = 1e-9  # rounds of the rotation end when its criterion grows by a smaller fraction
_ROUNDING = 1e-12  # of a similarity; larger than its rounding errors and smaller than any of use


def eigen(similarity: NDArray[np.floating]) -> tuple[Floats, Floats]:
    """The positive eigenvalues of similarities (n, n), largest first, and their unit vectors.

    >>> values, vectors = eigen(np.array([[4.0, 0.0, 4.0], [0.0, 1.0, 0.0], [4.0, 0.0, 4.0]]))
    >>> values.round(6)
    array([8., 1.])
    """
    values, vectors = np.linalg.eigh(np.asarray(similarity, np.float64))
    least = max(values[-1] * 1e-10, len(values) * _ROUNDING)
    positive = np.flatnonzero(values > least)[::-1]
    return values[positive], vectors[:, positive]


def canonical_rotation(vectors: Floats) -> Floats:
    """The rotation of vectors (n, dimensions) to canonical axes, as a matrix (dimensions squared).

    Inner products do not determine the axes, and eigenvectors are no natural choice: if skills are
    equally important, the eigenvalues are nearly equal, and any mixture of their axes would do.
    Varimax turns the axes so that each one concerns some tasks strongly and the others little, as
    far as possible: an axis is then a skill. The first axis has the most information (axes with
    nearly the same information may change places from seed to seed). The sign of each axis makes
    the sum of cubed coordinates positive.

    >>> skills = np.array([[3.0, 0.0], [2.0, 0.0], [0.0, 1.0], [0.0, 2.0]])
    >>> mixed = skills @ np.array([[0.6, 0.8], [-0.8, 0.6]])
    >>> (mixed @ canonical_rotation(mixed)).round(3) + 0.0
    array([[3., 0.],
           [2., 0.],
           [0., 1.],
           [0., 2.]])
    """
    rotation, criterion = np.eye(vectors.shape[1]), 0.0
    for _ in range(_ROUNDS):
        turned = vectors @ rotation
        uneven = turned**3 - turned * (turned**2).mean(0)
        left, values, right = np.linalg.svd(vectors.T @ uneven)
        rotation, before, criterion = left @ right, criterion, float(values.sum())
        if criterion <= before * (1 + _CLOSE):
            break
    turned = vectors @ rotation
    order = np.argsort(-(turned**2).sum(0), kind="stable")
    signs = np.where((turned**3).sum(0) < 0, -1.0, 1.0)
    found: Floats = (rotation * signs)[:, order]
    return found


def kept(values: Floats, size: int) -> float:
    """The fraction of the shared information in the `size` largest of some eigenvalues.

    >>> kept(np.array([6.0, 3.0, 1.0]), 2)
    0.9
    """
    total = float(values.sum())
    return float(values[:size].sum()) / total if total > 0 else 1.0


def enough_dimensions(values: Floats, fraction: float = ENOUGH) -> int:
    """The smallest number of eigenvalues, largest first, that keeps this fraction of their sum.

    >>> enough_dimensions(np.array([6.0, 3.0, 1.0]), 0.9)
    2
    """
    sizes = range(1, len(values) + 1)
    return next((size for size in sizes if kept(values, size) >= fraction - 1e-12), 1)


def unit(vectors: NDArray[Any]) -> NDArray[Any]:
    """Scale vectors to length 1; vectors of length 0 stay 0.

    >>> unit(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(length > 0, length, 1)

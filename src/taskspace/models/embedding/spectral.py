"""Maps from eigenvectors: vectors whose inner products are nearest to given similarities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ENOUGH = 0.95  # the fraction of the shared information that "auto" keeps
_ROUNDING = 1e-12  # of a similarity; larger than its rounding errors and smaller than any of use


def eigen(similarity: NDArray[np.floating]) -> tuple[Floats, Floats]:
    """The positive eigenvalues of similarities (n, n), largest first, and their unit vectors.

    The sign of each eigenvector makes the sum of its cubed entries positive, so that it does not
    depend on the processor.

    >>> values, vectors = eigen(np.array([[4.0, 0.0, 4.0], [0.0, 1.0, 0.0], [4.0, 0.0, 4.0]]))
    >>> values.round(6)
    array([8., 1.])
    """
    values, vectors = np.linalg.eigh(np.asarray(similarity, np.float64))
    least = max(values[-1] * 1e-10, len(values) * _ROUNDING)
    positive = np.flatnonzero(values > least)[::-1]
    values, vectors = values[positive], vectors[:, positive]
    return values, np.where((vectors**3).sum(0) < 0, -vectors, vectors)


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

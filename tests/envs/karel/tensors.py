"""Worlds read out of tensors: the way back, which only tests go."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from taskspace.envs.karel.worlds import (
    BORDER,
    MARKERS,
    MOST_MARKERS,
    TENSOR_SHAPE,
    WALLS,
    Worlds,
    check,
    to_tensor,
)


def from_tensor(tensor: NDArray[np.float32]) -> Worlds:
    """The worlds of tensors (..., 16, 18, 18), which must show possible ones."""
    bits = tensor.reshape(-1, *TENSOR_SHAPE) != 0
    sizes = np.stack([bits[:, BORDER].any(axis).sum(1) - 2 for axis in (2, 1)], 1)
    heroes = bits[:, :WALLS]
    assert (heroes.sum((1, 2, 3)) == 1).all()
    direction, row, column = np.unravel_index(
        heroes.reshape(len(bits), -1).argmax(1), heroes.shape[1:]
    )
    counts = np.arange(1, MOST_MARKERS + 1)[:, None, None]
    markers = (bits[:, MARKERS:] * counts).max(1)
    worlds = Worlds(
        sizes.astype(np.uint8),
        np.stack([row - 1, column - 1, direction], 1).astype(np.uint8),
        bits[:, WALLS, 1:-1, 1:-1].copy(),
        markers[:, 1:-1, 1:-1].astype(np.uint8),
    )
    check(worlds)
    assert np.array_equal(to_tensor(worlds), tensor.reshape(bits.shape))
    return worlds.reshape(*tensor.shape[:-3])

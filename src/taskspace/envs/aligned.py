"""Arrays that begin at a cache line.

Vectors of 64 bytes then lie in one line of the cache instead of two. Small networks take up to a
fifth longer otherwise, and where NumPy's arrays begin is a matter of chance.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LINE = 64  # bytes


def aligned_zeros(shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Zeros in single precision."""
    size = 4 * math.prod(shape)
    room = np.zeros(size + _LINE, np.uint8)
    start = -room.ctypes.data % _LINE
    return room[start : start + size].view(np.float32).reshape(shape)


def aligned(values: NDArray[Any]) -> NDArray[np.float32]:
    """A copy in single precision."""
    copy = aligned_zeros(values.shape)
    copy[:] = values
    return copy

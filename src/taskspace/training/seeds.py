"""Independent seeds from one seed."""

from __future__ import annotations

import numpy as np


def child_seeds(seed: int, count: int) -> list[int]:
    """Independent seeds; a larger `count` only adds seeds."""
    words = np.random.SeedSequence(seed).generate_state(count, np.uint64)
    return [int(word) >> 1 for word in words]

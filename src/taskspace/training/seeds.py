"""Many seeds from one."""

from __future__ import annotations

import numpy as np


def child_seeds(seed: int, count: int) -> list[int]:
    """So many independent seeds; asking for more does not change the first ones."""
    words = np.random.SeedSequence(seed).generate_state(count, np.uint64)
    return [int(word) >> 1 for word in words]

"""The handover: the more of the target distribution the learner solves, the more is uniform.

A curriculum finds the tasks that a beginner can learn from. Once uniform tasks are solved often,
they teach just as well, and a curriculum only narrows what is trained on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

COMPLETE = 0.5  # success rate on the target distribution at which all tasks are uniform


def uniform_share(p: Floats, target: Floats, least: float) -> float:
    """The share of episodes whose tasks are drawn uniformly.

    Args:
        p: The probability of success on each task.
        target: The probability of each task in the target distribution.
        least: The share if no task is solved.

    Returns:
        The share, which rises linearly to 1 with the success rate on the target distribution.

    >>> both = np.array([0.5, 0.5])
    >>> [round(uniform_share(np.array([p, 0.0]), both, 0.2), 2) for p in (0.0, 0.5, 1.0)]
    [0.2, 0.6, 1.0]
    """
    return least + (1 - least) * min(1.0, float(p @ target) / COMPLETE)

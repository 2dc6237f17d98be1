"""The handover: the more of the target distribution the learner solves, the more is uniform.

A curriculum finds the tasks that a beginner can learn from. Once uniform tasks are solved now and
then, they teach just as well, and a curriculum only narrows what is trained on.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks

Floats = NDArray[np.float64]

COMPLETE = 0.1  # success rate on the target distribution at which all tasks are uniform
NEVER = math.inf


def read_handover(given: Any, has_target: bool) -> float:
    """The success rate at which all tasks are uniform, from the argument of a `Curriculum`.

    >>> read_handover(None, False), read_handover(None, True), read_handover(0.3, True)
    (0.1, inf, 0.3)
    """
    if given is None:
        given = not has_target
    if isinstance(given, (bool, np.bool_)):
        return COMPLETE if given else NEVER
    if not isinstance(given, (int, float, np.number)) or not 0 < given <= 1:
        raise ValueError(
            "handover must be True, False, None or a success rate of at most 1, got"
            f" {checks.brief(given)}"
        )
    return float(given)


def uniform_share(p: Floats, target: Floats, least: float, complete: float = COMPLETE) -> float:
    """The share of episodes whose tasks are drawn uniformly.

    Args:
        p: The probability of success on each task.
        target: The probability of each task in the target distribution.
        least: The share if no task is solved.
        complete: The success rate on the target distribution at which the share is 1.

    Returns:
        The share, which rises linearly to 1 with the success rate on the target distribution.

    >>> both = np.array([0.5, 0.5])
    >>> [round(uniform_share(np.array([p, 0.0]), both, 0.2, 0.5), 2) for p in (0.0, 0.5, 1.0)]
    [0.2, 0.6, 1.0]
    """
    return least + (1 - least) * min(1.0, float(p @ target) / complete)

"""What distinguishes one subpopulation from the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

States = NDArray[np.float64]  # (examples, columns)
Actions = NDArray[np.int64]  # (examples,)


@dataclass(frozen=True)
class Subpopulation:
    """A subpopulation of agents that are trained in the same way.

    Attributes:
        name: The name of the subpopulation.
        masked: The names of the actions that its agents never take.
        distribution: The name of the task distribution that its agents are trained on.
        transform_examples: A function that changes the examples of behavioural cloning, e.g. so
            that agents cannot distinguish some of them.
    """

    name: str
    masked: tuple[str, ...] = ()
    distribution: str = "all"
    transform_examples: Callable[[States, Actions], tuple[States, Actions]] | None = None

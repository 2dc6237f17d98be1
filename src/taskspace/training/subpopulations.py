"""What sets one subpopulation apart from the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

States = NDArray[np.float64]  # (examples, columns)
Actions = NDArray[np.int64]  # (examples,)


@dataclass(frozen=True)
class Subpopulation:
    """A subpopulation: the actions it must do without, or the tasks it gets to see.

    `blur` changes the examples of behavioural cloning, so that agents cannot tell some of them
    apart.
    """

    name: str
    masked: tuple[str, ...] = ()  # actions by name
    distribution: str = "all"
    blur: Callable[[States, Actions], tuple[States, Actions]] | None = None

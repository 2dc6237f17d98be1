"""One free vector a task, for tasks of which nothing is known but how agents did on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from taskspace import checks

START = 0.1  # deviation of coordinates before training; a finished vector is about 2 to 4 long


class Lookup(torch.nn.Module):
    """From places in a list of tasks, in one column, to the vectors of these tasks."""

    def __init__(self, tasks: int, size: int) -> None:
        super().__init__()
        self.vectors = torch.nn.Parameter(START * torch.randn(tasks, size))

    def forward(self, places: torch.Tensor) -> torch.Tensor:
        """A row for each place."""
        return torch.nn.functional.embedding(places[:, 0], self.vectors)


def places(known: NDArray[np.str_], tasks: Any) -> NDArray[np.int64]:
    """Where these names are in a list of known ones, as a column.

    >>> places(np.array(["north", "south", "east"]), ["east", "north"])
    array([[2],
           [0]])
    """
    names = checks.array(tasks, "the names of tasks")
    if names.ndim != 1:
        raise ValueError(
            "this map was learned without features of the tasks; expected a list of names, not an"
            f" array of shape {names.shape}"
        )
    place = {name: index for index, name in enumerate(known.tolist())}
    wanted = names.astype(np.str_).tolist()
    unknown = [name for name in wanted if name not in place]
    if unknown:
        raise ValueError(
            f"there is no task {unknown[0]!r} in this map; learned without features, it knows"
            f" only the {len(place)} tasks that it was fitted to"
        )
    return np.array([place[name] for name in wanted], np.int64)[:, None]


def are_names(tasks: Any) -> bool:
    """Whether someone passed names where rows of numbers might have been."""
    if isinstance(tasks, np.ndarray):
        return tasks.dtype.kind == "U"
    return isinstance(tasks, (list, tuple)) and bool(tasks) and isinstance(tasks[0], str)

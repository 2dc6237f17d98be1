"""One free vector a task, for tasks of which nothing is known but how agents did on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

START = 0.1  # deviation of coordinates before training; a finished vector is about 2 to 4 long


class Lookup(torch.nn.Module):
    """From places in a list of tasks, in one column, to the vectors of these tasks."""

    def __init__(self, tasks: int, size: int) -> None:
        super().__init__()
        self.vectors = torch.nn.Parameter(START * torch.randn(tasks, size))

    def forward(self, places: torch.Tensor) -> torch.Tensor:
        """A row for each place."""
        return torch.nn.functional.embedding(places[:, 0], self.vectors)


def are_names(tasks: Any) -> bool:
    """Whether someone passed names where rows of numbers might have been."""
    if isinstance(tasks, np.ndarray):
        return tasks.dtype.kind == "U"
    return isinstance(tasks, (list, tuple)) and bool(tasks) and isinstance(tasks[0], str)

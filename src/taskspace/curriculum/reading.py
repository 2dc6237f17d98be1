"""Reading what a curriculum is given as tasks: rows of features, or names."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks

Floats = NDArray[np.float64]


def read_tasks(tasks: Any) -> tuple[NDArray[Any], Floats | None]:
    """The tasks, and their features if they are rows of numbers.

    >>> read_tasks(["a", "b"])
    (array(['a', 'b'], dtype='<U1'), None)
    """
    checks.listed(tasks, "tasks")
    array = checks.array(tasks, "tasks")
    if array.ndim == 1 and array.dtype.kind in "US" and len(array):
        _check_names(array)
        return array, None
    if array.ndim != 2 or not array.size:
        raise ValueError(
            "tasks must be rows of features (tasks, columns) or a list of names, got"
            f" {checks.brief(tasks)} of shape {array.shape}"
        )
    rows = checks.numbers(array, "tasks")
    checks.moderate(rows, "tasks")
    return rows, rows


def _check_names(names: NDArray[Any]) -> None:
    """Refuse names that are empty or occur repeatedly: results are counted per name."""
    known, counts = np.unique(names, return_counts=True)
    if not known[0]:
        raise ValueError("tasks must have names that are not empty, got an empty one")
    if counts.max() > 1:
        again = str(known[counts.argmax()])
        raise ValueError(f"tasks must have different names, got {again!r} {counts.max()} times")

"""Tasks by their names, where there is nothing else to know them by."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks


def places(known: NDArray[np.str_], tasks: Any, holder: str) -> NDArray[np.int64]:
    """Where these names are in a list of known ones; `holder` is what was learned from these.

    >>> places(np.array(["north", "south", "east"]), ["east", "north"], "map")
    array([2, 0])
    """
    names = checks.array(tasks, "the names of tasks")
    if names.ndim != 1:
        raise ValueError(
            f"this {holder} was learned without features of the tasks; expected a list of names,"
            f" not an array of shape {names.shape}"
        )
    place = {name: index for index, name in enumerate(known.tolist())}
    wanted = names.astype(np.str_).tolist()
    unknown = [name for name in wanted if name not in place]
    if unknown:
        raise ValueError(
            f"there is no task {unknown[0]!r} in this {holder}; learned without features, it knows"
            f" only the {len(place)} tasks that it was fitted to"
        )
    return np.array([place[name] for name in wanted], np.int64)

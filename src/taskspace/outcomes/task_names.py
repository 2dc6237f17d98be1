"""Tasks that are identified by name alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks


def positions(known: NDArray[np.str_], tasks: Any, holder: str) -> NDArray[np.int64]:
    """Indices of names in a list of known names; `holder` is what error messages call the model.

    >>> positions(np.array(["north", "south", "east"]), ["east", "north"], "map")
    array([2, 0])
    """
    names = checks.array(tasks, "the names of tasks")
    if names.ndim != 1:
        raise ValueError(
            f"tasks must be a list of names, got an array of shape {names.shape};"
            f" this {holder} was fitted without features"
        )
    index = {name: position for position, name in enumerate(known.tolist())}
    wanted = names.astype(np.str_).tolist()
    unknown = [name for name in wanted if name not in index]
    if unknown:
        raise ValueError(
            f"there is no task {unknown[0]!r} in this {holder}; it was fitted without features, so"
            f" it has only the {len(index)} tasks of the outcomes"
        )
    return np.array([index[name] for name in wanted], np.int64)

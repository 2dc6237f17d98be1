"""Tasks that are identified by name: text is a name, and an integer is a position.

Every function that takes tasks of a table follows this one rule. Code inside the library passes
names, since a position is refused where it could be mistaken for the name of another task.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks


def find(known: Mapping[str, int], tasks: Any, what: str) -> NDArray[np.int64]:
    """The position of each task, or -1 for a name that is not known.

    `known` has the position of each name; `what` is what error messages call the tasks.

    >>> names = {"north": 0, "south": 1, "east": 2}
    >>> find(names, ["east", "north"], "tasks"), find(names, [2, 0], "tasks")
    (array([2, 0]), array([2, 0]))
    """
    # An array of a mixed list would turn its integers into text.
    given = tasks if isinstance(tasks, (list, tuple)) else np.asarray(tasks).tolist()
    names = [task for task in given if isinstance(task, str)]
    others = [task for task in given if not isinstance(task, str)]
    wrong = [task for task in others if not checks.is_integer(task)]
    if wrong:
        raise ValueError(
            f"{what} must be names (text) or positions (integers), got {checks.brief(wrong[0])}"
        )
    if names and others:
        raise ValueError(
            f"{what} must be all names (text) or all positions (integers),"
            f" got {checks.brief(names[0])} and {checks.brief(others[0])}"
        )
    _check_positions(known, others, what)
    return np.array(others or [known.get(name, -1) for name in names], np.int64)


def _check_positions(known: Mapping[str, int], given: list[int], what: str) -> None:
    for position in given:
        if known.get(str(position), position) != position:
            raise ValueError(
                f"{what} must be unambiguous, got {position}, which is a position and also the"
                f' name of another task; pass names as text, e.g. "{position}"'
            )
        if not 0 <= position < len(known):
            raise ValueError(
                f"{what} must be names of known tasks or positions from 0 to {len(known) - 1},"
                f" got {checks.brief(position)}"
            )


def positions(
    known: NDArray[np.str_], tasks: Any, holder: str, what: str = "tasks"
) -> NDArray[np.int64]:
    """The positions of tasks that must be known.

    `holder` is what error messages call the model, and `what` is what they call the tasks.

    >>> positions(np.array(["north", "south", "east"]), ["east", "north"], "map")
    array([2, 0])
    """
    given = checks.array(tasks, what)
    if given.ndim != 1:
        raise ValueError(
            f"{what} must be a list of names, got an array of shape {given.shape};"
            f" this {holder} was fitted without features"
        )
    index = {name: position for position, name in enumerate(known.tolist())}
    found = find(index, tasks, what)
    if (found < 0).any():
        unknown = given.tolist()[int(found.argmin())]
        raise ValueError(
            f"there is no task {checks.brief(unknown)} in this {holder}; it was fitted without"
            f" features, so it has only the {len(index)} tasks of the outcomes"
        )
    return found


def as_list(tasks: Any) -> Any:
    """A list of tasks, also if one task is given.

    >>> as_list("north"), as_list(["north", "south"])
    (['north'], ['north', 'south'])
    """
    return tasks if checks.array(tasks, "tasks").ndim else [tasks]


def are_names(tasks: Any) -> bool:
    """Whether the tasks are names rather than rows of numbers.

    >>> are_names(["north"]), are_names([[1.0, 2.0]])
    (True, False)
    """
    if isinstance(tasks, str):
        return True
    if isinstance(tasks, np.ndarray):
        return tasks.dtype.kind == "U"
    return isinstance(tasks, (list, tuple)) and bool(tasks) and isinstance(tasks[0], str)

"""Tasks as rows of numbers, with columns from Gymnasium spaces, DataFrames or lists of names."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, MultiDiscrete
from numpy.typing import NDArray

from taskspace import checks
from taskspace.envs.base import Column, Tasks

_RESERVED = ("agent", "task", "successes", "rollouts")  # columns of a table of outcomes


def space_columns(space: Any, names: tuple[str, ...] | None) -> tuple[Column, ...]:
    """One column per number of a space; `names` are needed unless it is a Dict space."""
    if isinstance(space, Dict):
        columns = tuple(c for name, part in space.items() for c in _named_columns(name, part))
        if names is not None and names != tuple(column.name for column in columns):
            found = ", ".join(column.name for column in columns)
            raise ValueError(
                f"columns must be those of the Dict space ({found}), got {', '.join(names)};"
                " leave out columns="
            )
        return columns
    parts = list(_numbers(space))
    if names is None:
        raise ValueError(
            f"there are no names for the {len(parts)} columns in {space}; pass columns= or a Dict"
            " space"
        )
    if len(names) != len(parts):
        raise ValueError(
            f"columns must be {len(parts)} names, one per number of {space}, got {len(names)}"
        )
    return tuple(Column(name, *part) for name, part in zip(names, parts, strict=True))


def _named_columns(name: str, space: Any) -> Iterator[Column]:
    """The columns of an entry of a Dict space, with an index if there are several."""
    parts = list(_numbers(space))
    for index, part in enumerate(parts):
        yield Column(name if len(parts) == 1 else f"{name}_{index}", *part)


def _numbers(space: Any) -> Iterator[tuple[float, float, bool]]:
    """For each number of a space: its bounds, and whether it is an integer."""
    if isinstance(space, Box):
        integer = np.issubdtype(space.dtype, np.integer)
        for low, high in zip(space.low.ravel(), space.high.ravel(), strict=True):
            yield float(low), float(high), bool(integer)
    elif isinstance(space, Discrete):
        yield float(space.start), float(space.start + space.n - 1), True
    elif isinstance(space, MultiDiscrete):
        for start, n in zip(space.start.ravel(), space.nvec.ravel(), strict=True):
            yield float(start), float(start + n - 1), True
    else:
        raise TypeError(
            "space must be a Box, Discrete or MultiDiscrete space, or a Dict of these,"
            f" got {checks.brief(space)}"
        )


def sample_rows(space: gym.Space[Any], n: int, seed: int | None) -> Tasks:
    """Sample rows from a space; with the same seed, a larger `n` only adds rows."""
    own = copy.deepcopy(space)  # seeding it must not change the caller's space
    own.seed(checks.seed(seed))
    width = len(_flat(copy.deepcopy(own).sample()))
    rows = [_flat(own.sample()) for _ in range(checks.tasks_in_memory(n, width))]
    return np.array(rows, np.float64).reshape(len(rows), width)


def _flat(sample: Any) -> NDArray[Any]:
    parts = sample.values() if isinstance(sample, dict) else [sample]
    return np.concatenate([np.ravel(part) for part in parts])


def check_names(names: Any) -> tuple[str, ...]:
    """Check the names of columns: strings, distinct, and not reserved for tables of outcomes."""
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise TypeError(f"columns must be a list of names, got {checks.brief(names)}")
    if not names or not all(isinstance(name, str) and name for name in names):
        raise ValueError(f"columns must be at least one name, got {checks.brief(list(names))}")
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise ValueError(f"the names of columns must be distinct, got {repeated[0]!r} twice")
    reserved = [name for name in names if name in _RESERVED]
    if reserved:
        raise ValueError(
            f"the name of a column must not be one that tables of outcomes use, got {reserved[0]!r}"
        )
    return tuple(names)


def read_tasks(tasks: Any, names: tuple[str, ...] | None, of: str) -> tuple[list[Column], Tasks]:
    """Convert an array, or a DataFrame with these columns, to columns without bounds and rows."""
    if hasattr(tasks, "columns"):
        return _read_frame(tasks, names, of)
    if names is None:
        raise ValueError(
            f"there are no names for the columns of tasks in {of}; pass columns= to the"
            " environment, or the tasks as a DataFrame"
        )
    array = checks.numbers(tasks, f"tasks of {of}")
    rows = array[None] if array.ndim == 1 else array
    if rows.ndim != 2 or rows.shape[1] != len(names):
        raise ValueError(
            f"tasks of {of} must be an array with {len(names)} columns ({', '.join(names)}),"
            f" got shape {array.shape}"
        )
    integer = np.asarray(tasks).dtype.kind in "iu"
    return [_unbounded(name, integer) for name in names], rows


def _read_frame(frame: Any, names: tuple[str, ...] | None, of: str) -> tuple[list[Column], Tasks]:
    found = check_names([str(name) for name in frame.columns])
    wanted = names if names is not None else found
    missing = [name for name in wanted if name not in found]
    unknown = [name for name in found if name not in wanted]
    if missing:
        raise ValueError(
            f"there is no column {missing[0]!r} in the table of tasks; {of} has {', '.join(wanted)}"
        )
    if unknown:
        raise ValueError(f"there is no column {unknown[0]!r} in {of}; it has {', '.join(wanted)}")
    given = {str(name): np.asarray(frame[name]) for name in frame.columns}
    parts = [checks.numbers(given[name], f"the column {name!r} of the tasks") for name in wanted]
    columns = [_unbounded(name, given[name].dtype.kind in "iu") for name in wanted]
    return columns, np.stack(parts, axis=1)


def _unbounded(name: str, integer: bool) -> Column:
    return Column(name, -np.inf, np.inf, integer)

"""Rows of numbers as tasks: their columns, from Gymnasium spaces, DataFrames or plain names."""

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

_TAKEN = ("agent", "task", "successes", "rollouts")  # columns of a table of outcomes


def space_columns(space: Any, names: tuple[str, ...] | None) -> tuple[Column, ...]:
    """A column for each number of a space; `names` where the space has none."""
    if isinstance(space, Dict):
        columns = tuple(c for name, part in space.items() for c in _named_columns(name, part))
        if names is not None and names != tuple(column.name for column in columns):
            found = ", ".join(column.name for column in columns)
            raise ValueError(f"the space names its own columns ({found}); leave out columns=")
        return columns
    parts = list(_numbers(space))
    if names is None:
        raise ValueError(
            f"{space} does not name its {len(parts)} columns; pass columns=, or a Dict space"
        )
    if len(names) != len(parts):
        raise ValueError(f"{len(names)} names for the {len(parts)} columns of {space}")
    return tuple(Column(name, *part) for name, part in zip(names, parts, strict=True))


def _named_columns(name: str, space: Any) -> Iterator[Column]:
    """Columns of a part of a Dict space; several numbers are told apart by their index."""
    parts = list(_numbers(space))
    for index, part in enumerate(parts):
        yield Column(name if len(parts) == 1 else f"{name}_{index}", *part)


def _numbers(space: Any) -> Iterator[tuple[float, float, bool]]:
    """Lowest, highest, and whether only whole numbers, for each number of a space."""
    if isinstance(space, Box):
        whole = np.issubdtype(space.dtype, np.integer)
        for low, high in zip(space.low.ravel(), space.high.ravel(), strict=True):
            yield float(low), float(high), bool(whole)
    elif isinstance(space, Discrete):
        yield float(space.start), float(space.start + space.n - 1), True
    elif isinstance(space, MultiDiscrete):
        for start, n in zip(space.start.ravel(), space.nvec.ravel(), strict=True):
            yield float(start), float(start + n - 1), True
    else:
        raise TypeError(
            f"tasks are sampled from a Box, Discrete or MultiDiscrete space, or a Dict of them;"
            f" got {space!r}"
        )


def sample_rows(space: gym.Space[Any], n: int, seed: int | None) -> Tasks:
    """Rows drawn from a space, in the order of its columns; more of them begin with the same."""
    own = copy.deepcopy(space)  # the caller's space keeps its own random numbers
    own.seed(checks.seed(seed))
    rows = [_flat(own.sample()) for _ in range(checks.whole(n, "the number of tasks"))]
    return np.array(rows, np.float64).reshape(len(rows), len(_flat(own.sample())))


def _flat(sample: Any) -> NDArray[Any]:
    parts = sample.values() if isinstance(sample, dict) else [sample]
    return np.concatenate([np.ravel(part) for part in parts])


def check_names(names: Any) -> tuple[str, ...]:
    """The names of columns: text, each once, and none that a table of outcomes needs."""
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise TypeError(f"columns must be a list of names, not {names!r}")
    if not names or not all(isinstance(name, str) and name for name in names):
        raise ValueError(f"columns must be names, at least one; got {list(names)!r}")
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise ValueError(f"two columns have the name {repeated[0]!r}")
    taken = [name for name in names if name in _TAKEN]
    if taken:
        raise ValueError(f"a column cannot be called {taken[0]!r}; outcomes use that name")
    return tuple(names)


def read_tasks(tasks: Any, names: tuple[str, ...] | None, of: str) -> tuple[list[Column], Tasks]:
    """Columns without bounds and rows, from an array or a DataFrame (columns found by name)."""
    if hasattr(tasks, "columns"):
        return _read_frame(tasks, names, of)
    if names is None:
        raise ValueError(
            f"the columns of the tasks of {of} have no names; pass columns= to the environment,"
            " or the tasks as a DataFrame"
        )
    array = checks.numbers(tasks, f"tasks of {of}")
    rows = array[None] if array.ndim == 1 else array
    if rows.ndim != 2 or rows.shape[1] != len(names):
        raise ValueError(
            f"tasks of {of} have {len(names)} columns ({', '.join(names)});"
            f" got an array of shape {array.shape}"
        )
    whole = np.asarray(tasks).dtype.kind in "iu"
    return [_unbounded(name, whole) for name in names], rows


def _read_frame(frame: Any, names: tuple[str, ...] | None, of: str) -> tuple[list[Column], Tasks]:
    found = check_names([str(name) for name in frame.columns])
    wanted = names if names is not None else found
    missing = [name for name in wanted if name not in found]
    unknown = [name for name in found if name not in wanted]
    if missing or unknown:
        fault = f"no column {missing[0]!r}" if missing else f"an unknown column {unknown[0]!r}"
        raise ValueError(f"the table of tasks has {fault}; {of} has: {', '.join(wanted)}")
    given = {str(name): np.asarray(frame[name]) for name in frame.columns}
    parts = [checks.numbers(given[name], f"the column {name!r} of the tasks") for name in wanted]
    columns = [_unbounded(name, given[name].dtype.kind in "iu") for name in wanted]
    return columns, np.stack(parts, axis=1)


def _unbounded(name: str, whole: bool) -> Column:
    return Column(name, -np.inf, np.inf, whole)

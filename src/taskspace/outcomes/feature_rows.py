"""Tasks as rows of features: columns of a DataFrame by their names, and arrays by position."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.outcomes.columns import listed

FAR = 0.5  # how far outside a range, as a fraction of it, a model is not trusted any more


def default_names(count: int) -> tuple[str, ...]:
    """The names of features that the user has not named."""
    return tuple(f"x{number}" for number in range(count))


def in_order(tasks: Any, names: Sequence[str], what: str = "tasks") -> Any:
    """A DataFrame or a Series as an array, with features in the order of `names`; others as is.

    Columns that are no features are left out. If the user has not named the features, those of a
    DataFrame are taken in its own order. Without `names`, nothing is done.

    >>> import pandas
    >>> in_order(pandas.DataFrame({"height": [1, 2], "width": [3, 4]}), ("width", "height"))
    array([[3., 1.],
           [4., 2.]])
    """
    if not names:
        return tasks
    if hasattr(tasks, "columns"):
        found = {str(name): tasks[name] for name in tasks.columns}
    elif hasattr(tasks, "index") and hasattr(tasks, "to_frame"):  # one row of a DataFrame
        found = {str(name): value for name, value in tasks.items()}
    else:
        return tasks
    missing = [name for name in names if name not in found]
    if missing and tuple(names) != default_names(len(names)):
        raise ValueError(
            f"there is no column {missing[0]!r} in {what}, which is a feature; the columns are"
            f" {listed(found)}"
        )
    wanted = list(found) if missing else names
    parts = [checks.real(np.asarray(found[name]), f"the column {name!r}") for name in wanted]
    return np.stack(parts, axis=-1) if parts else np.empty((len(tasks), 0))


def rows(tasks: Any, what: str = "tasks") -> NDArray[Any]:
    """One row of numbers per task; bytes and integers stay what they are.

    >>> rows([[1, 2], [3, 4]])
    array([[1., 2.],
           [3., 4.]])
    """
    plain = isinstance(tasks, np.ndarray) and not isinstance(tasks, np.ma.MaskedArray)
    found = tasks if plain and tasks.dtype.kind in "biuf" else checks.real(tasks, what)
    if found.ndim != 2 or not found.size:
        advice = "" if found.ndim != 1 else ". Reshape your data with reshape(1, -1) if it is one"
        raise ValueError(
            f"{what} must be one row of features per task, with at least one task, got an array of"
            f" shape {found.shape}{advice}"
        )
    return found


def warn_if_far(tasks: NDArray[Any], known: NDArray[Any], names: Sequence[str]) -> None:
    """Warn if a feature of new tasks is far outside its range among the known tasks.

    Models refuse numbers that are too large for them, so these need no warning.

    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warn_if_far(np.array([[3.0, 77.0]]), np.array([[0.0, -1.0], [3.0, 1.0]]), ["a", "b"])
    >>> print(caught[0].message)
    the feature 'b' of the known tasks is from -1 to 1, got 77; predictions for such tasks are
    guesses
    """
    low, high = known.min(0).astype(np.float64), known.max(0).astype(np.float64)
    outside = np.maximum(low - tasks, tasks - high)
    far = (outside > FAR * (high - low)) & (np.abs(tasks) <= checks.LARGEST)
    if not far.any():
        return
    column = int(np.flatnonzero(far.any(0))[0])
    value = tasks[np.argmax(np.where(far[:, column], outside[:, column], -np.inf)), column]
    warnings.warn(
        f"the feature {names[column]!r} of the known tasks is from {low[column]:g} to"
        f" {high[column]:g}, got {value:g}; predictions for such tasks are guesses",
        stacklevel=3,
    )

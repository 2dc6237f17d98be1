"""The features of the tasks of outcomes: one row of numbers per task, and one name per column."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.outcomes.columns import COUNTS
from taskspace.outcomes.feature_rows import default_names, in_order

_TABLE_COLUMNS = ("agent", "task", *COUNTS)


def checked_features(
    features: Any, names: Any, tasks: NDArray[np.str_]
) -> tuple[NDArray[Any] | None, tuple[str, ...]]:
    """Copies of the features, as float64 or bytes, and their names; None if there are none."""
    if features is None:
        if names:
            raise ValueError("feature names must come with features, got names alone")
        return None, names
    checks.listed(names, "feature names")
    if hasattr(features, "columns"):  # a DataFrame
        names = names or tuple(str(name) for name in features.columns)
        features = in_order(features, names, "features")
    rows = _checked_rows(features, tasks)
    return rows, _checked_names(tuple(names), rows.shape[1])


def _checked_rows(features: Any, tasks: NDArray[np.str_]) -> NDArray[Any]:
    rows = checks.array(features, "features")
    if rows.ndim != 2 or len(rows) != len(tasks) or not rows.shape[1]:
        raise ValueError(
            f"features must have one row for each of the {len(tasks)} tasks and at least one"
            f" column, got an array of shape {rows.shape}"
        )
    if rows.dtype.kind == "f" and not np.isfinite(rows).all():
        row = int(np.argwhere(~np.isfinite(rows))[0][0])
        raise ValueError(f"features must be finite numbers, got NaN or infinity for {tasks[row]}")
    # Bytes stay bytes: as floats, Karel tasks would take eight times the memory.
    return rows.copy("C") if rows.dtype == np.uint8 else checks.numbers(rows, "features")


def _checked_names(given: tuple[str, ...], count: int) -> tuple[str, ...]:
    names = given or default_names(count)
    if len(names) != count:
        raise ValueError(
            f"feature names must be one per feature, got {len(names)} names for {count} features"
        )
    wrong = [name for name in names if not isinstance(name, str) or not name]
    if wrong:
        raise ValueError(f"feature names must be text, got {checks.brief(wrong[0])}")
    taken = Counter([*_TABLE_COLUMNS, *names])
    repeated = [name for name in names if taken[name] > 1]
    if repeated:
        raise ValueError(
            f"the name of a feature must be unique and not a column of results,"
            f" got {repeated[0]!r} again"
        )
    return names

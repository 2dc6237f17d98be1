"""Tables of results at the border: CSV, Parquet, pandas or plain columns, in and out."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.files import atomic_path

Columns = dict[str, NDArray[Any]]


def read(table: Any) -> Columns:
    """Columns by name from a file, a DataFrame or a mapping; all of one length, not empty."""
    if isinstance(table, (str, os.PathLike)):
        columns = _read_file(Path(table))
    elif isinstance(table, Mapping) or hasattr(table, "columns"):
        names = [str(name) for name in (table if isinstance(table, Mapping) else table.columns)]
        if len(set(names)) < len(names):
            raise ValueError("the table has two columns of the same name")
        columns = {str(name): _column(name, table[name]) for name in table}
    else:
        raise TypeError(
            "a table is the path of a .csv or .parquet file, a DataFrame or a mapping of columns;"
            f" got {type(table).__name__}"
        )
    lengths = {len(values) for values in columns.values()}
    if len(lengths) > 1:
        raise ValueError(f"the columns of the table have different lengths: {sorted(lengths)}")
    if not lengths or lengths == {0}:
        raise ValueError("the table is empty")
    return columns


def _column(name: Any, values: Any) -> NDArray[Any]:
    """One value a row; Python objects as they are, so that nothing turns into text unseen."""
    column = values if isinstance(values, np.ndarray) else np.array(values, dtype=object)
    if column.ndim != 1:
        raise ValueError(f"the column {str(name)!r} must be a list with one value a row")
    return column


def write(columns: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write columns to a .csv or .parquet file, all or nothing."""
    import pyarrow
    import pyarrow.csv
    import pyarrow.parquet

    kind = _kind(Path(path))
    table = pyarrow.table({name: pyarrow.array(values) for name, values in columns.items()})
    with atomic_path(path) as temporary:
        if kind == ".csv":
            pyarrow.csv.write_csv(table, temporary)
        else:
            pyarrow.parquet.write_table(table, temporary)


def _kind(path: Path) -> str:
    kind = path.suffix.lower()
    if kind not in (".csv", ".parquet"):
        raise ValueError(f"the name of a table ends in .csv or .parquet, not {path.name!r}")
    return kind


def _read_file(path: Path) -> Columns:
    import pyarrow
    import pyarrow.csv
    import pyarrow.parquet

    kind = _kind(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    try:
        if kind == ".csv":
            # Names of agents and tasks are text, even where they look like numbers.
            options = pyarrow.csv.ConvertOptions(
                column_types={"agent": pyarrow.string(), "task": pyarrow.string()}
            )
            parse = pyarrow.csv.ParseOptions(newlines_in_values=True)
            table = pyarrow.csv.read_csv(path, convert_options=options, parse_options=parse)
        else:
            table = pyarrow.parquet.read_table(path)
        names = table.column_names
        columns = {name: table[name].to_numpy(zero_copy_only=False) for name in names}
    except (pyarrow.ArrowException, OSError, ValueError, KeyError) as error:
        raise ValueError(f"cannot read {path} as a {kind[1:]} table: {error}") from error
    if len(columns) < len(names):
        raise ValueError(f"{path} has two columns of the same name")
    return columns


def require(columns: Columns, names: Sequence[str]) -> None:
    """Check that these columns are there."""
    missing = [name for name in names if name not in columns]
    if missing:
        raise ValueError(
            f"the table has no column {', '.join(repr(name) for name in missing)};"
            f" it has: {', '.join(columns)}"
        )


def codes(values: NDArray[Any], what: str) -> tuple[NDArray[np.str_], NDArray[np.int64]]:
    """Distinct names in order of first appearance, and for each row the index of its name."""
    empty = np.array([_is_missing(value) for value in values.tolist()])
    if empty.any():
        raise ValueError(f"row {int(empty.argmax())} has no {what}")
    if any(isinstance(value, bytes) for value in values.tolist()):
        raise ValueError(f"the column {what!r} must hold text or numbers, not bytes")
    unique, first, inverse = np.unique(
        values.astype(np.str_), return_index=True, return_inverse=True
    )
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return unique[order], rank[inverse]


def _is_missing(value: Any) -> bool:
    # pandas' NA answers no question with yes or no, not even whether it equals itself.
    return value is None or type(value).__name__ == "NAType" or value != value or value == ""


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def counts(values: NDArray[Any], what: str) -> NDArray[np.int64]:
    """Whole numbers from 0 on."""
    if values.dtype.kind in "OUSMm":
        for row, value in enumerate(values.tolist()):
            if not _is_number(value) and not _is_missing(value):
                raise ValueError(
                    f"the column {what!r} must hold whole numbers; row {row} holds {value!r}"
                )
        values = np.array([np.nan if _is_missing(value) else value for value in values.tolist()])
    if values.dtype.kind not in "iuf":
        raise ValueError(f"the column {what!r} must hold whole numbers, not {values.dtype}")
    wrong = ~((values >= 0) & (values < 2.0**63) & (values == np.floor(values)))
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(f"row {row}: {what} is {values[row]}, expected a whole number from 0 on")
    return values.astype(np.int64)


def first_repeat(keys: NDArray[np.int64]) -> int | None:
    """The first row whose key stood in an earlier one."""
    _, first = np.unique(keys, return_index=True)
    if len(first) == len(keys):
        return None
    return int(np.setdiff1d(np.arange(len(keys)), first)[0])


def task_features(
    columns: Columns, task: NDArray[np.int64], names: NDArray[np.str_]
) -> NDArray[np.float64] | None:
    """The remaining columns as one row a task; a task must have the same values in all its rows."""
    if not columns:
        return None
    features = np.zeros((len(names), len(columns)))
    for column, (name, values) in enumerate(columns.items()):
        fine = [_is_number(value) or _is_missing(value) for value in values.tolist()]
        if values.dtype.kind in "Mm" or not all(fine):
            raise ValueError(
                f"the column {name!r} is taken for a feature of the tasks, but is not numbers"
            )
        missing = np.array([_is_missing(value) for value in values.tolist()])
        if missing.any():
            raise ValueError(f"row {int(missing.argmax())}: the feature {name!r} is missing")
        numbers = values.astype(np.float64)
        features[task, column] = numbers
        differs = features[task, column] != numbers
        if differs.any():
            row = int(differs.argmax())
            raise ValueError(
                f"the feature {name!r} of {names[task[row]]} differs from row to row (row {row})"
            )
    return features

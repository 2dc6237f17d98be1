"""Tables at the border: CSV, Parquet, pandas, polars or plain columns, in and out."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.files import atomic_path

Columns = dict[str, Any]  # a pyarrow.ChunkedArray for each name: compact, whatever it came from


def read(table: Any) -> Columns:
    """Columns by name from a file, a DataFrame or a mapping; all of one length, not empty."""
    import pyarrow

    if isinstance(table, (str, os.PathLike)):
        table = _read_file(Path(table))
    if isinstance(table, pyarrow.Table):
        names = table.column_names
    elif isinstance(table, Mapping) or hasattr(table, "columns"):
        names = list(table if isinstance(table, Mapping) else table.columns)
    else:
        raise TypeError(
            "a table is the path of a .csv or .parquet file, a DataFrame or a mapping of columns;"
            f" got {type(table).__name__}"
        )
    if len({str(name) for name in names}) < len(names):
        raise ValueError("the table has two columns of the same name")
    columns = {str(name): _column(name, table[name]) for name in names}
    lengths = {len(values) for values in columns.values()}
    if len(lengths) > 1:
        raise ValueError(f"the columns of the table have different lengths: {sorted(lengths)}")
    if not lengths or lengths == {0}:
        raise ValueError("the table is empty")
    return columns


def _column(name: Any, values: Any) -> Any:
    """One value a row; what is missing, in whatever way, is null."""
    import pyarrow

    if isinstance(values, pyarrow.ChunkedArray):
        return values
    listed = hasattr(values, "__len__") and not isinstance(values, (str, bytes))
    if not listed or getattr(values, "ndim", 1) != 1:
        raise ValueError(f"the column {str(name)!r} must be a list with one value a row")
    try:
        plain = values.to_arrow() if hasattr(values, "to_arrow") else values  # polars
        column = pyarrow.array(plain, from_pandas=True)
    except (pyarrow.ArrowException, TypeError, ValueError, OverflowError):
        # Objects of several kinds: fine as names, and told apart from numbers by being text.
        column = pyarrow.array([None if _is_missing(value) else str(value) for value in values])
    return column if isinstance(column, pyarrow.ChunkedArray) else pyarrow.chunked_array([column])


def _is_missing(value: Any) -> bool:
    # pandas' NA answers no question with yes or no, not even whether it equals itself.
    return value is None or type(value).__name__ == "NAType" or value != value


def write(columns: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write columns to a .csv or .parquet file, all or nothing."""
    import pyarrow
    import pyarrow.csv
    import pyarrow.parquet

    kind = kind_of(Path(path))
    table = pyarrow.table({name: pyarrow.array(values) for name, values in columns.items()})
    with atomic_path(path) as temporary:
        if kind == ".csv":
            pyarrow.csv.write_csv(table, temporary)
        else:
            pyarrow.parquet.write_table(table, temporary)


def kind_of(path: Path) -> str:
    """The ending of a table's name, in lower case."""
    kind = path.suffix.lower()
    if kind not in (".csv", ".parquet"):
        raise ValueError(f"the name of a table ends in .csv or .parquet, not {path.name!r}")
    return kind


def kind_of_existing(path: Path) -> str:
    """The same for a table that is to be read."""
    kind = kind_of(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    return kind


def csv_options() -> tuple[Any, Any]:
    """How pyarrow parses and converts CSV files."""
    import pyarrow.csv

    # Names of agents and tasks are text, even where they look like numbers.
    names = {"agent": pyarrow.string(), "task": pyarrow.string()}
    return (
        pyarrow.csv.ParseOptions(newlines_in_values=True),
        pyarrow.csv.ConvertOptions(column_types=names),
    )


def _read_file(path: Path) -> Any:
    import pyarrow
    import pyarrow.csv
    import pyarrow.parquet

    kind = kind_of_existing(path)
    try:
        if kind == ".csv":
            return pyarrow.csv.read_csv(path, None, *csv_options())
        table = pyarrow.parquet.read_table(path)
        table.validate(full=True)  # damaged text is noticed here, not where it is used
        return table
    except (pyarrow.ArrowException, OSError, ValueError, KeyError) as error:
        raise ValueError(f"cannot read {path} as a {kind[1:]} table: {error}") from error


def require(columns: Columns, names: Sequence[str]) -> None:
    """Check that these columns are there."""
    missing = [name for name in names if name not in columns]
    if missing:
        raise ValueError(
            f"the table has no column {', '.join(repr(name) for name in missing)};"
            f" it has: {', '.join(columns)}"
        )


def codes(values: Any, what: str) -> tuple[NDArray[np.str_], NDArray[np.int64]]:
    """Distinct names in order of first appearance, and for each row the index of its name."""
    import pyarrow

    empty = values.is_null(nan_is_null=True).to_numpy()
    if empty.any():
        raise ValueError(f"row {int(empty.argmax())} has no {what}")
    try:
        if pyarrow.types.is_binary(values.type) or pyarrow.types.is_large_binary(values.type):
            raise pyarrow.ArrowInvalid("bytes")
        encoded = values.cast(pyarrow.large_string()).dictionary_encode().combine_chunks()
    except pyarrow.ArrowException as error:
        raise ValueError(
            f"the column {what!r} must hold text or numbers, not {values.type}"
        ) from error
    names = np.array(encoded.dictionary.to_pylist(), np.str_)
    index = encoded.indices.to_numpy().astype(np.int64)
    if (names == "").any():
        raise ValueError(f"row {int((index == (names == '').argmax()).argmax())} has no {what}")
    return names, index


def numbers(values: Any, what: str, expected: str) -> NDArray[Any]:
    """Numbers as they are, yes and no as 1 and 0, what is missing as NaN."""
    import pyarrow

    kind = values.type
    if pyarrow.types.is_dictionary(kind):
        values, kind = values.cast(kind.value_type), kind.value_type
    if pyarrow.types.is_null(kind):
        values, kind = values.cast(pyarrow.float64()), pyarrow.float64()
    if pyarrow.types.is_boolean(kind):
        values, kind = values.cast(pyarrow.uint8()), pyarrow.uint8()
    if pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind):
        found: NDArray[Any] = values.to_numpy(zero_copy_only=False)
        return found
    for row, value in enumerate(values.to_pylist()):
        if value is not None and not _reads_as_number(value):
            raise ValueError(f"the column {what!r} must hold {expected}; row {row} holds {value!r}")
    raise ValueError(f"the column {what!r} must hold {expected}, not {kind}")


def _reads_as_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def amounts(values: Any, what: str, *, whole: bool = False) -> NDArray[Any]:
    """Numbers from 0 on."""
    kind = "whole number" if whole else "number"
    found = numbers(values, what, f"{kind}s")
    fine = (found >= 0) & (found < 2.0**63)
    if whole:
        fine &= found == np.floor(found)
    _refuse_rows(~fine, found, what, f"a {kind} from 0 on")
    return found.astype(np.int64) if whole else found


def scores(values: Any, what: str) -> NDArray[np.float64]:
    """Numbers from 0 to 1; NaN where there is none."""
    found = numbers(values, what, "numbers from 0 to 1").astype(np.float64)
    _refuse_rows((found < 0) | (found > 1), found, what, "a number from 0 to 1")
    return found


def _refuse_rows(wrong: NDArray[np.bool_], found: NDArray[Any], what: str, expected: str) -> None:
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(f"row {row}: {what} is {found[row]}, expected {expected}")


def features(columns: Columns) -> NDArray[np.float64]:
    """The columns as features, one row of numbers a row."""
    found = np.empty((len(next(iter(columns.values()))), len(columns)))
    for column, (name, values) in enumerate(columns.items()):
        try:
            found[:, column] = numbers(values, name, "numbers")
        except ValueError as error:
            raise ValueError(
                f"the column {name!r} is taken for a feature of the tasks, but is not numbers"
            ) from error
        missing = values.is_null(nan_is_null=True).to_numpy()
        if missing.any():
            raise ValueError(f"row {int(missing.argmax())}: the feature {name!r} is missing")
    return found

"""Input and output of tables: CSV, Parquet, pandas, polars or mappings of columns."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.files import atomic_path
from taskspace.outcomes.arrow import as_arrow, as_numpy
from taskspace.outcomes.columns import UNNAMED
from taskspace.outcomes.columns import Columns as Columns
from taskspace.outcomes.csv_dialect import NO_TEXT, find_dialect
from taskspace.outcomes.table_rows import BadRow, uneven_rows

_LONGEST = 200  # characters of a message of pyarrow, which may repeat a row
_PANDAS_INDEX = "__index_level_0__"  # what pandas calls an unnamed index in a Parquet file


def read(table: Any, text: Collection[str] = (), *, may_be_empty: bool = False) -> Columns:
    """Read the columns of a file, a DataFrame or a mapping; tables without rows are refused.

    The index of a DataFrame of pandas is a column too, if it is more than row numbers. An unnamed
    column has an empty name. In a CSV file, these `text` columns are not mistaken for numbers.
    """
    import pyarrow

    named = "the table"
    if isinstance(table, (str, os.PathLike)):
        named, table = f"the table {table}", _read_file(Path(table), text)
    if type(table).__name__ == "LazyFrame":  # of polars, which is not a dependency
        table = table.collect()
    index = _index(table)
    if isinstance(table, pyarrow.Table):
        names = table.column_names
    elif isinstance(table, Mapping) or hasattr(table, "columns"):
        names = list(table if isinstance(table, Mapping) else table.columns)
    else:
        raise TypeError(
            "a table must be the path of a .csv or .parquet file, a DataFrame or a mapping of"
            f" columns, got {type(table).__name__}"
        )
    for name, count in Counter([*index, *map(_name, names)]).items():
        if count > 1:
            raise ValueError(
                f"the columns of {named} must have unique names, got {count} columns"
                f" {repr(name) if name else 'without a name; the first line must be the header'}"
            )
    columns = index | {_name(name): _column(name, table[name]) for name in names}
    lengths = {len(values) for values in columns.values()}
    if len(lengths) > 1:
        raise ValueError(
            f"the columns of the table must have equal lengths, got lengths {sorted(lengths)}"
        )
    if not lengths or (lengths == {0} and not may_be_empty):
        raise ValueError(f"{named} must have at least one row, got an empty table")
    return columns


def _name(name: Any) -> str:
    """The name of a column as text; pandas has NaN for a column without one."""
    return UNNAMED if _is_missing(name) else str(name)


def _index(table: Any) -> Columns:
    """The index of a DataFrame of pandas, unless it has only row numbers."""
    index: Any = getattr(table, "index", None)
    if not hasattr(index, "to_frame") or (type(index).__name__ == "RangeIndex" and not index.name):
        return {}
    names = [UNNAMED if name is None else str(name) for name in index.names]
    levels = [index.get_level_values(level) for level in range(index.nlevels)]
    return {name: _column(name, level) for name, level in zip(names, levels, strict=True)}


def _column(name: Any, values: Any) -> Any:
    """One value per row; missing values of any type become null."""
    import pyarrow

    if isinstance(values, pyarrow.ChunkedArray):
        is_decimal = pyarrow.types.is_decimal(values.type)  # as databases write numbers
        return values.cast(pyarrow.float64()) if is_decimal else values
    listed = hasattr(values, "__len__") and not isinstance(values, (str, bytes))
    if not listed or getattr(values, "ndim", 1) != 1:
        raise ValueError(f"the column {str(name)!r} must be a list with one value per row")
    try:
        plain = values.to_arrow() if hasattr(values, "to_arrow") else values  # polars
        column = pyarrow.array(plain, from_pandas=True)
    except (pyarrow.ArrowException, TypeError, ValueError, OverflowError):
        # Objects of mixed types become text: valid as names, and not mistaken for numbers.
        column = pyarrow.array([None if _is_missing(value) else str(value) for value in values])
    return column if isinstance(column, pyarrow.ChunkedArray) else pyarrow.chunked_array([column])


def _is_missing(value: Any) -> bool:
    # Comparisons with pandas' NA are neither True nor False, not even with itself.
    return value is None or type(value).__name__ == "NAType" or value != value


def write(columns: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write columns to a .csv or .parquet file, completely or not at all."""
    import pyarrow
    import pyarrow.csv
    import pyarrow.parquet

    kind = kind_of(checks.path(path))
    table = pyarrow.table({name: as_arrow(values) for name, values in columns.items()})
    with atomic_path(path) as temporary:
        if kind == ".csv":
            pyarrow.csv.write_csv(table, temporary)
        else:
            pyarrow.parquet.write_table(table, temporary)


def kind_of(path: Path) -> str:
    """The extension of a table file, in lower case."""
    kind = path.suffix.lower()
    if kind not in (".csv", ".parquet"):
        name = path.name or str(path)  # the working folder has no name
        raise ValueError(f"the name of a table must end in .csv or .parquet, got {name!r}")
    return kind


def kind_of_existing(path: Path) -> str:
    """The extension of a table file that must exist."""
    kind = kind_of(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    return kind


def _read_file(path: Path, text: Collection[str]) -> Any:
    import pyarrow
    import pyarrow.csv
    import pyarrow.parquet

    kind = kind_of_existing(path)
    dialect = find_dialect(path) if kind == ".csv" else None
    try:
        if dialect is not None:
            return dialect.tidy(pyarrow.csv.read_csv(path, *dialect.options(text)))
        table = pyarrow.parquet.read_table(path)
        table.validate(full=True)  # detects damaged text early
        return _with_index_first(table)
    except (pyarrow.ArrowException, OSError, ValueError, KeyError) as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: Exception) -> ValueError:
    """The error for a file that is not a table, in one line."""
    reason = " ".join(str(error).split())
    if "Expected " in reason and " columns, got " in reason:
        reason = uneven_rows(path) or reason
    elif "invalid UTF8" in reason:
        reason = NO_TEXT
    elif "Empty CSV file" in reason:
        reason = "it must have a header and at least one row"
    reason = reason if len(reason) <= _LONGEST else f"{reason[:_LONGEST]}…"
    return ValueError(f"cannot read {path} as a {kind_of(path)[1:]} table: {reason}")


def _with_index_first(table: Any) -> Any:
    """Move the unnamed index of pandas to the start, where it is in a CSV file."""
    if _PANDAS_INDEX not in table.column_names:
        return table
    index = table.column(_PANDAS_INDEX)
    return table.drop_columns([_PANDAS_INDEX]).add_column(0, UNNAMED, index)


def require(columns: Columns, names: Sequence[str]) -> None:
    """Check that these columns exist."""
    missing = [name for name in names if name not in columns]
    if missing:
        raise ValueError(
            f"there is no column {', '.join(repr(name) for name in missing)} in the table;"
            f" it has the columns {', '.join(columns)}"
        )


def codes(values: Any, what: str) -> tuple[NDArray[np.str_], NDArray[np.int64]]:
    """Distinct names in order of first appearance, and the index of the name in each row."""
    import pyarrow

    empty = values.is_null(nan_is_null=True).to_numpy()
    if empty.any():
        raise BadRow(f"there is no {what}", int(empty.argmax()))
    if pyarrow.types.is_floating(values.type):
        _refuse_rounded(values.to_numpy(zero_copy_only=False), what)
    try:
        if pyarrow.types.is_binary(values.type) or pyarrow.types.is_large_binary(values.type):
            raise pyarrow.ArrowInvalid("bytes")
        encoded = values.cast(pyarrow.large_string()).dictionary_encode().combine_chunks()
    except pyarrow.ArrowException as error:
        raise ValueError(
            f"the column {what!r} must have text or numbers, got {values.type}"
        ) from error
    listed = encoded.dictionary.to_pylist()
    checks.short_names(listed, f"the names of {what}s")
    names = np.array(listed, np.str_)
    index = encoded.indices.to_numpy().astype(np.int64)
    blank = np.char.strip(names) == ""
    if blank.any():
        row = int((index == blank.argmax()).argmax())
        raise BadRow(f"there is no {what}", row)
    return names, index


def _refuse_rounded(names: NDArray[np.floating], what: str) -> None:
    """Refuse numbers that are so large that different ones may have become equal."""
    exact = 2.0 ** (np.finfo(names.dtype).nmant + 1)
    wrong = np.abs(names) >= exact
    if wrong.any():
        row = int(wrong.argmax())
        raise BadRow(
            f"the column {what!r} must have text or integers, got {names[row]:.0f}",
            row,
            f", which may be rounded because the type is {names.dtype}",
        )


def numbers(values: Any, what: str, expected: str) -> NDArray[Any]:
    """Numbers unchanged, booleans as 1 and 0, missing values as NaN."""
    import pyarrow

    kind = values.type
    if pyarrow.types.is_dictionary(kind):
        values, kind = values.cast(kind.value_type), kind.value_type
    if pyarrow.types.is_null(kind):
        values, kind = values.cast(pyarrow.float64()), pyarrow.float64()
    if pyarrow.types.is_boolean(kind):
        values, kind = values.cast(pyarrow.uint8()), pyarrow.uint8()
    if pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind):
        return as_numpy(values)
    for row, value in enumerate(values.to_pylist()):
        if value is not None and not reads_as_number(value):
            said = repr(value) if isinstance(value, str) else str(value)
            stands_for_nothing = not any(letter.isalnum() for letter in said)
            advice = "; leave cells without a value empty" if stands_for_nothing else ""
            raise BadRow(f"the column {what!r} must have {expected}, got {said}", row, advice)
    raise ValueError(f"the column {what!r} must have {expected}, got numbers as text ({kind})")


def reads_as_number(value: Any) -> bool:
    """Whether a text is a number."""
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def amounts(values: Any, what: str, *, integers: bool = False) -> NDArray[Any]:
    """Numbers of at least 0."""
    found = numbers(values, what, "numbers")
    fine = (found >= 0) & (found < 2.0**63)
    if integers:
        fine &= found == np.floor(found)
    kind = "an integer" if integers else "a number"
    _refuse_rows(~fine, found, what, f"{kind} of at least 0")
    return found.astype(np.int64) if integers else found


def scores(values: Any, what: str, most: float | None = None) -> NDArray[np.float64]:
    """Numbers from 0 to `most` (1 by default), divided by it; missing scores are NaN.

    True is the highest score.
    """
    import pyarrow

    highest = 1 if most is None else most
    expected = f"from 0 to {highest:g}"
    found = numbers(values, what, f"numbers {expected}").astype(np.float64)
    if pyarrow.types.is_boolean(values.type):
        return found
    advice = (
        "; if scores go from 0 to k, pass max_score=k (--max-score k), and if they are returns,"
        " returns=True (--returns)"
    )
    advice = advice if most == 1 else ""
    _refuse_rows((found < 0) | (found > highest), found, what, f"a number {expected}", advice)
    return found / highest


def _refuse_rows(
    wrong: NDArray[np.bool_], found: NDArray[Any], what: str, expected: str, advice: str = ""
) -> None:
    if wrong.any():
        row = int(wrong.argmax())
        raise BadRow(f"{what} must be {expected}, got {found[row]}", row, advice)


def features(columns: Columns) -> NDArray[np.float64]:
    """The columns as a table of features."""
    found = np.empty((len(next(iter(columns.values()))), len(columns)))
    for column, (name, values) in enumerate(columns.items()):
        found[:, column] = numbers(values, name, "numbers because it is a feature")
        missing = np.isnan(found[:, column])
        if missing.any():
            raise BadRow(f"there is no feature {name!r}", int(missing.argmax()))
    return found

"""How a CSV file is written: its separator, decimal sign and header."""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from taskspace.outcomes.columns import AGENTS, TASKS, UNNAMED, recognised

_LOOKED_AT = 1 << 16  # bytes at the start of a file
_ROWS = 100  # of them, the rows that are compared
_SEPARATORS = (",", ";", "\t", "|")
_NUMBER = re.compile(r"[-+]?[\d.]+(e[-+]?\d+)?", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"-?\d+,\d+")
_THOUSANDS = re.compile(r"-?[1-9]\d{0,2}[.,]\d{3}")
_BELOW_THOUSAND = re.compile(r"-?\d{1,3}")

NO_TEXT = "it must be UTF-8 text; save it so"


@dataclass(frozen=True)
class Dialect:
    """How a CSV file is written.

    Attributes:
        separator: The character between two columns.
        decimal_comma: Whether numbers are written with a decimal comma.
        spaced: Whether a space follows each separator.
        header: The names of the columns as they stand in the file.
        row_names: Whether rows start with a name that has no place in the header, as R writes it.
    """

    separator: str
    decimal_comma: bool
    spaced: bool
    header: tuple[str, ...]
    row_names: bool

    @property
    def names(self) -> list[str]:
        """The names of the columns; a column without a name has an empty one."""
        names = [name.strip() for name in self.header]
        return [UNNAMED, *names] if self.row_names else names

    def options(self, text: Collection[str], block: int | None = None) -> tuple[Any, Any, Any]:
        """The options with which pyarrow reads the file.

        Columns with names of agents and tasks, and those in `text`, are read as text even if they
        look like numbers.
        """
        import pyarrow.csv

        read = pyarrow.csv.ReadOptions(block_size=block)
        if self.row_names:
            read.column_names, read.skip_rows = self.names, 1
        written = self.names if self.row_names else self.header
        names = {UNNAMED, *text, *recognised(self.names, (*AGENTS, *TASKS))}
        types = {name: pyarrow.string() for name in written if name.strip() in names}
        return (
            read,
            pyarrow.csv.ParseOptions(delimiter=self.separator, newlines_in_values=True),
            pyarrow.csv.ConvertOptions(
                column_types=types, decimal_point="," if self.decimal_comma else "."
            ),
        )

    def tidy(self, table: Any) -> Any:
        """The table that pyarrow has read, without spaces after separators and empty columns.

        Raises:
            ValueError: If a quoted value follows a space, since its quotes are then not recognised.
        """
        import pyarrow
        import pyarrow.compute as compute

        table = table.rename_columns([name.strip() for name in table.column_names])
        for position in range(table.num_columns - 1, 0, -1):
            if table.schema[position].name == UNNAMED and _is_empty(table.column(position)):
                table = table.remove_column(position)  # spreadsheets write them
        if not self.spaced:
            return table
        for position, column in enumerate(table.schema):
            if pyarrow.types.is_string(column.type):
                trimmed = compute.utf8_trim_whitespace(table.column(position))
                if compute.any(compute.starts_with(trimmed, '"')).as_py():
                    raise ValueError(
                        f"the column {column.name!r} has quotes after a space; remove the spaces"
                        " after the separators"
                    )
                table = table.set_column(position, column.name, trimmed)
        return table


def _is_empty(column: Any) -> bool:
    return all(value in (None, "") for value in column.unique().to_pylist())


def find_dialect(path: Path) -> Dialect:
    """Find out how a CSV file is written, from its first rows.

    Raises:
        ValueError: If the file is not UTF-8 text, or if numbers may have separators of thousands.
    """
    with path.open("rb") as file:
        start = file.read(_LOOKED_AT)
        complete = not file.read(1)
    try:
        text = _decoded(start)
    except ValueError as error:
        raise ValueError(f"cannot read {path} as a csv table: {NO_TEXT}") from error
    rows = {separator: _rows(text, separator, complete) for separator in _SEPARATORS}
    separator = max(_SEPARATORS, key=lambda one: _score(rows[one]))
    header, *body = rows[separator] or [[]]
    if separator != ",":  # then the point is the decimal sign
        _refuse_thousands(header, body, path)
    return Dialect(
        separator,
        separator != "," and _has_decimal_commas(body),
        len(header) > 1 and all(name.startswith(" ") for name in header[1:]),
        tuple(header),
        _has_row_names(header, body, text),
    )


def _refuse_thousands(header: Sequence[str], rows: Sequence[Sequence[str]], path: Path) -> None:
    """Refuse a column such as 1.200 and 900: nobody can know whether the first is 1200 or 1.2."""
    names = recognised(header, (*AGENTS, *TASKS))
    for name, *cells in zip(header, *(row for row in rows if len(row) == len(header)), strict=True):
        if name in names:
            continue
        given = [cell.strip() for cell in cells if cell.strip()]
        unsure = [cell for cell in given if _THOUSANDS.fullmatch(cell)]
        others = [cell for cell in given if not _THOUSANDS.fullmatch(cell)]
        if unsure and others and all(_BELOW_THOUSAND.fullmatch(cell) for cell in others):
            raise ValueError(
                f"the numbers in the column {name!r} of {path} must have no separators of"
                f" thousands, got {unsure[0]!r} beside {others[0]!r}; write all with the same"
                " digits after the point, or none"
            )


def _decoded(start: bytes) -> str:
    """The text of the first bytes of a file, of which the last character may be cut off."""
    if b"\0" in start:
        raise ValueError("binary data")
    return codecs.getincrementaldecoder("utf-8-sig")().decode(start)


def _has_row_names(header: Sequence[str], rows: Sequence[Sequence[str]], text: str) -> bool:
    """Whether rows start with a name that is not in the header.

    R writes such names, which are unique. Otherwise a cell too many is a mistake, e.g. a decimal
    comma: so numbers are names only if they are in quotes, and texts if they are all that names
    the agents.
    """
    if not rows or any(len(row) != len(header) + 1 for row in rows):
        return False
    names = [row[0] for row in rows]
    if len(set(names)) < len(names) or not all(names):
        return False
    if all(_NUMBER.fullmatch(name.strip()) for name in names):
        return f'\n"{names[0]}"' in text
    return not recognised(header, AGENTS)


def _rows(text: str, separator: str, complete: bool) -> list[list[str]]:
    """The first rows; the last one is left out if it may be cut off."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        rows = [row for row in itertools.islice(reader, _ROWS) if row]
    except csv.Error:
        return []
    return rows if complete or len(rows) < 2 or len(rows) == _ROWS else rows[:-1]


def _score(rows: Sequence[Sequence[str]]) -> tuple[bool, int]:
    """Prefer a separator that gives rows of equal length, then the one that gives most columns."""
    if not rows:
        return False, 0
    widths = {len(row) for row in rows[1:]}
    equal = len(widths) <= 1 and widths <= {len(rows[0]), len(rows[0]) + 1}
    return equal and len(rows[0]) > 1, len(rows[0])


def _has_decimal_commas(rows: Sequence[Sequence[str]]) -> bool:
    return any(_DECIMAL_COMMA.fullmatch(cell.strip()) for row in rows for cell in row)

"""Rows of tables in messages: as lines of a CSV file, or else counted from 1."""

from __future__ import annotations

import contextlib
import csv
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from taskspace import checks
from taskspace.outcomes.csv_dialect import find_dialect


class BadRow(ValueError):
    """A row of a table has something wrong.

    Attributes:
        row: The number of the row, from 0.
    """

    def __init__(self, problem: str, row: int, advice: str = "") -> None:
        super().__init__(f"{problem} in {checks.row(row)}{advice}")
        self.row, self._problem, self._advice = row, problem, advice

    def at(self, place: str) -> ValueError:
        """The same error, with the row named by its place."""
        return ValueError(f"{self._problem} in {place}{self._advice}")


@contextlib.contextmanager
def located(table: Any, before: int = 0) -> Iterator[None]:
    """Name bad rows as lines of the file, if the table is the path of a CSV file.

    `before` is the number of rows that precede those that are looked at.
    """
    try:
        yield
    except BadRow as error:
        if not isinstance(table, (str, os.PathLike)):
            raise
        raise error.at(place_of(Path(table), before + error.row)) from error


def place_of(path: Path, row: int) -> str:
    """Where a row of a file is, for messages."""
    if path.suffix.lower() != ".csv":
        return f"{checks.row(row)} of {path}"
    return f"line {_line(path, row)} of {path} (the header is line 1)"


def _line(path: Path, row: int) -> int:
    """The line at which a row begins: rows may have several lines, and empty lines are no rows."""
    dialect = find_dialect(path)
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader, start = csv.reader(file, delimiter=dialect.separator), 1
        left = row + 1  # with the header
        for cells in reader:
            if cells and not left:
                return start
            left -= bool(cells)
            start = reader.line_num + 1
    return start

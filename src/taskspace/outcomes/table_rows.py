"""Rows of tables in messages: as lines of a CSV file, or else counted from 1."""

from __future__ import annotations

import contextlib
import csv
import itertools
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


def uneven_rows(path: Path) -> str:
    """What is wrong with a CSV file whose rows differ in length; empty if they do not."""
    lines = _rows(path)
    start, header = next(lines, (1, []))
    for line, cells in lines:
        if len(cells) != len(header):
            return (
                f"its rows must have as many cells as its header, got {len(header)} in line {start}"
                f" and {len(cells)} in line {line}; remove lines that are no rows, and put values"
                " with separators into quotes"
            )
    return ""


def _line(path: Path, row: int) -> int:
    """The line at which a row begins: rows may have several lines, and empty lines are no rows."""
    lines = (line for line, _ in _rows(path))
    return next(itertools.islice(lines, row + 1, None))  # after the header


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The header and the rows of a CSV file, each with the line at which it begins."""
    separator, start = find_dialect(path).separator, 1
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=separator)
        for cells in reader:
            if cells:
                yield start, cells
            start = reader.line_num + 1

"""Tables of benchmarks: one row per measurement, one column per subject."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

T = TypeVar("T")


def print_lines(
    console: Console, title: str, lines: Mapping[str, Callable[[T], str]], found: Mapping[str, T]
) -> None:
    """Print a table; `lines` map the label of each row to the format of its cells."""
    table = Table(title=title, box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("", no_wrap=True)
    for name in found:
        table.add_column(name, justify="right")
    for label, cell in lines.items():
        table.add_row(label, *(cell(each) for each in found.values()))
    console.print(table)


class Collector(Console):
    """A console that prints nothing and keeps the tables and sentences, for JSON."""

    def __init__(self) -> None:
        super().__init__(quiet=True)
        self.tables: list[dict[str, Any]] = []
        self.notes: list[str] = []

    def print(self, *objects: Any, **_: Any) -> None:
        """Keep a table or a sentence."""
        for each in objects:
            if isinstance(each, Table):
                self.tables.append({"title": str(each.title), "rows": _rows(each)})
            else:
                self.notes.append(str(each))


def _rows(table: Table) -> list[dict[str, Any]]:
    """The rows of a table; cells that are numbers as numbers."""
    names = [str(column.header) or "measurement" for column in table.columns]
    cells = zip(*(column.cells for column in table.columns), strict=True)
    return [dict(zip(names, map(_value, row), strict=True)) for row in cells]


def _value(cell: Any) -> Any:
    """A number if the cell is one.

    >>> _value("1,024"), _value("0.5"), _value("3 ms")
    (1024.0, 0.5, '3 ms')
    """
    try:
        return float(str(cell).replace(",", ""))
    except ValueError:
        return str(cell)

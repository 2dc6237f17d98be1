"""What commands share: how they are added to a parser, and what they print."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from rich.table import Table

MOST_SHOWN = 8  # features of a task that fit in a line


def add_command(commands: Any, run: Any, told: str, epilog: str) -> argparse.ArgumentParser:
    """Add a command that calls `run`: its name and description are those of the function."""
    parser: argparse.ArgumentParser = commands.add_parser(
        run.__name__.strip("_"), help=told, description=run.__doc__, epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.set_defaults(run=run)
    return parser


def print_columns(columns: Mapping[str, Any]) -> None:
    """A table of the first columns, as many as fit, with numbers in few digits."""
    from rich.console import Console
    from rich.measure import Measurement

    console, count = Console(), len(columns)
    endless = console.options.update(width=1_000_000)
    while True:
        table = _columns_table(dict(list(columns.items())[:count]))
        if count == 1 or Measurement.get(console, endless, table).maximum <= console.width:
            break
        count -= 1
    console.print(table)
    if count < len(columns):
        console.print(f"{len(columns) - count} more columns do not fit; --out FILE has them.")


def _columns_table(columns: Mapping[str, Any]) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name, values in columns.items():
        table.add_column(Text(name), justify="left" if values.dtype.kind == "U" else "right")
    for row in zip(*columns.values(), strict=True):
        table.add_row(*(Text(_short(value)) for value in row))
    return table


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float | np.floating) else str(value)


def print_numbers(numbers: Mapping[str, Any]) -> None:
    """How good a map is, as a table."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    from taskspace.report.sections import numbers_table

    table = Table(title=f"A map of {numbers['environment']}", box=SIMPLE_HEAD, show_header=False)
    for row in numbers_table(numbers):
        table.add_row(*row)
    Console().print(table)

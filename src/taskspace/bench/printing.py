"""Tables of benchmarks: one row per measurement, one column per subject."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

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

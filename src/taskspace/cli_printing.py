"""What commands print on the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def print_numbers(numbers: Mapping[str, Any]) -> None:
    """How good a map is, as a table."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    from taskspace.summary import numbers_table

    table = Table(title=f"A map of {numbers['environment']}", box=SIMPLE_HEAD, show_header=False)
    for row in numbers_table(numbers):
        table.add_row(*row)
    Console().print(table)

"""What commands share: how they are added to a parser, and what they print."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

MOST_SHOWN = 8  # features of a task that fit in a line


def add_command(commands: Any, run: Any, told: str, epilog: str) -> argparse.ArgumentParser:
    """Add a command that calls `run`: its name and description are those of the function."""
    parser: argparse.ArgumentParser = commands.add_parser(
        run.__name__.strip("_"), help=told, description=run.__doc__, epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.set_defaults(run=run)
    return parser


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

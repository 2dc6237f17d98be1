"""What commands share as they are asked: how they are added to a parser, and the map they open."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from taskspace.cli.printing import MOST_SHOWN

if TYPE_CHECKING:
    from taskspace.runs.run import Run

TASKS = """A table of tasks (.csv or .parquet) has the columns of features that the map was learned
with, or a column `task` with names of tasks that it was learned from.
"""
LISTED = f"The features of tasks are listed where they are at most {MOST_SHOWN}; --out has all.\n"


def add_command(
    commands: Any, name: str, run: Any, told: str, epilog: str
) -> argparse.ArgumentParser:
    """Add a command that calls `run`; its description is that of the function."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=told, description=run.__doc__, epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.set_defaults(run=run)
    return parser


def add_folder(parser: argparse.ArgumentParser) -> None:
    """Which map."""
    parser.add_argument("folder", metavar="DIR", help="what `run` or `fit` made")


def add_out(parser: argparse.ArgumentParser) -> None:
    """Where a table goes."""
    parser.add_argument("--out", metavar="FILE", help=".csv or .parquet (standard output)")


def add_how_many(parser: argparse.ArgumentParser) -> None:
    """How many tasks are listed."""
    parser.add_argument("-k", type=int, default=10, metavar="N", help="how many (10)")


def add_harder(parser: argparse.ArgumentParser) -> None:
    """Whether only harder or only easier tasks count."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--harder", action="store_true", help="only tasks that are harder")
    group.add_argument("--easier", action="store_true", help="only tasks that are easier")


def lines(told: Mapping[str, str]) -> str:
    """Names, and what there is to say about each, one a line."""
    width = max(map(len, told))
    return "\n".join(f"  {name:<{width}}  {text}" for name, text in told.items())


def open_folder(options: argparse.Namespace, *inputs: str | None) -> Run:
    """The map of a run folder; files that are read beside it must not be written to."""
    from taskspace.outcomes.table_streams import refuse_overwriting
    from taskspace.runs.run import open_run

    if inputs:
        refuse_overwriting(options.out, *inputs)
    return open_run(Path(options.folder))

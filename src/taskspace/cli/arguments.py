"""Arguments that several commands share, and the run folder that they open."""

from __future__ import annotations

import argparse
import inspect
import itertools
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from taskspace.cli.printing import MOST_SHOWN
from taskspace.cli.screen import WIDEST

if TYPE_CHECKING:
    from taskspace.runs.run import Run

TASKS = """A table of tasks is a .csv or .parquet file. It has one column per feature that the map
was learned with, or a column `task` with the names of tasks in the run folder. In the output, a
feature that has the name of another column, e.g. difficulty, is called feature:difficulty.
"""
LISTED = f"""The output has these columns: task (its name), difficulty (probability of failure;
in an ordinal map, the length of the vector; for returns, see `taskspace fit --help`), success (mean
success rate of the agents) or return (their mean return), cluster, and the features of the task.
On the screen, features are only shown if there are at most {MOST_SHOWN}. A feature that has the
name of another column, e.g. difficulty, is called feature:difficulty.
"""


def add_command(
    commands: Any, name: str, run: Any, summary: str, epilog: str
) -> argparse.ArgumentParser:
    """Add a command that calls `run`; its description is the docstring of `run`."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=summary, description=wrapped(inspect.getdoc(run) or ""), epilog=wrapped(epilog),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.set_defaults(run=run)
    return parser


def wrapped(text: str) -> str:
    """Text in lines of 80 columns; indented lines, such as examples, stay as they are.

    >>> wrapped("one\\ntwo\\n\\nexamples:\\n  taskspace envs\\n")
    'one two\\n\\nexamples:\\n  taskspace envs\\n'
    """
    prose = itertools.groupby(text.splitlines(), lambda line: bool(line) and line[0] != " ")
    lines: list[str] = []
    for is_prose, block in prose:
        found = list(block)
        lines += textwrap.wrap(" ".join(found), WIDEST) if is_prose else found
    return "\n".join(lines) + ("\n" if text.endswith("\n") else "")


def add_folder(parser: argparse.ArgumentParser) -> None:
    """Add the run folder."""
    parser.add_argument("folder", metavar="DIR", help="run folder written by `run` or `fit`")


def add_out(parser: argparse.ArgumentParser) -> None:
    """Add the output of a table: a file, or JSON."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "--out", metavar="FILE", help="output file, .csv or .parquet (default: standard output)"
    )
    add_json(group)


def add_json(parser: Any) -> None:
    """Add the output as JSON."""
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def add_title(parser: Any) -> None:
    """Add the title of the report."""
    parser.add_argument("--title", metavar="TEXT", help="title of the report (default: the name)")


def add_returns(parser: argparse.ArgumentParser) -> None:
    """Add --returns, and what is known of returns."""
    parser.add_argument(
        "--returns", action="store_true", help="results are returns, or scores on any scale"
    )
    parser.add_argument(
        "--best", type=float, metavar="X", help="best possible return, with --returns"
    )
    parser.add_argument(
        "--success", type=float, metavar="X",
        help="return from which on a task counts as solved, with --returns",
    )  # fmt: skip


def add_how_many(parser: argparse.ArgumentParser) -> None:
    """Add the number of tasks to list."""
    parser.add_argument(
        "-k", type=int, default=10, metavar="N", help="number of tasks (default: 10)"
    )


def add_harder(parser: argparse.ArgumentParser) -> None:
    """Add the restriction to harder or easier tasks."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--harder", action="store_true", help="only tasks that are harder than TASK")
    group.add_argument("--easier", action="store_true", help="only tasks that are easier than TASK")


def lines(descriptions: Mapping[str, str]) -> str:
    """Names with their descriptions, one per line."""
    width = max(map(len, descriptions))
    return "\n".join(f"  {name:<{width}}  {text}" for name, text in descriptions.items())


def open_folder(options: argparse.Namespace, *inputs: str | None) -> Run:
    """Open the run folder; raise if the output cannot be written or is one of the input files."""
    from taskspace.outcomes.table_streams import check_out

    check_out(getattr(options, "out", None), *inputs)
    from taskspace.runs.run import open_run  # takes seconds

    return open_run(Path(options.folder))


def add_method(parser: argparse.ArgumentParser) -> None:
    """Add --method and --measure, which choose how the map is made."""
    parser.add_argument(
        "--method", default="information", choices=["information", "ordinal"],
        help="information: inner products are similarities (default); ordinal: the map of the"
        " paper, learned from orders",
    )  # fmt: skip
    parser.add_argument(
        "--measure", default="information", choices=["information", "correlation"],
        help="measure of similarity: information, in bits (default); correlation, by which tasks"
        " that are solved by opposite agents are opposite, and which needs fewer agents",
    )  # fmt: skip

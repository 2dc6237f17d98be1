"""What `run` and `fit` print at the end: measurements, the verdict, and what to do next."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

from taskspace.cli.json_output import print_json
from taskspace.cli.screen import WIDEST, filled

if TYPE_CHECKING:
    from taskspace.runs.run import Run


@contextlib.contextmanager
def without_verdict() -> Iterator[None]:
    """No warnings of a weak map, because `print_finished` prints the verdict."""
    from taskspace.models.embedding.verdict import WeakMapWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", WeakMapWarning)
        yield


def print_finished(options: argparse.Namespace, made: Run) -> None:
    """Print the measurements of a map, the verdict, the report, and the next commands."""
    from taskspace.report.next_commands import next_commands

    if options.json:
        print_json({
            "folder": str(made.folder), "report": str(made.report()),
            "verdict": dataclasses.asdict(made.verdict), "results": made.results,
            "next": list(next_commands(made, str(made.folder))),
        })  # fmt: skip
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    from taskspace.report.sections import measurements_table

    table = Table(title=made.title, box=SIMPLE_HEAD, show_header=False)
    for row in measurements_table(made.results, made.learned_tasks):
        table.add_row(*row)
    console = Console()
    console.width = min(console.width, WIDEST)
    console.print(table)
    print(filled(str(made.verdict)))
    print(f"report: {made.report()}\n\nnext:")
    commands = next_commands(made, str(made.folder))
    width = max(map(len, commands))
    for command, purpose in commands.items():
        line = f"  {command:<{width}}  {purpose}"
        print(line if len(line) <= console.width else f"  {command}\n      {purpose}")

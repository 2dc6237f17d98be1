"""`taskspace similar DIR TASK`: list the tasks most similar to a task."""

from __future__ import annotations

import argparse
from typing import Any

from taskspace import checks
from taskspace.cli.arguments import (
    LISTED,
    add_command,
    add_folder,
    add_harder,
    add_how_many,
    add_out,
    open_folder,
)
from taskspace.cli.printing import print_tasks


def add(commands: Any) -> None:
    """Add `similar` to the commands of a parser."""
    example = f"{LISTED}\nexample:\n  taskspace similar runs/multikeynav task-17 -k 5 --easier\n"
    parser = add_command(
        commands, "similar", _run, "list the tasks most similar to a task", example
    )
    add_folder(parser)
    parser.add_argument(
        "task", metavar="TASK", help="name of the task; `hardest` and `export` list names"
    )
    add_how_many(parser)
    add_harder(parser)
    add_out(parser)


def _run(options: argparse.Namespace) -> None:
    """List the tasks of a map that are most similar to one of its tasks, most similar first.

    `similarity` is in bits: the mutual information of the outcomes of the two tasks, from the
    success model of the map or from the table of results. `on_map` is what the vectors of the map
    say.
    """
    checks.whole(options.k, "-k", 1)
    made = open_folder(options)
    index = made.task_index(options.task)
    found, bits = made.similar(
        options.task, options.k, harder=options.harder, easier=options.easier
    )
    on_map = made.index.vectors[found] @ made.index.vectors[index]
    print_tasks(options, made, made.describe(found, similarity=bits, on_map=on_map))

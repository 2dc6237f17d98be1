"""`taskspace similar DIR TASK`: tasks of the map most like one of them."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

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
        commands, "similar", _run, "tasks of the map most like one of them", example
    )
    add_folder(parser)
    parser.add_argument("task", metavar="TASK", help="its name; `hardest` and `export` list names")
    add_how_many(parser)
    add_harder(parser)
    add_out(parser)


def _run(options: argparse.Namespace) -> None:
    """List the tasks that are most like one of the map, the most alike first."""
    made = open_folder(options)
    number = made.task_index(options.task)
    found, similarity = made.index.similar(
        made.index.vectors[number], options.k + 1, harder=options.harder, easier=options.easier
    )
    other = np.flatnonzero(found != number)[: options.k]  # a task is most like itself
    print_tasks(options, made.describe(found[other], similarity=similarity[other]))

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
    example = (
        f"{LISTED}\nexamples:\n"
        "  taskspace similar runs/multikeynav task-17 -k 5 --easier\n"
        "  taskspace similar runs/signed task-17 --opposite    in a map by correlation\n"
    )
    parser = add_command(
        commands, "similar", _run, "list the tasks most similar to a task", example
    )
    add_folder(parser)
    parser.add_argument(
        "task", metavar="TASK", help="name of the task; `hardest` and `export` list names"
    )
    add_how_many(parser)
    add_harder(parser)
    parser.add_argument(
        "--opposite", action="store_true",
        help="list the tasks with negative correlations instead, most opposite first; for maps made"
        " with --measure correlation",
    )  # fmt: skip
    add_out(parser)


def _run(options: argparse.Namespace) -> None:
    """List the tasks of a map that are most similar to one of its tasks, most similar first.

    `similarity` is in bits: the mutual information of the outcomes of the two tasks, from the
    success model of the map or from the table of results. In a map made with --measure correlation,
    `correlation` stands in its place: it is negative if agents that solve one task tend to fail the
    other. `on_map` is what the vectors of the map say.
    """
    checks.whole(options.k, "-k", 1)
    made = open_folder(options)
    index = made.task_index(options.task)
    found, values = made.similar(
        options.task, options.k, harder=options.harder, easier=options.easier,
        opposite=options.opposite,
    )  # fmt: skip
    on_map = made.index.vectors[found] @ made.index.vectors[index]
    column = "correlation" if made.measure == "correlation" else "similarity"
    print_tasks(options, made, made.describe(found, **{column: values}, on_map=on_map))

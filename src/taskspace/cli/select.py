"""`taskspace select DIR --reference TASK OPTIONS`: select the options most similar to a task."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from taskspace import checks
from taskspace.cli.arguments import (
    TASKS,
    add_command,
    add_folder,
    add_harder,
    add_how_many,
    add_out,
    open_folder,
)
from taskspace.cli.printing import print_table, without_clashes


def add(commands: Any) -> None:
    """Add `select` to the commands of a parser."""
    example = (
        f"{TASKS}\nexample:\n"
        "  taskspace select runs/multikeynav --reference task.csv options.csv --harder -k 5\n"
    )
    parser = add_command(
        commands, "select", _run, "select the tasks of a table most similar to a task", example
    )
    add_folder(parser)
    parser.add_argument("--reference", metavar="TASK", required=True, help="table with one task")
    parser.add_argument("options", metavar="OPTIONS", help="table of tasks to select from")
    add_how_many(parser)
    add_harder(parser)
    add_out(parser)


def _run(options: argparse.Namespace) -> None:
    """Select the tasks of a table that are most similar to a reference task, best first.

    The output has the columns of OPTIONS, and `row` (the row in OPTIONS, from 0) and `similarity`
    in bits or, in a map made with --measure correlation, `correlation`.
    """
    from taskspace.applications.selection import select
    from taskspace.outcomes import tables
    from taskspace.outcomes.arrow import as_arrow

    checks.whole(options.k, "-k", 1)
    made = open_folder(options, options.reference, options.options)
    reference, choices = tables.read(options.reference), tables.read(options.options)
    task, tasks = made.tasks_in(reference), made.tasks_in(choices)
    if len(task) != 1:
        raise ValueError(f"{options.reference} must have one task, got {len(task)} tasks")
    source = made.comparison
    measured = "correlation" if made.measure == "correlation" else "similarity"
    columns = without_clashes(made, choices, ("row", measured), options.options)
    best = select(source, task, tasks, k=options.k, harder=options.harder, easier=options.easier)
    rows = as_arrow(best)
    found = {"row": rows, **{name: values.take(rows) for name, values in columns.items()}}
    similarity = source.similarity(task, tasks[best])[0] if len(best) else np.zeros(0)
    print_table(options, {**found, measured: similarity})

"""`taskspace select DIR --reference TASK OPTIONS`: select the options most similar to a task."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from taskspace.runs.run import Run


def add(commands: Any) -> None:
    """Add `select` to the commands of a parser."""
    example = (
        f"{TASKS}\nexamples:\n"
        "  taskspace select runs/multikeynav --reference task-17 options.csv -k 5\n"
        "  taskspace select runs/multikeynav --reference task.csv options.csv --harder\n"
    )
    parser = add_command(
        commands, "select", _run, "select the tasks of a table most similar to a task", example
    )
    add_folder(parser)
    parser.add_argument(
        "--reference", metavar="TASK", required=True,
        help="name of a task of the run, or a table with one task",
    )  # fmt: skip
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
    from taskspace.outcomes.table_rows import located

    checks.whole(options.k, "-k", 1)
    made = open_folder(options, options.reference, options.options)
    task, choices = _reference(made, options.reference), tables.read(options.options)
    with located(options.options):
        tasks = made.tasks_in(choices)
    source = made.comparison
    measured = "correlation" if made.measure == "correlation" else "similarity"
    columns = without_clashes(made, choices, ("row", measured), options.options)
    best = select(source, task, tasks, k=options.k, harder=options.harder, easier=options.easier)
    rows = as_arrow(best)
    found = {"row": rows, **{name: values.take(rows) for name, values in columns.items()}}
    similarity = source.similarity(task, tasks[best])[0] if len(best) else np.zeros(0)
    print_table(options, {**found, measured: similarity})


def _reference(made: Run, given: str) -> Any:
    """The reference task: one of the run by its name, or else the one in a table."""
    from taskspace.outcomes import tables
    from taskspace.outcomes.table_rows import located

    if given in made.outcomes.tasks:
        return made.outcomes.task_inputs[[made.task_index(given)]]
    if Path(given).suffix.lower() not in (".csv", ".parquet"):
        raise ValueError(
            "--reference must be the name of a task or a .csv or .parquet file with one task, got"
            f" {checks.brief(given)}; {made.folder} has {made.outcomes.n_tasks} tasks, e.g."
            f" {str(made.outcomes.tasks[0])!r}"
        )
    with located(given):
        task = made.tasks_in(tables.read(given))
    if len(task) != 1:
        raise ValueError(f"--reference {given} must have one task, got {len(task)} tasks")
    return task

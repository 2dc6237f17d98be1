"""`taskspace similar DIR TASK`: list the tasks most similar to a task."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

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

if TYPE_CHECKING:
    from taskspace.runs.run import Run


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
    note = _note(made, index)
    if options.opposite and not len(found) and not note:
        note = f"No such task has a negative correlation with {options.task!r}."
    if note:
        print(note, file=sys.stderr)
    on_map = made.index.vectors[found] @ made.index.vectors[index]
    column = "correlation" if made.measure == "correlation" else "similarity"
    print_tasks(options, made, made.describe(found, **{column: values}, on_map=on_map))


def _note(made: Run, index: int) -> str:
    """A sentence about a task that no results tell apart from others; empty for other tasks."""
    rates = made.outcomes.rates[:, index]
    known = rates[~np.isnan(rates)]
    if made.profiles is not None or (len(known) and np.ptp(known) > 0):
        return ""
    results = {0.0: "never solved it", 1.0: "always solved it"}
    what = results.get(float(known[0]), "have the same result on it") if len(known) else ""
    who = "1 agent" if len(known) == 1 else f"{len(known)} agents"
    why = f"{who} tried it and {what}" if len(known) else "no agent tried it"
    return (
        f"No results tell {str(made.outcomes.tasks[index])!r} apart from other tasks ({why}), so"
        " its similarities say nothing."
    )

"""`taskspace embed DIR TASKS`: compute the vectors and difficulties of tasks."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from taskspace.cli.arguments import TASKS, add_command, add_folder, add_out, open_folder
from taskspace.cli.printing import print_answers

if TYPE_CHECKING:
    from taskspace.models.embedding.reading import Reading
    from taskspace.outcomes.tables import Columns


def add(commands: Any) -> None:
    """Add `embed` to the commands of a parser."""
    example = f"{TASKS}\nexample:\n  taskspace embed runs/multikeynav tasks.csv --out vectors.csv\n"
    parser = add_command(
        commands, "embed", _run, "compute vectors and difficulties of tasks", example
    )
    add_folder(parser)
    parser.add_argument("tasks", metavar="TASKS", help="table of tasks, of any length")
    add_out(parser)


def _run(options: argparse.Namespace) -> None:
    """Compute the vectors and difficulties of tasks, including tasks that are new to the map.

    The output is the input table with additional columns: v0, v1, … (the vector) and difficulty
    (the probability of failure; in an ordinal map, the length of the vector). Large tables are
    processed in pieces.
    """
    made = open_folder(options, options.tasks)
    print_answers(options, made, lambda tasks: _columns(made.reader, tasks), first=["difficulty"])


def _columns(embedder: Reading, tasks: Any) -> Columns:
    columns = {f"v{i}": column for i, column in enumerate(embedder.transform(tasks).T)}
    return {**columns, "difficulty": embedder.difficulty(tasks)}

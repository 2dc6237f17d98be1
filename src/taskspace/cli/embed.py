"""`taskspace embed DIR TASKS`: vectors and difficulties of tasks."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import numpy as np

from taskspace.cli.arguments import TASKS, add_command, add_folder, add_out, open_folder
from taskspace.cli.printing import print_answers

if TYPE_CHECKING:
    from taskspace.outcomes.tables import Columns


def add(commands: Any) -> None:
    """Add `embed` to the commands of a parser."""
    example = f"{TASKS}\nexample:\n  taskspace embed runs/multikeynav tasks.csv --out vectors.csv\n"
    parser = add_command(commands, "embed", _run, "vectors and difficulties of tasks", example)
    add_folder(parser)
    parser.add_argument("tasks", metavar="TASKS", help="a table of tasks, of any length")
    add_out(parser)


def _run(options: argparse.Namespace) -> None:
    """Give tasks their vectors and difficulties, row by row of a table that may be large."""
    made = open_folder(options, options.tasks)
    print_answers(options, made, lambda tasks: _placed(made.embedder.transform(tasks)))


def _placed(vectors: Any) -> Columns:
    columns = {f"v{i}": column for i, column in enumerate(vectors.T)}
    return {**columns, "difficulty": np.linalg.norm(vectors, axis=1)}

"""Tables that commands print: for people on a terminal, CSV otherwise, JSON if wanted, or files."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from taskspace.cli.json_output import JsonWriter, print_json, rows

if TYPE_CHECKING:
    from rich.table import Table

    from taskspace.outcomes.tables import Columns
    from taskspace.runs.run import Run

MOST_SHOWN = 8  # most features per task on the screen
LONGEST = 24  # most characters of a label on the screen
_ABOUT = (
    "task",
    "similarity",
    "on_map",
    "difficulty",
    "success",
    "cluster",
)  # the columns that are always shown


def print_tasks(options: argparse.Namespace, made: Run, columns: Columns) -> None:
    """Print tasks, with their labels, and with their features if they are few or go to a file."""
    kept = (*_ABOUT, *made.outcomes.task_labels)
    short = {name: columns[name] for name in kept if name in columns}
    features = len(columns) - len(short)
    if options.out is None and not options.json and features > MOST_SHOWN:
        print(f"{features} features are not shown; use --out FILE to write them", file=sys.stderr)
        columns = short
    print_table(options, columns)


def print_table(options: argparse.Namespace, columns: Columns, **said: Any) -> None:
    """Print a table on a terminal and CSV otherwise, or write the file given by --out.

    With --json, the table is a list of rows or, if there is more that the command says (`said`),
    an object with this and the `rows`.
    """
    if options.json and said:
        print_json({**said, "rows": list(rows(columns))})
    elif on_screen(options):
        print_columns(columns)
    else:
        with open_output(options) as writer:
            writer.write(columns)


def print_note(options: argparse.Namespace, text: str) -> None:
    """Print a sentence to standard error, after the table; with --json it is in the object."""
    if not options.json:
        sys.stdout.flush()
        print(text, file=sys.stderr)


def on_screen(options: argparse.Namespace) -> bool:
    """Whether a table is for a person at a terminal."""
    return options.out is None and not options.json and sys.stdout.isatty()


@contextlib.contextmanager
def open_output(options: argparse.Namespace) -> Iterator[Any]:
    """Open what writes a table in batches of rows: the file of --out, CSV or JSON."""
    from taskspace.outcomes.table_streams import open_writer

    if not options.json:
        with open_writer(options.out) as writer:
            yield writer
        return
    lines = JsonWriter()
    yield lines
    lines.close()


def print_answers(options: argparse.Namespace, made: Run, answer: Callable[[Any], Columns]) -> None:
    """Print the table of tasks, piece by piece, with the columns of `answer` added."""
    from taskspace.outcomes.table_streams import read_pieces

    pieces = read_pieces(options.tasks)
    with open_output(options) as writer:
        for columns in pieces:
            found = answer(made.tasks_in(columns))
            writer.write({**without_clashes(made, columns, found, options.tasks), **found})


def without_clashes(made: Run, given: Columns, found: Collection[str], source: str) -> Columns:
    """The given columns, with features renamed that have the name of a column of the answer.

    Any other column of such a name is refused, since it might be an earlier answer.
    """
    from taskspace.runs.run import FEATURE

    features = made.outcomes.feature_names
    taken = [name for name in found if name in given and name not in features]
    if taken:
        raise ValueError(f"{source} must not have a column {taken[0]!r}; rename it")
    return {f"{FEATURE}{name}" if name in found else name: c for name, c in given.items()}


def print_columns(columns: Mapping[str, Any]) -> None:
    """Print a table of the first columns, as many as fit, with rounded numbers."""
    from rich.console import Console
    from rich.measure import Measurement

    console, count = Console(), len(columns)
    endless = console.options.update(width=1_000_000)
    while True:
        table = _columns_table(dict(list(columns.items())[:count]))
        if count == 1 or Measurement.get(console, endless, table).maximum <= console.width:
            break
        count -= 1
    console.print(table)
    if count < len(columns):
        console.print(
            f"{len(columns) - count} more columns do not fit; use --out FILE to write them."
        )


def _columns_table(columns: Mapping[str, Any]) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name, values in columns.items():
        table.add_column(Text(name), justify="left" if values.dtype.kind in "UO" else "right")
    for row in zip(*columns.values(), strict=True):
        table.add_row(*(Text(_short(value)) for value in row))
    return table


def _short(value: Any) -> str:
    from taskspace.outcomes.labels import shortened

    if isinstance(value, float | np.floating):
        return "" if np.isnan(value) else f"{value:.4g}"
    is_name = isinstance(value, np.str_)  # of a task, which other commands need in full
    return str(value) if is_name else shortened(str(value), LONGEST)

"""Tables that commands print: for people on a terminal, CSV otherwise, JSON if wanted, or files."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Any

from taskspace.cli.json_output import JsonWriter, print_json, rows
from taskspace.cli.screen import filled, open_screen, print_columns

if TYPE_CHECKING:
    from taskspace.outcomes.tables import Columns
    from taskspace.runs.run import Run

MOST_SHOWN = 8  # most features per task on the screen
_ABOUT = (
    "task",
    "similarity",
    "correlation",
    "on_map",
    "difficulty",
    "success",
    "return",
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
        print(filled(text) if sys.stderr.isatty() else text, file=sys.stderr)


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


def print_answers(
    options: argparse.Namespace,
    made: Run,
    answer: Callable[[Any], Columns],
    first: Collection[str] = (),
) -> None:
    """Print the table of tasks, piece by piece, with the columns of `answer` added.

    On a terminal, the first rows are enough, and the answers stand before the other columns, the
    columns `first` before all, since not all of them may fit.
    """
    screen = on_screen(options)
    with open_screen() if screen else open_output(options) as writer:
        for given, found in _answered(options, made, answer):
            leading = {name: found[name] for name in first}
            writer.write(
                {**_names(given), **leading, **found, **given} if screen else {**given, **found}
            )


def _answered(
    options: argparse.Namespace, made: Run, answer: Callable[[Any], Columns]
) -> Iterator[tuple[Columns, Columns]]:
    """The columns of tasks and those of the answers, piece by piece."""
    from taskspace.outcomes.table_rows import located
    from taskspace.outcomes.table_streams import read_pieces

    before = 0
    for columns in read_pieces(options.tasks):
        with located(options.tasks, before):
            tasks = made.tasks_in(columns)
        before += len(tasks)
        found = answer(tasks)
        yield without_clashes(made, columns, found, options.tasks), found


def _names(columns: Columns) -> Columns:
    """The column with the names of the tasks, if there is one."""
    from taskspace.outcomes.columns import name_column

    name = name_column(columns, "task")
    return {} if name is None else {name: columns[name]}


def without_clashes(made: Run, given: Columns, found: Collection[str], source: str) -> Columns:
    """The given columns, with features renamed that have the name of a column of the answer.

    Any other column of such a name is refused, since it might be an earlier answer.
    """
    from taskspace.runs.task_tables import FEATURE

    features = made.outcomes.feature_names
    taken = [name for name in found if name in given and name not in features]
    if taken:
        raise ValueError(f"{source} must not have a column {taken[0]!r}; rename it")
    return {f"{FEATURE}{name}" if name in found else name: c for name, c in given.items()}

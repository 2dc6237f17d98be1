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
    from rich.console import Console
    from rich.table import Table

    from taskspace.outcomes.tables import Columns
    from taskspace.runs.run import Run

MOST_SHOWN = 8  # most features per task on the screen
LONGEST = 24  # most characters of a label on the screen
FIRST = 8  # columns of a table, for which names are shortened if they do not fit
_EXACT = 1e15  # integers below this have no rounded digits
_LIMITS = (1000, 48, 40, 32, 24, 20, 16)  # characters of a name on the screen
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
    from taskspace.runs.task_tables import FEATURE

    features = made.outcomes.feature_names
    taken = [name for name in found if name in given and name not in features]
    if taken:
        raise ValueError(f"{source} must not have a column {taken[0]!r}; rename it")
    return {f"{FEATURE}{name}" if name in found else name: c for name, c in given.items()}


def print_columns(columns: Mapping[str, Any]) -> None:
    """Print a table of the first columns, as many as fit, with rounded numbers.

    Names and labels are shortened if more of the first columns fit then.
    """
    from rich.console import Console

    console = Console()
    fitting: dict[int, int] = {}
    for limit in _LIMITS:
        fitting[limit] = _fitting(console, columns, limit)
        if fitting[limit] >= min(FIRST, len(columns)):
            break
    limit = max(fitting, key=fitting.__getitem__)  # of equal ones, the first and widest
    shown = dict(list(columns.items())[: fitting[limit]])
    console.print(_columns_table(shown, limit))
    left = len(columns) - len(shown)
    notes = [f"{left} more {'column does' if left == 1 else 'columns do'} not fit"] if left else []
    if any(_is_cut(values, limit) for values in shown.values()):
        notes.append("long names are shortened")
    if notes:
        console.print(f"{'; '.join(notes).capitalize()}; use --out FILE to write all.")


def _fitting(console: Console, columns: Mapping[str, Any], limit: int) -> int:
    """How many of the first columns fit if names are this short; at least one is shown."""
    from rich.measure import Measurement

    # Only the widest cell of a column matters; a table may have thousands of rows.
    widest = {
        name: np.array([max((_short(value, limit) for value in values), key=len, default="")])
        for name, values in columns.items()
    }
    endless, count = console.options.update(width=1_000_000), len(columns)
    while count > 1:
        table = _columns_table(dict(list(widest.items())[:count]), limit)
        if Measurement.get(console, endless, table).maximum <= console.width:
            break
        count -= 1
    return count


def _is_cut(values: Any, limit: int) -> bool:
    return values.dtype.kind == "U" and any(len(value) > limit for value in values)


def _columns_table(columns: Mapping[str, Any], limit: int) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name, values in columns.items():
        table.add_column(Text(name), justify="left" if values.dtype.kind in "UO" else "right")
    for row in zip(*columns.values(), strict=True):
        table.add_row(*(Text(_short(value, limit)) for value in row))
    return table


def _short(value: Any, limit: int) -> str:
    from taskspace.outcomes.labels import shortened, without_middle

    if value is None:
        return ""
    if isinstance(value, float | np.floating):
        if np.isnan(value):
            return ""
        return f"{value:.0f}" if value.is_integer() and abs(value) < _EXACT else f"{value:.4g}"
    if isinstance(value, np.str_):  # the name of a task or an agent
        return without_middle(value, limit)
    return shortened(str(value), min(limit, LONGEST))

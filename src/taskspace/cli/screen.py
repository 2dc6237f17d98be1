"""What a person at a terminal reads: tables of as many columns as fit, and lines of 80 columns."""

from __future__ import annotations

import contextlib
import math
import shutil
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

WIDEST = 80  # columns of a terminal that everybody has
MOST_ROWS = 20  # of a table of any length
LONGEST = 24  # most characters of a label on the screen
FIRST = 8  # columns of a table, for which names are shortened if they do not fit
_EXACT = 1e15  # integers below this have no rounded digits
_LIMITS = (1000, 48, 40, 32, 24, 20, 16)  # characters of a name on the screen

Arrays = dict[str, NDArray[Any]]


def filled(text: str) -> str:
    """A sentence in lines that fit the terminal; the lines of a list are indented."""
    width = min(shutil.get_terminal_size().columns, WIDEST)
    indent = "  " if text.startswith("- ") else ""
    return textwrap.fill(text, width, subsequent_indent=indent, break_long_words=False)


def first_rows(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The rows that are shown of a table of any length."""
    return {name: values[:MOST_ROWS] for name, values in columns.items()}


def print_columns(columns: Mapping[str, Any], total: int | None = None) -> None:
    """Print a table of the first columns, as many as fit, with rounded numbers.

    Names and labels are shortened, headings broken and empty columns left out if more of the first
    columns fit then. `total` is the number of rows of a table whose first rows these are.
    """
    from rich.console import Console

    console, arrays = Console(), {name: _array(values) for name, values in columns.items()}
    plan = _plan(console, arrays)
    console.print(_columns_table(plan.columns, plan))
    rows = len(next(iter(arrays.values())))
    notes = [
        *_more(0 if total is None else total - rows, "row is not shown", "rows are not shown"),
        *_more(len(arrays) - len(plan.columns), "column does not fit", "columns do not fit"),
    ]
    if any(_is_cut(values, plan.limit) for values in plan.columns.values()):
        notes.append("long names are shortened")
    if notes:
        console.print(f"{'; '.join(notes).capitalize()}; use --out FILE to write all.")


class _FirstRows:
    """Takes a table in batches of rows, as writers of files do."""

    def __init__(self) -> None:
        self.shown: dict[str, Any] = {}
        self.total = 0

    def write(self, columns: Mapping[str, Any]) -> None:
        """Append rows; those that are shown are in the first batch."""
        self.shown = self.shown or first_rows(columns)
        self.total += len(next(iter(columns.values())))


@contextlib.contextmanager
def open_screen() -> Iterator[_FirstRows]:
    """Open what takes a table in batches of rows, and prints the first rows at the end."""
    rows = _FirstRows()
    yield rows
    print_columns(rows.shown, rows.total)


def _more(count: int, one: str, several: str) -> list[str]:
    return [f"{count:,} more {one if count == 1 else several}"] if count > 0 else []


def _array(values: Any) -> NDArray[Any]:
    """A column of NumPy or Arrow as an array; in texts of Arrow, None is a missing one."""
    if isinstance(values, np.ndarray):
        return values
    import pyarrow

    from taskspace.outcomes.arrow import as_numpy

    if pyarrow.types.is_integer(values.type) or pyarrow.types.is_floating(values.type):
        whole = isinstance(values, pyarrow.ChunkedArray)
        return as_numpy(values if whole else pyarrow.chunked_array([values]))
    found = np.empty(len(values), object)
    found[:] = values.to_pylist()
    return found


@dataclass(frozen=True)
class _Plan:
    """How a table is shown: its columns, and what makes them narrow."""

    columns: Arrays
    limit: int  # characters of a name
    narrow: bool  # whether headings are broken at underscores, and less space is between columns


def _plan(console: Console, columns: Arrays) -> _Plan:
    """The whole table if it fits, or else the first columns that are not empty."""
    whole = _fitting_plan(console, columns, narrow=False)
    if len(whole.columns) == len(columns):
        return whole
    told = {name: values for name, values in columns.items() if not _is_empty(values)} or columns
    plan = _fitting_plan(console, told, narrow=False)
    if len(plan.columns) >= min(FIRST, len(told)):
        return plan
    other = _fitting_plan(console, told, narrow=True)
    return other if len(other.columns) > len(plan.columns) else plan


def _fitting_plan(console: Console, columns: Arrays, *, narrow: bool) -> _Plan:
    """The first columns, with names as short as it takes to show most of them."""
    plans = []
    for limit in _LIMITS:
        plans.append(_Plan(_fitting(console, _Plan(columns, limit, narrow)), limit, narrow))
        if len(plans[-1].columns) >= min(FIRST, len(columns)):
            break
    return max(plans, key=lambda plan: len(plan.columns))  # of equal ones, the first and widest


def _fitting(console: Console, plan: _Plan) -> Arrays:
    """As many of the first columns as fit; at least one is shown."""
    from rich.measure import Measurement

    # Only the widest cell of a column matters; a table may have thousands of rows.
    widest = {
        name: np.array([max(_texts(values, plan.limit), key=len, default="")])
        for name, values in plan.columns.items()
    }
    endless, count = console.options.update(width=1_000_000), len(plan.columns)
    while count > 1:
        table = _columns_table(dict(list(widest.items())[:count]), plan)
        if Measurement.get(console, endless, table).maximum <= console.width:
            break
        count -= 1
    return dict(list(plan.columns.items())[:count])


def _is_empty(values: NDArray[Any]) -> bool:
    return not any(_texts(values, LONGEST))


def _is_cut(values: NDArray[Any], limit: int) -> bool:
    return values.dtype.kind == "U" and any(len(value) > limit for value in values)


def _columns_table(columns: Arrays, plan: _Plan) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    padding = (0, 1, 0, 0) if plan.narrow else (0, 1)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=padding)
    texts = {name: _texts(values, plan.limit) for name, values in columns.items()}
    for name, values in columns.items():
        widest = max(map(len, texts[name]), default=0)
        broken = plan.narrow and widest < len(name)  # a heading as wide as its column gains nothing
        heading = name.replace("_", "_\n") if broken else name
        table.add_column(Text(heading), justify="left" if values.dtype.kind in "UO" else "right")
    for row in zip(*texts.values(), strict=True):
        table.add_row(*map(Text, row))
    return table


def _texts(values: NDArray[Any], limit: int) -> list[str]:
    """The cells of a column; numbers have as many decimals as the largest needs for four digits."""
    if values.dtype.kind != "f":
        return [_short(value, limit) for value in values]
    known = np.abs(values[np.isfinite(values)])
    largest, whole = float(known.max(initial=0)), bool((known == np.floor(known)).all())
    if not 1e-3 <= largest < _EXACT or whole:
        return [_short(value, limit) for value in values]
    decimals = max(3 - math.floor(math.log10(largest)), 0)
    return [
        f"{value:.{min(decimals, 4)}f}" if np.isfinite(value) else _short(value, limit)
        for value in values
    ]


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

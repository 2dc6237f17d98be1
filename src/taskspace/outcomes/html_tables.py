"""Tables as HTML, which notebooks show for outcomes, populations, runs and results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

import numpy as np

MOST_ROWS, MOST_COLUMNS = 10, 12
_LONGEST = 60  # characters of a text in a cell


def html_table(
    columns: Mapping[str, Any],
    title: str = "",
    notes: Iterable[str] = (),
    what: str = "rows",
    most: int = MOST_ROWS,
) -> str:
    """A table of the first rows and columns, with a title above and sentences below.

    Args:
        columns: The columns by name.
        title: The title in bold letters.
        notes: Sentences below the table; empty ones are left out.
        what: What the rows are, for the line that says how many are not shown.
        most: The largest number of rows.

    Returns:
        HTML without scripts or styles from elsewhere; all text is escaped.

    >>> html_table({"task": ["<q1>"], "success": [0.25]}).count("&lt;q1&gt;")
    1
    """
    shown = list(columns)[:MOST_COLUMNS]
    values = [list(columns[name][:most]) for name in shown]
    total = len(next(iter(columns.values()))) if columns else 0
    head = "".join(
        f'<th style="text-align:{_side(column)}">{escape(name)}</th>'
        for name, column in zip(shown, values, strict=True)
    )
    rows = "".join(
        f"<tr>{''.join(map(_cell, row))}</tr>" for row in zip(*values, strict=True)
    )  # fmt: skip
    missing = [
        f"{count:,} more {of}"
        for count, of in ((total - most, what), (len(columns) - MOST_COLUMNS, "columns"))
        if count > 0
    ]
    more = f"… and {' and '.join(missing)}." if missing else ""
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>" if shown else ""
    below = "".join(f"<div>{escape(note)}</div>" for note in (more, *notes) if note)
    above = f"<div><b>{escape(title)}</b></div>" if title else ""
    return f'<div style="overflow-x:auto">{above}{table}{below}</div>'


def _side(column: list[Any]) -> str:
    """The side on which the heading of a column stands: that of its values."""
    numbers = (int, float, np.number)
    return "right" if column and isinstance(column[0], numbers) else "left"


def _cell(value: Any) -> str:
    from taskspace.outcomes.labels import shortened

    if isinstance(value, float | np.floating):
        text = "" if np.isnan(value) else f"{value:.4g}"
        return f'<td style="text-align:right">{text}</td>'
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return f'<td style="text-align:right">{value}</td>'
    return f'<td style="text-align:left">{escape(shortened(str(value), _LONGEST))}</td>'

"""Columns of a table that summarise the others, such as a total or a mean, and are no tasks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from taskspace.outcomes.columns import recognised

Floats = NDArray[np.float64]

NAMES = (
    "total", "total score", "total points", "sum", "mean", "mean score", "average", "avg",
    "average score", "overall", "overall score", "final", "final score", "percent", "percentage",
)  # fmt: skip
FEWEST = 5  # rows: fewer may agree by chance
_DECIMALS = 6  # most digits after the point that a summary is rounded to


def summaries(columns: dict[str, Floats]) -> dict[str, str]:
    """The columns that are the sum or the mean of others, up to rounding, and what they are.

    The others are all columns that are no summaries, or those before it. Missing results are left
    out of a mean, and count as 0 in a sum. A copy of another column is no summary.

    >>> quiz = {"q1": [1, 0, 1, 0, 1, 1], "q2": [0, 0, 1, 1, 1, 0], "q3": [0, 0, 1, 0, 1, 1]}
    >>> rows = {name: np.array(values, float) for name, values in quiz.items()}
    >>> summaries({**rows, "points": sum(rows.values())})
    {'points': 'the sum of the others'}
    """
    names = list(columns)
    table = np.column_stack(list(columns.values())) if columns else np.zeros((0, 0))
    found: dict[str, str] = {}
    if len(table) < FEWEST or len(names) < 3:
        return found
    summary = np.isin(names, recognised(names, NAMES))  # those that are called so
    known, filled = ~np.isnan(table), np.nan_to_num(table)
    sums, counts = filled[:, ~summary].sum(1), known[:, ~summary].sum(1)
    sum_before, count_before = np.zeros(len(table)), np.zeros(len(table), np.int64)
    for number, name in enumerate(names):
        values, own = table[:, number], not summary[number]
        others = sums - own * filled[:, number], counts - own * known[:, number]
        what = ""
        if _may_summarise(values):
            before = sum_before, count_before
            what = _what(values, *others, "others") or _what(values, *before, "columns before it")
        if what and not _is_copy(table, number):
            found[name] = what
            if own:
                sums, counts = others
            continue
        sum_before, count_before = sum_before + filled[:, number], count_before + known[:, number]
    return found


def _may_summarise(values: Floats) -> bool:
    """Whether a column has enough different values: results of 0 and 1 agree by chance."""
    return len(np.unique(values[~np.isnan(values)])) > 2


def _what(values: Floats, sums: Floats, counts: NDArray[np.int64], of: str) -> str:
    """What a column is, from the sums and the numbers of the results in each row."""
    means = sums / np.maximum(counts, 1)
    there = ~np.isnan(values) & (counts > 0)
    if there.sum() < FEWEST or counts.max() < 2:
        return ""
    rounding = _rounding(values[there])
    for what, expected in (("sum", sums), ("mean", means), ("percentage", 100 * means)):
        differ = np.abs(values - expected)[there]
        # Rounding to large steps would agree with anything.
        spread = np.ptp(expected[there])
        if (
            differ.max() <= rounding + 1e-6 * np.abs(expected[there]).max()
            and spread > 4 * rounding
        ):
            return f"the {what} of the {of}"
    return ""


def _rounding(values: Floats) -> float:
    """The largest error of rounding to as many digits as the values have."""
    for digits in range(_DECIMALS):
        if np.allclose(values, np.round(values, digits), rtol=0, atol=1e-9):
            return float(0.5 * 10.0**-digits)
    return float(0.5 * 10.0**-_DECIMALS)


def _is_copy(table: Floats, number: int) -> bool:
    """Whether another column has the same values."""
    same = np.isclose(table, table[:, [number]], equal_nan=True).all(0)
    return int(same.sum()) > 1

"""DataFrames that are given together: their rows and columns must be in the same order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def check_same_order(per_pair: Mapping[str, Any], per_task: Mapping[str, Any]) -> None:
    """Refuse DataFrames of which one has its rows or columns in another order.

    Values are taken by position, so another order would give results to other agents or tasks.
    What is not a DataFrame or a Series has no names to compare.

    Args:
        per_pair: Tables of agents x tasks, by what messages call them.
        per_task: What has one row per task, likewise.

    Raises:
        ValueError: If a table has other rows or columns than the first one, or if what has one row
            per task has other names than the tasks, or these in another order. Rows that pandas
            numbered have no names.

    >>> import pandas
    >>> one = pandas.DataFrame([[1, 0]], columns=["a", "b"])
    >>> check_same_order({"successes": one, "rollouts": one}, {"best": pandas.Series([3, 9])})
    """
    tables = {what: table for what, table in per_pair.items() if hasattr(table, "columns")}
    if not tables:
        return
    first, *others = tables
    for what in others:
        for part in ("columns", "index"):
            if _names(tables[what], part) != _names(tables[first], part):
                raise ValueError(
                    f"{what} must have the same {part} as {first} in the same order, got other ones"
                )
    tasks = [str(name) for name in _names(tables[first], "columns")]
    for what, rows in per_task.items():
        names = [str(name) for name in _names(rows, "index")]
        unnamed = names == [str(number) for number in range(len(names))]
        if names != tasks and (not unnamed or sorted(names) == sorted(tasks)):
            raise ValueError(
                f"{what} must have its rows in the order of the columns of {first}, got others or"
                " another order"
            )


def _names(table: Any, part: str) -> list[Any]:
    """The names of rows or columns; none of what has only positions."""
    found = getattr(table, part, ())
    return [] if callable(found) else list(found)  # lists have a method `index`

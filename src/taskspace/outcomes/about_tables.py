"""Tables about tasks or agents: their columns are labels, and some of them may be features."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.outcomes import labels, tables
from taskspace.outcomes.attempts import Parts
from taskspace.outcomes.columns import UNNAMED, listed, name_column
from taskspace.outcomes.table_rows import located

TELLING_APART = 0.5  # the least fraction of tasks that must differ in their features


def add_labels(found: Parts, table: Any, what: str, holder: str) -> None:
    """Add the columns of a table about the tasks or agents of results (`what`) to their labels.

    `holder` is what messages call the table.
    """
    known, more = found[f"{what}_labels"], _about(table, found[f"{what}s"], what, holder)
    for name in known:
        if name in more:
            raise ValueError(
                f"{holder} must have no column that is in the table of results too, got {name!r}"
            )
    found[f"{what}_labels"] = known | more


def _about(table: Any, wanted: NDArray[np.str_], what: str, holder: str) -> labels.Labels:
    """The columns of a table about tasks or agents, in the order of the results."""
    columns = tables.read(table)
    name = name_column(columns, what)
    if name is None:
        name = UNNAMED if UNNAMED in columns else what
    if name not in columns:
        raise ValueError(
            f"{holder} must have a column {what!r} with their names, got the columns"
            f" {listed(columns)}"
        )
    with located(table):
        names, row = tables.codes(columns.pop(name), what)
    columns.pop(UNNAMED, None)  # row numbers
    if not columns:
        raise ValueError(f"{holder} must have at least one column besides {name!r}, got none")
    if len(names) < len(row):
        repeated = names[row[np.bincount(row)[row] > 1][0]]
        raise ValueError(
            f"{holder} must have one row per {what}, got several rows for the {what}"
            f" {str(repeated)!r}"
        )
    _refuse_unknown(
        wanted, names, f"{holder} must have one row per {what}, got none for the {what}"
    )
    _refuse_unknown(
        names, wanted, f"{holder} must have only {what}s of the results, got the {what}"
    )
    order = np.argsort(names)[np.searchsorted(np.sort(names), wanted)]
    return labels.of_rows(columns, order, what)


def _refuse_unknown(names: NDArray[np.str_], known: NDArray[np.str_], sentence: str) -> None:
    unknown = names[~np.isin(names, known)]
    if len(unknown):
        more = f" (and {len(unknown) - 1} more)" if len(unknown) > 1 else ""
        raise ValueError(f"{sentence} {str(unknown[0])!r}{more}")


def with_features(found: Parts, wanted: list[str] | None, rows: NDArray[Any] | None) -> Parts:
    """Turn some of the labels of tasks into features."""
    if rows is not None:
        if rows.ndim == 2:
            check_telling_apart(rows)
        return found | {"features": rows}
    known = found["task_labels"]
    if wanted is None:  # a table of features
        wanted = [name for name, values in known.items() if values.dtype.kind == "f"]
        if not wanted:
            raise ValueError(
                "the table of features must have at least one column of numbers, got none"
            )
    if not wanted:
        return found
    columns = [_feature(found, name) for name in wanted]
    left = {name: values for name, values in known.items() if name not in wanted}
    features = np.column_stack(columns)
    check_telling_apart(features)
    return found | {"features": features, "feature_names": tuple(wanted), "task_labels": left}


def _feature(found: Parts, name: str) -> NDArray[np.float64]:
    values = found["task_labels"].get(name)
    if values is None:
        columns = found["info"].get("columns", {})
        if name in columns.get("unused", {}) or name in found["agent_labels"]:
            raise ValueError(
                f"the feature {name!r} must have the same value in all rows of a task, got"
                " different ones"
            )
        raise ValueError(f"there is no column {name!r} about tasks for the features")
    if values.dtype.kind != "f":
        raise ValueError(f"the column {name!r} must have numbers because it is a feature, got text")
    if not np.isfinite(values).all():
        task = found["tasks"][int((~np.isfinite(values)).argmax())]
        raise ValueError(
            f"the feature {name!r} must be a finite number for every task, got none for {task}"
        )
    return values


def check_telling_apart(features: NDArray[Any]) -> None:
    """Refuse features that most tasks share with others: they would become one task."""
    distinct = len(np.unique(features, axis=0))
    if distinct < TELLING_APART * len(features):
        raise ValueError(
            f"features must tell tasks apart, got {distinct} different rows of features for"
            f" {len(features)} tasks; without features, tasks are known by their names, and such"
            " columns are labels"
        )

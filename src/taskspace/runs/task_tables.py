"""The tasks of a run as tables: columns that describe them, and the tasks that a table names."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.outcomes import tables
from taskspace.outcomes.columns import name_column
from taskspace.outcomes.feature_rows import in_order, warn_if_far
from taskspace.outcomes.labels import LABEL
from taskspace.outcomes.outcomes import Outcomes
from taskspace.outcomes.rates import mean_rates

if TYPE_CHECKING:
    from taskspace.runs.run import Run

FEATURE = "feature:"  # precedes the name of a feature that is also a column of the map, as LABEL

_ROUNDED = 1e-6  # relative difference of a number that was written as text
_SHOWN = ".4g"  # how the explorer and tables on the screen round features


def beside(own: Mapping[str, Any], more: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """The map's own columns and more, which get a prefix instead of replacing one of the former.

    >>> beside({"x": 0, "y": 1}, {"x": 2, "width": 3}, FEATURE)
    {'x': 0, 'y': 1, 'feature:x': 2, 'width': 3}
    """
    columns = dict(own)
    for name, values in more.items():
        while name in columns:
            name = f"{prefix}{name}"
        columns[name] = values
    return columns


def described(run: Run, indices: NDArray[np.int64], more: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a table of tasks; see `Run.describe`."""
    outcomes = run.outcomes
    checks.indices(indices, outcomes.n_tasks, "indices")
    columns = {
        "task": outcomes.tasks[indices],
        **more,
        "difficulty": run.index.difficulty[indices],
        **_mean_results(outcomes, indices),
        "cluster": run.clusters.by_task[indices],
    }
    features = {name: column[indices] for name, column in run.feature_columns.items()}
    labels = {name: column[indices] for name, column in outcomes.task_labels.items()}
    return beside(beside(columns, features, FEATURE), labels, LABEL)


def _mean_results(outcomes: Outcomes, indices: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
    """The mean success rate of tasks or, if outcomes are returns, their mean return."""
    if outcomes.scale is not None and outcomes.returns is not None:
        return {"return": mean_rates(outcomes.returns[:, indices], axis=0)}
    return {"success": mean_rates(outcomes.rates[:, indices], axis=0)}


def tasks_in(run: Run, columns: tables.Columns) -> NDArray[Any]:
    """The tasks in a table, given by feature columns or by name; see `Run.tasks_in`."""
    wanted = [_feature_column(name, columns) for name in run.outcomes.feature_names]
    names = name_column(columns, "task")
    if wanted and (names is None or set(wanted) & set(columns)):
        tables.require(columns, wanted)
        rows = tables.features({name: columns[name] for name in wanted})
        if names is not None:
            _refuse_contradictions(run, columns[names].to_pylist(), rows)
        return run.check_tasks(rows)
    if names is None:
        tables.require(columns, ["task"])
    indices = [run.task_index(str(name)) for name in columns[names or "task"].to_pylist()]
    return run.outcomes.task_inputs[indices]


def _refuse_contradictions(run: Run, names: list[Any], rows: NDArray[np.float64]) -> None:
    """Refuse a row with the name of a known task and features of another one.

    Nobody can know which of the two is meant. Names that are not known are those of new tasks.
    """
    features = run.outcomes.features
    assert features is not None
    known = {name: index for index, name in enumerate(run.outcomes.tasks.tolist())}
    found = np.array([known.get(str(name), -1) for name in names], np.int64)
    here = np.flatnonzero(found >= 0)
    there = features[found[here]].astype(np.float64)
    for row, column in np.argwhere(~np.isclose(rows[here], there, rtol=_ROUNDED, atol=0)).tolist():
        name, given = run.outcomes.tasks[found[here[row]]], rows[here[row], column]
        expected = there[row, column]
        if given != float(f"{expected:{_SHOWN}}"):
            raise ValueError(
                f"the task {str(name)!r} must have {run.outcomes.feature_names[column]}"
                f" {expected:.6g}, as in the run, got {given:.6g}; if it is another task, give it"
                " another name or none"
            )


def _feature_column(name: str, columns: Collection[str]) -> str:
    """The column of a table that has this feature, which `beside` may have renamed."""
    return f"{FEATURE}{name}" if f"{FEATURE}{name}" in columns else name


def checked_rows(run: Run, rows: Any) -> NDArray[Any]:
    """Rows of features of tasks that may be new; see `Run.check_tasks`."""
    features, names = run.outcomes.features, run.outcomes.feature_names
    if features is None:
        raise ValueError(f"the tasks of {run.name} have no features; use their names")
    given = checks.array(in_order(rows, names), "tasks")
    given = given if given.dtype == np.uint8 else checks.numbers(given, "tasks")
    if given.ndim != 2 or given.shape[1] != features.shape[1]:
        raise ValueError(
            f"tasks must be rows of {features.shape[1]} features, got an array of shape"
            f" {given.shape}"
        )
    if not run.from_table:
        return run.environment.check_tasks(given)
    warn_if_far(given, features, names)
    return given

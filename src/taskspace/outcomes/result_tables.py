"""Tables of results: counts, single attempts, or one score per agent and task."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.outcomes import tables
from taskspace.outcomes.tables import Columns

PAIR = ("agent", "task")
COUNTS = ("successes", "rollouts")
SCORES = (
    "success",
    "solved",
    "score",
)  # possible names of the column with the result of one attempt

Parts = dict[str, Any]  # arguments of `Outcomes`


def parts(table: Any, features: Any) -> Parts:
    """The arguments of `Outcomes` from a table of results and a table of task features."""
    if isinstance(table, np.ndarray):
        found = _of_matrix(table)
    else:
        columns = tables.read(table)
        long = "task" in columns
        found = _of_long(columns, features is None) if long else _of_wide(columns)
    if not found["rollouts"].any():
        raise ValueError(
            "the table must have at least one result, got none; no agent tried any task"
        )
    if features is not None:
        found |= _of_features(features, found.get("tasks"), found["successes"].shape[1])
    return found


# -- long tables: one row per pair or attempt ------------------------------------------------------


def _of_long(columns: Columns, with_features: bool) -> Parts:
    tables.require(columns, PAIR)
    score = None if set(COUNTS) & set(columns) else _score_column(columns)
    tables.require(columns, COUNTS if score is None else (score,))
    agents, agent = tables.codes(columns.pop("agent"), "agent")
    tasks, task = tables.codes(columns.pop("task"), "task")
    pair, shape = agent * len(tasks) + task, (len(agents), len(tasks))
    if score is None:
        _refuse_repeats(pair, agents, tasks)
        successes = tables.amounts(columns.pop("successes"), "successes")
        rollouts = tables.amounts(columns.pop("rollouts"), "rollouts", integers=True)
        found = {"successes": _placed(successes, pair, shape)}
        found["rollouts"] = _placed(rollouts, pair, shape)
    else:
        found = _added_up(tables.scores(columns.pop(score), score), pair, shape)
    if columns and not with_features:
        raise ValueError(
            "the table of results must have no features if they are passed separately,"
            f" got the column {next(iter(columns))!r}"
        )
    named: Parts = {"agents": agents, "tasks": tasks}
    if columns:
        named["features"] = _per_task(columns, task, tasks)
        named["feature_names"] = tuple(columns)
    return found | named


def _score_column(columns: Columns) -> str:
    present = [name for name in SCORES if name in columns]
    if len(present) != 1:
        found = f"both {present[0]!r} and {present[1]!r}" if present else "no column of results"
        raise ValueError(
            f"the table must have the columns successes and rollouts, or one of"
            f" {', '.join(SCORES)}, got {found}; it has the columns {', '.join(columns)}"
        )
    return present[0]


def _refuse_repeats(
    pair: NDArray[np.int64], agents: NDArray[np.str_], tasks: NDArray[np.str_]
) -> None:
    if np.bincount(pair).max() < 2:
        return
    _, first = np.unique(pair, return_index=True)
    row = int(np.setdiff1d(np.arange(len(pair)), first)[0])
    agent, task = divmod(int(pair[row]), len(tasks))
    raise ValueError(
        "the table must have one row per pair of agent and task,"
        f" got {agents[agent]} on {tasks[task]} again in row {row}"
    )


def _placed(values: NDArray[Any], pair: NDArray[np.int64], shape: tuple[int, int]) -> NDArray[Any]:
    table = np.zeros(shape, values.dtype)
    table.ravel()[pair] = values
    return table


def _added_up(score: NDArray[np.float64], pair: NDArray[np.int64], shape: tuple[int, int]) -> Parts:
    """Sum the scores of each pair; missing scores are not attempts."""
    tried = ~np.isnan(score)
    if not tried.all():
        score, pair = score[tried], pair[tried]
    cells = shape[0] * shape[1]
    return {
        "successes": np.bincount(pair, score, cells).reshape(shape),
        "rollouts": np.bincount(pair, minlength=cells).reshape(shape),
    }


def _per_task(
    columns: Columns, task: NDArray[np.int64], names: NDArray[np.str_]
) -> NDArray[np.float64]:
    """One row of features per task, which must have the same values in all its rows."""
    rows = tables.features(columns)
    found = np.zeros((len(names), rows.shape[1]))
    found[task] = rows
    for column, name in enumerate(columns):
        differs = found[task, column] != rows[:, column]
        if differs.any():
            row = int(differs.argmax())
            raise ValueError(
                f"the feature {name!r} of {names[task[row]]} must be the same in all rows,"
                f" got another value in row {row}"
            )
    return found


# -- wide tables: one row per agent, one column per task -------------------------------------------


def _of_wide(columns: Columns) -> Parts:
    long_names = [name for name in (*COUNTS, *SCORES) if name in columns]
    if long_names or next(iter(columns)) != "agent" or len(columns) < 2:
        raise ValueError(
            "a table of results must have the columns agent, task and results, or a first column"
            " agent and one column per task, got no column 'task' and the columns"
            f" {', '.join(list(columns)[:10])}"
        )
    agents, agent = tables.codes(columns.pop("agent"), "agent")
    rows = np.column_stack([tables.scores(values, task) for task, values in columns.items()])
    order = np.argsort(agent, kind="stable")  # puts the rows of each agent together
    first = np.searchsorted(agent[order], np.arange(len(agents)))
    found = {
        name: np.add.reduceat(table[order], first, axis=0, dtype=np.float64)
        for name, table in _attempts(rows).items()
    }
    return {**found, "agents": agents, "tasks": np.array(list(columns), np.str_)}


def _attempts(scores: NDArray[np.float64]) -> Parts:
    """Count each score as one attempt, and NaN as none."""
    tried = ~np.isnan(scores)
    return {"successes": np.where(tried, scores, 0.0), "rollouts": tried.astype(np.uint8)}


def _of_matrix(table: NDArray[Any]) -> Parts:
    if table.ndim != 2 or not table.size:
        raise ValueError(
            "an array of results must be agents x tasks with at least one of each,"
            f" got an array of shape {table.shape}"
        )
    if table.dtype.kind not in "biuf":
        raise ValueError(
            f"an array of results must have numbers from 0 to 1, got type {table.dtype}"
        )
    scores = table.astype(np.float64)
    wrong = (scores < 0) | (scores > 1)
    if wrong.any():
        agent, task = np.argwhere(wrong)[0]
        raise ValueError(
            f"the score of agent {agent} on task {task} must be a number from 0 to 1,"
            f" got {scores[agent, task]}; use NaN for pairs never tried"
        )
    return _attempts(scores)


# -- features in a separate table ------------------------------------------------------------------


def _of_features(table: Any, tasks: NDArray[np.str_] | None, count: int) -> Parts:
    """Features of these tasks in their order; the tasks of a NumPy array have no names."""
    if isinstance(table, np.ndarray):
        if tasks is not None:
            raise TypeError(
                "the features of named tasks must be a table with a column task, got an array"
            )
        return {"features": table}
    columns = tables.read(table)
    tables.require(columns, ["task"])
    names, row = tables.codes(columns.pop("task"), "task")
    if not columns:
        raise ValueError(
            "the table of features must have at least one column besides 'task', got none"
        )
    if len(names) < len(row):
        repeated = names[row[np.bincount(row)[row] > 1][0]]
        raise ValueError(
            f"the table of features must have one row per task, got several rows for the task"
            f" {str(repeated)!r}"
        )
    wanted = np.char.add("task-", np.arange(count).astype(np.str_)) if tasks is None else tasks
    _refuse_unknown(
        wanted, names, "the table of features must have one row per task, got none for the task"
    )
    _refuse_unknown(
        names, wanted, "the table of features must have only tasks of the results, got the task"
    )
    order = np.argsort(names)[np.searchsorted(np.sort(names), wanted)]
    return {"features": tables.features(columns)[order], "feature_names": tuple(columns)}


def _refuse_unknown(names: NDArray[np.str_], known: NDArray[np.str_], sentence: str) -> None:
    unknown = names[~np.isin(names, known)]
    if len(unknown):
        more = f" (and {len(unknown) - 1} more)" if len(unknown) > 1 else ""
        raise ValueError(f"{sentence} {str(unknown[0])!r}{more}")

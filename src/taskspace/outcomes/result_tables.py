"""What tables of results say: counts, single attempts, or a score for each agent and task."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.outcomes import tables
from taskspace.outcomes.tables import Columns

PAIR = ("agent", "task")
COUNTS = ("successes", "rollouts")
SCORES = ("success", "solved", "score")  # how the result of a single attempt may be called

Parts = dict[str, Any]  # arguments of `Outcomes`


def parts(table: Any, features: Any) -> Parts:
    """The arguments of `Outcomes` that a table of results and one of task features stand for."""
    if isinstance(table, np.ndarray):
        found = _of_matrix(table)
    else:
        columns = tables.read(table)
        long = "task" in columns
        found = _of_long(columns, features is None) if long else _of_wide(columns)
    if not found["rollouts"].any():
        raise ValueError("no agent tried any task: the table holds no result")
    if features is not None:
        found |= _of_features(features, found.get("tasks"), found["successes"].shape[1])
    return found


# -- long tables: a row for each pair or attempt ---------------------------------------------------


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
        rollouts = tables.amounts(columns.pop("rollouts"), "rollouts", whole=True)
        found = {"successes": _placed(successes, pair, shape)}
        found["rollouts"] = _placed(rollouts, pair, shape)
    else:
        found = _added_up(tables.scores(columns.pop(score), score), pair, shape)
    if columns and not with_features:
        raise ValueError(
            f"unknown column {next(iter(columns))!r} in the table of results: the features of the"
            " tasks are in a table of their own"
        )
    named: Parts = {"agents": agents, "tasks": tasks}
    if columns:
        named["features"] = _once_a_task(columns, task, tasks)
        named["feature_names"] = tuple(columns)
    return found | named


def _score_column(columns: Columns) -> str:
    present = [name for name in SCORES if name in columns]
    if len(present) != 1:
        told = f"both {present[0]!r} and {present[1]!r}" if present else "no column of results"
        raise ValueError(
            f"the table has {told}; expected successes and rollouts, or one of"
            f" {', '.join(SCORES)}; it has: {', '.join(columns)}"
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
        f"row {row} repeats {agents[agent]} on {tasks[task]};"
        " each pair of agent and task has one row"
    )


def _placed(values: NDArray[Any], pair: NDArray[np.int64], shape: tuple[int, int]) -> NDArray[Any]:
    table = np.zeros(shape, values.dtype)
    table.ravel()[pair] = values
    return table


def _added_up(score: NDArray[np.float64], pair: NDArray[np.int64], shape: tuple[int, int]) -> Parts:
    """Every score is one attempt; one that is missing never was."""
    tried = ~np.isnan(score)
    if not tried.all():
        score, pair = score[tried], pair[tried]
    cells = shape[0] * shape[1]
    return {
        "successes": np.bincount(pair, score, cells).reshape(shape),
        "rollouts": np.bincount(pair, minlength=cells).reshape(shape),
    }


def _once_a_task(
    columns: Columns, task: NDArray[np.int64], names: NDArray[np.str_]
) -> NDArray[np.float64]:
    """Features as one row a task; a task must have the same values in all its rows."""
    rows = tables.features(columns)
    found = np.zeros((len(names), rows.shape[1]))
    found[task] = rows
    for column, name in enumerate(columns):
        differs = found[task, column] != rows[:, column]
        if differs.any():
            row = int(differs.argmax())
            raise ValueError(
                f"the feature {name!r} of {names[task[row]]} differs from row to row (row {row})"
            )
    return found


# -- wide tables: a row for each agent, a column for each task -------------------------------------


def _of_wide(columns: Columns) -> Parts:
    long_names = [name for name in (*COUNTS, *SCORES) if name in columns]
    if long_names or next(iter(columns)) != "agent" or len(columns) < 2:
        raise ValueError(
            "a table of results has the columns agent and task and results, or a column agent and"
            f" then a column for each task; this one has no column 'task' and has:"
            f" {', '.join(list(columns)[:10])}"
        )
    agents, agent = tables.codes(columns.pop("agent"), "agent")
    rows = np.column_stack([tables.scores(values, task) for task, values in columns.items()])
    order = np.argsort(agent, kind="stable")  # rows of one agent side by side
    first = np.searchsorted(agent[order], np.arange(len(agents)))
    found = {
        name: np.add.reduceat(table[order], first, axis=0, dtype=np.float64)
        for name, table in _attempts(rows).items()
    }
    return {**found, "agents": agents, "tasks": np.array(list(columns), np.str_)}


def _attempts(scores: NDArray[np.float64]) -> Parts:
    """Every score is one attempt; a pair that was never tried has none."""
    tried = ~np.isnan(scores)
    return {"successes": np.where(tried, scores, 0.0), "rollouts": tried.astype(np.uint8)}


def _of_matrix(table: NDArray[Any]) -> Parts:
    if table.ndim != 2 or not table.size:
        raise ValueError(
            "an array of results must be agents x tasks with at least one of each;"
            f" got an array of shape {table.shape}"
        )
    if table.dtype.kind not in "biuf":
        raise ValueError(f"an array of results must hold numbers from 0 to 1, not {table.dtype}")
    scores = table.astype(np.float64)
    wrong = (scores < 0) | (scores > 1)
    if wrong.any():
        agent, task = np.argwhere(wrong)[0]
        raise ValueError(
            f"the score of agent {agent} on task {task} is {scores[agent, task]}, expected a"
            " number from 0 to 1 (or NaN where it was never tried)"
        )
    return _attempts(scores)


# -- features in a table of their own --------------------------------------------------------------


def _of_features(table: Any, tasks: NDArray[np.str_] | None, count: int) -> Parts:
    """Features of these tasks in their order; tasks of a matrix have no names, only an order."""
    if isinstance(table, np.ndarray):
        if tasks is not None:
            raise TypeError("the features of named tasks are a table with a column task")
        return {"features": table}
    columns = tables.read(table)
    tables.require(columns, ["task"])
    names, row = tables.codes(columns.pop("task"), "task")
    if not columns:
        raise ValueError("the table of features has no column besides 'task'")
    if len(names) < len(row):
        repeated = names[row[np.bincount(row)[row] > 1][0]]
        raise ValueError(f"the table of features has several rows for the task {str(repeated)!r}")
    wanted = np.char.add("task-", np.arange(count).astype(np.str_)) if tasks is None else tasks
    _refuse_strangers(wanted, names, "the table of features has no row for the task")
    _refuse_strangers(names, wanted, "the table of results says nothing of the task")
    order = np.argsort(names)[np.searchsorted(np.sort(names), wanted)]
    return {"features": tables.features(columns)[order], "feature_names": tuple(columns)}


def _refuse_strangers(names: NDArray[np.str_], known: NDArray[np.str_], sentence: str) -> None:
    strangers = names[~np.isin(names, known)]
    if len(strangers):
        more = f" (and {len(strangers) - 1} more)" if len(strangers) > 1 else ""
        raise ValueError(f"{sentence} {str(strangers[0])!r}{more}")

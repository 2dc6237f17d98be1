"""Tables of results: counts, single attempts, or one score or return per agent and task."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.outcomes import labels, tables
from taskspace.outcomes.about_tables import add_labels, with_features
from taskspace.outcomes.attempts import Attempts, Parts, Returns, Scores
from taskspace.outcomes.columns import (
    AGENTS,
    TASKS,
    UNNAMED,
    Columns,
    Roles,
    find_roles,
    is_lower,
    is_numeric,
    listed,
    recognised,
    unclear,
)
from taskspace.outcomes.summaries import summaries
from taskspace.outcomes.table_doubts import (
    warn_of_descriptions,
    warn_of_low_tasks,
    warn_of_merged_tasks,
    warn_of_repeated_agents,
    warn_of_similar_names,
    warn_of_summaries,
)
from taskspace.outcomes.table_rows import BadRow, located

MAX_SCORE = "max_score"  # the key of `info` of what scores were divided by, unless it is 1
_VARIES = "differs between rows of one task and of one agent"
_NO_TEXT = "neither text nor numbers"


def _is_matrix(table: Any) -> bool:
    """Whether a table is a list of rows, which stands for an array."""
    listed = isinstance(table, (list, tuple)) and len(table) > 0
    return listed and all(isinstance(row, (list, tuple, np.ndarray)) for row in table)


def parts(
    table: Any,
    *,
    features: Any = None,
    tasks: Any = None,
    agents: Any = None,
    given: dict[str, str | None],
    max_score: float = 1,
    returns: bool = False,
    best: Any = None,
) -> Parts:
    """The arguments of `Outcomes` from a table of results and tables about tasks and agents.

    `given` are the columns that the user has named as `agent`, `task` and `score`. With `returns`,
    they are the arguments of `Outcomes.from_returns`, and no attempt may exceed `best`.
    """
    attempts = _attempts(max_score, returns, best)
    wanted, tasks, rows = _inputs(features, tasks)
    if _is_matrix(table):
        table = checks.real(table, "the table")  # None is a pair that was never tried
    if isinstance(table, np.ndarray):
        _refuse_columns(given)
        found = _of_matrix(table, attempts)
    else:
        if rows is not None:
            raise TypeError(
                "the features of named tasks must be names of columns or a table with a column"
                " task, got an array"
            )
        text = [name for name in (given["agent"], given["task"]) if name is not None]
        columns = _without_row_numbers(tables.read(table, text), given)
        summed = _summaries(columns, given)
        columns = {name: values for name, values in columns.items() if name not in summed}
        roles = find_roles(columns, given, returns)
        of_form = _of_wide if roles.task is None else _of_long
        with located(table):
            found = of_form(columns, roles, attempts)
        found["info"]["columns"]["unused"] |= summed
    if not found["rollouts"].any():
        raise ValueError(
            "the table must have at least one result, got none; no agent tried any task"
        )
    if max_score != 1:
        found["info"][MAX_SCORE] = float(max_score)
    rates = _mean_results(found)
    warn_of_low_tasks(found["tasks"].tolist(), rates, max_score)
    for what, rows_of in (("agent", rates), ("task", rates.T)):
        names = found[f"{what}s"].tolist()
        warn_of_similar_names(names, what)
        warn_of_summaries(names, what, rows_of)
    if tasks is not None:
        holder = "the table of features" if wanted is None else "the table about tasks"
        add_labels(found, tasks, "task", holder)
    if agents is not None:
        add_labels(found, agents, "agent", "the table about agents")
    return with_features(found, wanted, rows)


def _mean_results(found: Parts) -> NDArray[np.float64]:
    """The mean score or return of each pair; NaN for pairs that were never tried."""
    if "returns" in found:
        return np.asarray(found["returns"], np.float64)
    with np.errstate(invalid="ignore"):
        return np.true_divide(found["successes"], found["rollouts"])


def _attempts(max_score: float, returns: bool, best: Any) -> Attempts:
    most = check_max_score(max_score, returns)
    return Returns(best) if returns else Scores(most)


def max_score_of(info: Mapping[str, Any]) -> float:
    """The highest score of results that have this `info`; their scores were divided by it."""
    return float(info.get(MAX_SCORE, 1))


def check_max_score(value: Any, returns: bool) -> float:
    """Return the highest possible score, a positive number; 1 for returns."""
    is_number = checks.is_integer(value) or isinstance(value, (float, np.floating))
    if not is_number or not 0 < value < math.inf:
        raise ValueError(f"max_score must be a positive number, got {checks.brief(value)}")
    if returns and value != 1:
        raise ValueError(f"max_score must be 1 for returns, which are not divided, got {value:g}")
    return float(value)


def _refuse_columns(given: dict[str, str | None]) -> None:
    for option, name in given.items():
        if name is not None:
            raise ValueError(
                f"{option} must be None for an array, which has no named columns, got"
                f" {checks.brief(name)}"
            )


def _inputs(features: Any, tasks: Any) -> tuple[list[str] | None, Any, NDArray[Any] | None]:
    """The names of the features, the table about tasks, and features that are an array.

    Features in a table are all its numeric columns; the names are then None.
    """
    if isinstance(features, np.ndarray) and features.dtype.kind not in "US":
        return [], tasks, features
    if features is None:
        return [], tasks, None
    is_file = isinstance(features, os.PathLike) or (
        isinstance(features, str) and Path(features).suffix.lower() in (".csv", ".parquet")
    )
    if isinstance(features, str) and not is_file:
        return [name.strip() for name in features.split(",")], tasks, None
    if isinstance(features, (list, tuple)) and all(isinstance(name, str) for name in features):
        return list(features), tasks, None
    if tasks is not None:
        raise ValueError(
            "features must be names of columns if there is a table about tasks, got a table"
        )
    return None, features, None


def _without_row_numbers(columns: Columns, given: dict[str, str | None]) -> Columns:
    """Leave out an unnamed column of row numbers, unless it names the agents.

    Numbers name agents if there is one column per task, or if an agent has several rows.
    """
    index = columns.get(UNNAMED)
    if index is None:
        return columns
    try:
        names, row = tables.codes(index, "row number")
    except BadRow:  # it has empty cells
        return columns
    if not all(name.isdecimal() for name in names.tolist()):
        return columns
    others_name_agents = given["agent"] is not None or recognised(columns, AGENTS)
    long = given["task"] is not None or recognised(columns, TASKS)
    if not others_name_agents and not (long and len(names) == len(row)):
        return columns
    return {name: values for name, values in columns.items() if name != UNNAMED}


def _summaries(columns: Columns, given: dict[str, str | None]) -> dict[str, str]:
    """The columns of a table with one column per task that summarise the others."""
    if given["task"] is not None or given["score"] is not None or recognised(columns, TASKS):
        return {}
    about = {next(iter(columns)), given["agent"], *recognised(columns, AGENTS)}
    results = {
        name: tables.numbers(values, name, "numbers").astype(np.float64)
        for name, values in columns.items()
        if name not in about and is_numeric(values)
    }
    return summaries(results)


# -- long tables: one row per pair or attempt ------------------------------------------------------


def _of_long(columns: Columns, roles: Roles, attempts: Attempts) -> Parts:
    assert roles.task is not None
    agents, agent = tables.codes(columns[roles.agent], "agent")
    tasks, task = tables.codes(columns[roles.task], "task")
    pair, shape = agent * len(tasks) + task, (len(agents), len(tasks))
    # One number for successes or returns, and one for rollouts
    checks.fits_memory(16 * shape[0] * shape[1], f"{len(agents):,} agents x {len(tasks):,} tasks")
    by_role = roles.counts if roles.score is None else {"score": roles.score, **roles.counts}
    results = tuple(by_role.values())
    if roles.counts:
        _refuse_repeats(pair, agents, tasks)
        counted = {role: columns[name] for role, name in by_role.items()}
        found = attempts.of_counts(counted, pair, shape)
    else:
        assert roles.score is not None
        read = attempts.read(columns[roles.score], roles.score)
        _refuse_lower(roles.score, read)
        attempts.check_scales(read, agent, agents)
        found = attempts.added_up(read, pair, shape)
    others = {
        name: values
        for name, values in columns.items()
        if name not in (roles.agent, roles.task, *results, UNNAMED)
    }
    said = _labels(others, agent, task, shape)
    unsure = recognised(said["unused"], TASKS)
    if unsure:
        raise unclear(columns, roles, f"{unsure[0]!r} beside {roles.task!r}")
    if not roles.counts:
        warn_of_merged_tasks(others, roles.task, pair, task)
    info = {"agent": roles.agent, "task": roles.task, "score": list(results)}
    return found | {
        "agents": agents,
        "tasks": tasks,
        "task_labels": said["task"],
        "agent_labels": said["agent"],
        "info": {"columns": {**info, "unused": said["unused"]}},
    }


def _refuse_lower(name: str, results: NDArray[np.float64]) -> None:
    """Refuse results of which less is better, by the name of their column, unless negated."""
    if is_lower(name) and np.nanmax(results, initial=0) > 0:
        raise ValueError(
            f"the results must be better if higher, got the column {name!r}, which is lower for"
            " better agents; negate it (with returns=True, --returns), or rename it if higher is"
            " better"
        )


def _labels(
    columns: Columns, agent: NDArray[np.int64], task: NDArray[np.int64], shape: tuple[int, int]
) -> dict[str, dict[str, Any]]:
    """The labels of tasks and of agents, and why other columns are unused."""
    found: dict[str, dict[str, Any]] = {"task": {}, "agent": {}, "unused": {}}
    for name, column in columns.items():
        try:
            values = labels.values_of(column)
        except ValueError:
            found["unused"][name] = _NO_TEXT
            continue
        several = not recognised([name], TASKS)  # which could be the tasks themselves
        for what, owner, count, joined in (
            ("task", task, shape[1], False),
            ("agent", agent, shape[0], False),
            ("task", task, shape[1], several),
        ):
            label = labels.per_owner(values, owner, count, several=joined)
            if label is not None:
                found[what][name] = label
                break
        else:
            found["unused"][name] = _VARIES
    return found


def _refuse_repeats(
    pair: NDArray[np.int64], agents: NDArray[np.str_], tasks: NDArray[np.str_]
) -> None:
    _, first = np.unique(pair, return_index=True)
    if len(first) == len(pair):
        return
    row = int(np.setdiff1d(np.arange(len(pair)), first)[0])
    agent, task = divmod(int(pair[row]), len(tasks))
    raise BadRow(
        "the table must have one row per pair of agent and task,"
        f" got {agents[agent]} on {tasks[task]} again",
        row,
    )


# -- wide tables: one row per agent, one column per task -------------------------------------------


def _of_wide(columns: Columns, roles: Roles, attempts: Attempts) -> Parts:
    agents, agent = tables.codes(columns[roles.agent], "agent")
    others = {name: values for name, values in columns.items() if name != roles.agent}
    tasks = {name: values for name, values in others.items() if not _is_label(name, values)}
    if not tasks:
        raise ValueError(
            "the columns of tasks must have numbers, or true and false, got only text in"
            f" {listed(others)}"
        )
    if UNNAMED in tasks:
        raise ValueError("every column of the table must have a name, got one without a name")
    said = {name: labels.values_of(values) for name, values in others.items() if name not in tasks}
    about = {name: labels.per_owner(values, agent, len(agents)) for name, values in said.items()}
    for name, label in about.items():
        if label is None:
            raise unclear(columns, roles, f"different texts in {name!r} for one agent")
    read = {name: attempts.read(values, name) for name, values in tasks.items()}
    warn_of_descriptions(read)
    rows = np.column_stack(list(read.values()))
    warn_of_repeated_agents(agents, agent)
    return _per_pair(rows, agent, agents, attempts) | {
        "agents": agents,
        "tasks": np.array(list(tasks), np.str_),
        "task_labels": {},
        "agent_labels": about,
        "info": {"columns": {"agent": roles.agent, "task": None, "score": [], "unused": {}}},
    }


def _is_label(name: str, values: Any) -> bool:
    """Whether a column of a wide table is about agents: text of which nothing reads as a number."""
    if is_numeric(values):
        return False
    try:
        texts = labels.values_of(values)
    except ValueError as error:
        raise ValueError(f"the column {name!r} {error}") from error
    return not any(tables.reads_as_number(text) for text in texts.tolist())


def _per_pair(
    rows: NDArray[np.float64],
    agent: NDArray[np.int64],
    agents: NDArray[np.str_],
    attempts: Attempts,
) -> Parts:
    """The results of rows of one result per task, of which an agent may have several."""
    count = rows.shape[1]
    attempts.check_scales(rows.ravel(), np.repeat(agent, count), agents)
    pair = (agent[:, None] * count + np.arange(count)).ravel()
    return attempts.added_up(rows.ravel(), pair, (len(agents), count))


def _of_matrix(table: NDArray[Any], attempts: Attempts) -> Parts:
    table = checks.array(table, "an array of results")
    if table.ndim != 2 or not table.size:
        raise ValueError(
            "an array of results must be agents x tasks with at least one of each,"
            f" got an array of shape {table.shape}"
        )
    if table.dtype.kind not in "biuf":
        raise ValueError(
            f"an array of results must have {attempts.expected}, got type {table.dtype}"
        )
    rows, agents = attempts.check(table.astype(np.float64)), _numbered("agent", len(table))
    return _per_pair(rows, np.arange(len(table)), agents, attempts) | {
        "agents": agents,
        "tasks": _numbered("task", table.shape[1]),
        "task_labels": {},
        "agent_labels": {},
        "info": {},
    }


def _numbered(what: str, count: int) -> NDArray[np.str_]:
    return np.char.add(f"{what}-", np.arange(count).astype(np.str_))

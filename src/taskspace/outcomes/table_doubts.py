"""What a table may not mean: rows that count as attempts, and names that look the same."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.outcomes import labels, tables
from taskspace.outcomes.columns import Columns, recognised
from taskspace.outcomes.names import looking_the_same
from taskspace.outcomes.score_scales import FEWEST_TELLING
from taskspace.outcomes.summaries import FEWEST, NAMES, summaries

# Columns that number the attempts of a pair, and say nothing about the task.
_ATTEMPTS = (
    "attempt", "attempts", "attempt id", "attempt number", "trial", "try", "run", "run id", "epoch",
    "rep", "repeat", "repetition", "replicate", "iteration", "seed", "rollout", "episode",
    "time", "timestamp", "date",
)  # fmt: skip
# Columns of numbers that describe agents, in a table with one column per task.
_ABOUT_AGENTS = (
    "id", "no", "nr", "number", "index", "row", "age", "gender", "sex", "year", "group", "class",
    "section", "cohort", "semester", "rank",
)  # fmt: skip
_MOST_SEARCHED = 10**6  # results of a table that is searched for summaries
_STACK = 5  # frames to the caller of `Outcomes.from_table`


def warn_of_similar_names(names: list[str], what: str) -> None:
    """Tell about names that look the same, as people type them."""
    pairs = looking_the_same(names)
    if pairs:
        one, other = pairs[0]
        more = f" (and {len(pairs) - 1} more such pairs)" if len(pairs) > 1 else ""
        warnings.warn(
            f"the {what}s {one!r} and {other!r} look the same, but count as two{more}; correct the"
            " table if they are one",
            UserWarning,
            stacklevel=_STACK,
        )


def warn_of_summaries(names: list[str], what: str, rates: NDArray[np.float64]) -> None:
    """Tell about agents or tasks that summarise the others, by name or by their results.

    `rates` has one row per agent or task; large tables are not searched by results.
    """
    named = dict.fromkeys(recognised(names, NAMES), "is called like a summary of the others")
    if rates.size <= _MOST_SEARCHED:
        found = summaries(dict(zip(names, rates, strict=True)))
        named |= {
            name: f"has {why.replace(' columns', 's')} as results" for name, why in found.items()
        }
    if named and len(names) > 1:
        name, why = next(iter(named.items()))
        warnings.warn(
            f"{name!r} counts as {'an agent' if what == 'agent' else 'a task'}, but"
            f" {why}; remove it from the table if it is a summary",
            UserWarning,
            stacklevel=_STACK,
        )


def warn_of_low_tasks(names: list[str], rates: NDArray[np.float64], most: float) -> None:
    """Tell about tasks on which no score exceeds 1: their highest score may be 1.

    `rates` are scores divided by `most` (agents, tasks).
    """
    highest = np.nan_to_num(rates).max(0)
    tried = (~np.isnan(rates)).sum(0) >= FEWEST_TELLING
    low = np.flatnonzero(tried & (highest > 0) & (highest <= 1 / most))
    if most > 1 and len(low):
        more = f" (and {len(low) - 1} more)" if len(low) > 1 else ""
        warnings.warn(
            f"no score on the task {names[low[0]]!r}{more} exceeds 1, while scores go up to"
            f" {most:g}, by which all are divided; bring tasks to one scale if they have different"
            " highest scores",
            UserWarning,
            stacklevel=_STACK,
        )


def warn_of_descriptions(tasks: Mapping[str, NDArray[np.float64]]) -> None:
    """Tell about columns of numbers that count as tasks, but may describe the agents."""
    found = recognised(tasks, _ABOUT_AGENTS)
    found += [name for name, values in tasks.items() if _numbers_rows(values)]
    if found:
        warnings.warn(
            f"the column {found[0]!r} counts as a task; if it describes the agents, put it into a"
            " table about agents (agents=, --agents)",
            UserWarning,
            stacklevel=_STACK,
        )


def _numbers_rows(values: NDArray[np.float64]) -> bool:
    """Whether a column goes up by the same step from row to row, as row numbers do."""
    steps = np.diff(values)
    return len(values) >= FEWEST and bool((steps > 0).all() and np.ptp(steps) < 1e-9)


def warn_of_repeated_agents(agents: NDArray[np.str_], agent: NDArray[np.int64]) -> None:
    """Tell about agents with several rows in a table with one column per task."""
    repeated = agents[np.bincount(agent) > 1]
    if len(repeated):
        have = "agent has" if len(repeated) == 1 else "agents have"
        warnings.warn(
            f"{len(repeated)} {have} several rows, which count as repeated attempts, e.g."
            f" {str(repeated[0])!r}; correct the names if these are different agents, and give"
            " repeated attempts as one row per agent, task and attempt",
            UserWarning,
            stacklevel=_STACK,
        )


def warn_of_merged_tasks(
    columns: Columns, task: str, pair: NDArray[np.int64], tasks: NDArray[np.int64]
) -> None:
    """Tell about a column that distinguishes all rows of a pair: it may be part of the task.

    `columns` are those that are neither names nor results; `task` is the column of the tasks, of
    which each row has its `pair` and the number of its task.
    """
    repeated = np.bincount(pair)[pair] > 1
    if not repeated.any():
        return
    for name, column in columns.items():
        if recognised([name], _ATTEMPTS):
            continue
        try:
            values = labels.values_of(column)[repeated]
        except ValueError:  # neither text nor numbers
            continue
        if _separates(pair[repeated], tasks[repeated], values):
            warnings.warn(
                f"the rows of one agent and one task count as attempts, but all of them differ in"
                f" the column {name!r}; if these are different tasks, put both {name!r} and"
                f" {task!r} into the task's name",
                UserWarning,
                stacklevel=_STACK,
            )
            return


def _separates(pair: NDArray[np.int64], task: NDArray[np.int64], values: NDArray[Any]) -> bool:
    """Whether values differ within each pair and recur among agents, unlike dates, e.g."""
    value = np.unique(values.astype(str), return_inverse=True)[1]
    width = int(value.max()) + 1
    distinct = len(np.unique(pair * width + value))
    return distinct == len(pair) and 2 * len(np.unique(task * width + value)) <= len(pair)


def warn_of_shared_pairs(
    columns: Columns, names: tuple[str, str], sizes: list[int], files: list[str]
) -> None:
    """Tell about pairs with results in two tables that are read as one.

    `names` are the columns of agents and tasks; `sizes` are the numbers of rows of the tables.
    """
    agents, agent = tables.codes(columns[names[0]], "agent")
    tasks, task = tables.codes(columns[names[1]], "task")
    file = np.repeat(np.arange(len(sizes)), sizes)
    each = np.unique((agent * len(tasks) + task) * len(files) + file)
    pair, file = np.divmod(each, len(files))
    again = np.flatnonzero(pair[1:] == pair[:-1])
    if not len(again):
        return
    which, on = divmod(int(pair[again[0]]), len(tasks))
    one, other = files[file[again[0]]], files[file[again[0] + 1]]
    more = f" (and so do {len(again) - 1:,} more)" if len(again) > 1 else ""
    warnings.warn(
        f"the results of {str(agents[which])!r} on {str(tasks[on])!r} in {one} and {other} count as"
        f" attempts at one task{more}; if these are different tasks, give them different names",
        UserWarning,
        stacklevel=_STACK,
    )

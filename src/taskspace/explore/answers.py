"""Answers about tasks and agents as plain values, for the page's data and for the HTTP API."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace.applications.abilities import Abilities
from taskspace.applications.agent_comparison import AgentComparison
from taskspace.applications.answers import Unanswered, note_on_test
from taskspace.applications.diagnosis import Diagnosis
from taskspace.applications.redundancy import Redundancy
from taskspace.applications.scores import Scores
from taskspace.applications.subset import Subset

if TYPE_CHECKING:
    from taskspace.runs.run import Run

MOST_PAIRS = 1000  # of near-copies, the surest first
MOST_TASKS = 100  # of a comparison of two agents, the largest differences first
MOST_GROUP_SCORES = 500_000  # on the page, of all agents


def answers_of(run: Run) -> dict[str, Any]:
    """What the run knows about its agents and, if it is of a table of successes, about its tasks.

    An answer that the run does not have is an object with the `reason`.
    """
    shown: dict[str, tuple[Any, Callable[[Any], dict[str, Any]]]] = {
        "agents": (run.abilities, _abilities_of_page),
        "doctor": (run.diagnosis, diagnosis_values),
    }
    of_tasks = run.from_table and run.outcomes.scale is None
    if of_tasks:
        shown["redundant"] = (run.redundancy, redundancy_values)
        shown["subset"] = (run.short_test, subset_values)
    plain_values = {
        name: {"reason": found.reason} if isinstance(found, Unanswered) else values(found)
        for name, (found, values) in shown.items()
    }
    if of_tasks:
        plain_values["subset"]["note"] = note_on_test(run.outcomes)
    return plain_values


def redundancy_values(found: Redundancy) -> dict[str, Any]:
    """Near-copies: a summary, the groups, and the surest pairs."""
    names = (
        "first", "second", "group", "confirmed", "agreement", "expected", "excess", "low", "high",
        "correlation", "bits", "agents",
    )  # fmt: skip
    return {
        "summary": f"{found.summary}.",
        "groups": [list(group) for group in found.groups],
        "pairs": rows({name: getattr(found, name)[:MOST_PAIRS] for name in names}),
        "threshold": found.threshold,
        "level": found.level,
    }


def subset_values(found: Subset) -> dict[str, Any]:
    """A short test: its tasks, the formula of its scores, and the errors to expect."""
    comparison = found.comparison
    return {
        "verdict": found.verdict,
        "tasks": found.tasks.tolist(),
        "success": plain(found.success),
        "scores": [
            {"name": str(name), "intercept": float(intercept), "weights": weights.tolist()}
            for name, intercept, weights in zip(
                found.names, found.intercepts, found.weights, strict=True
            )
        ],
        "errors": rows({
            "method": comparison.methods, "tasks": comparison.sizes, "error": comparison.errors,
            "standard_error": comparison.standard_errors,
        }),
        "near_copies": [list(pair) for pair in found.near_copies],
    }  # fmt: skip


def abilities_values(found: Abilities) -> dict[str, Any]:
    """The agents, the highest score first."""
    columns = found.columns
    names = [
        name
        for name in columns
        if not name.startswith("score:")  # of groups, which are too many
    ]
    return {
        "summary": f"{found.summary}.",
        "by": found.by,
        "level": found.level,
        "agents": rows({name: columns[name] for name in names}),
    }


def _abilities_of_page(found: Abilities) -> dict[str, Any]:
    """The same, and the scores of each agent by group, in the order of the outcomes."""
    few = found.group_scores.size <= MOST_GROUP_SCORES
    by_group = {
        "names": found.groups.tolist(),
        "scores": np.nan_to_num(found.group_scores).astype(np.float32),
        "expected": np.nan_to_num(found.group_expected).astype(np.float32),
        "tried": found.group_tried.astype(np.int32),
        "marked": found.marked.astype(np.int32),
    }
    return {**abilities_values(found), "groups": by_group if few and len(found.groups) else None}


def diagnosis_values(found: Diagnosis) -> dict[str, Any]:
    """A diagnosis of the population: the verdict, the advice, and the figures."""
    return {
        "verdict": found.verdict,
        "advice": list(found.advice),
        "sample": found.sample,
        "figures": rows(found.columns),
    }


def comparison_values(found: AgentComparison) -> dict[str, Any]:
    """Two agents side by side: by group, and the tasks on which they differ most."""
    differ = found.first_results != found.second_results
    tasks = {name: column[differ][:MOST_TASKS] for name, column in found.task_columns.items()}
    return {
        "summary": f"{found.summary}.",
        "by": found.by,
        "groups": rows(found.columns),
        "tasks": rows(tasks),
        "different": int(differ.sum()),
    }


def score_values(found: Scores) -> dict[str, Any]:
    """Full scores with their intervals, one per group of tasks."""
    columns = found.columns
    columns.pop("plain")
    return {
        "level": found.level,
        "warning": found.warning or None,
        "groups": rows({"name": columns.pop("group"), **columns}),
    }


def rows(columns: dict[str, NDArray[Any]]) -> list[dict[str, Any]]:
    """Columns as one object per row; missing numbers are None.

    >>> rows({"task": np.array(["a", "b"]), "score": np.array([0.5, np.nan])})
    [{'task': 'a', 'score': 0.5}, {'task': 'b', 'score': None}]
    """
    values = [plain(column) for column in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]


def plain(column: NDArray[Any]) -> list[Any]:
    """A column as a list, rounded to six digits; missing numbers are None."""
    if column.dtype.kind != "f":
        return list(column.tolist())
    return [None if np.isnan(value) else round(float(value), 6) for value in column]

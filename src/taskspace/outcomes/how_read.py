"""What the user is told about how results were read: files, columns, labels and attempts."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from taskspace.outcomes.labels import Labels
from taskspace.outcomes.outcomes import Outcomes
from taskspace.outcomes.readers.read import READING


def how_read(outcomes: Outcomes) -> list[str]:
    """Which files were read as what, and what the columns of a table were taken for.

    >>> table = {"student": ["a", "b"], "question": ["q", "q"], "correct": [1, 0]}
    >>> how_read(Outcomes.from_table(table))
    ["agents: column 'student'; tasks: column 'question'; results: 'correct'"]
    """
    columns, read = outcomes.info.get("columns"), outcomes.info.get(READING, [])
    if columns is None:
        return [*read, *_labels_of(outcomes)] if read else []
    agent = f"column {columns['agent']!r}" if columns["agent"] else "the unnamed column"
    if columns["task"] is None:
        lines = [f"agents: {agent}; tasks: the other columns of numbers"]
    else:
        found = " and ".join(map(repr, columns["score"]))
        what = "results" if outcomes.scale is None else "returns"
        lines = [f"agents: {agent}; tasks: column {columns['task']!r}; {what}: {found}"]
    # Counts are in a column of their own.
    if len(columns["score"]) < 2 and outcomes.rollouts.max() > 1:
        lines.append(f"attempts per pair: up to {outcomes.rollouts.max()}, one per row")
    if outcomes.feature_names:
        lines.append(f"features, which the map learns from: {', '.join(outcomes.feature_names)}")
    lines += _labels_of(outcomes)
    lines += [f"not used: {name} ({reason})" for name, reason in columns["unused"].items()]
    return [*read, *lines]


def _labels_of(outcomes: Outcomes) -> list[str]:
    both = {"tasks": outcomes.task_labels, "agents": outcomes.agent_labels}
    return [f"labels of {what}: {_listed(labels)}" for what, labels in both.items() if labels]


def _listed(labels: Labels) -> str:
    return ", ".join(
        f"{name} ({'numbers' if values.dtype.kind == 'f' else _count(values)})"
        for name, values in labels.items()
    )


def _count(values: NDArray[Any]) -> str:
    known = [value for value in values.tolist() if value]
    count, empty = len(set(known)), len(values) - len(known)
    return f"{count} value{'' if count == 1 else 's'}" + (f", {empty} empty" if empty else "")

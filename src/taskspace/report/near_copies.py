"""The part of a summary about near-copies: pairs of tasks that measure the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from taskspace.applications.answers import Unanswered
from taskspace.report import html
from taskspace.report.examples import task_name
from taskspace.report.words import count, listed, percent

if TYPE_CHECKING:
    from taskspace.applications.redundancy import Redundancy
    from taskspace.runs.run import Run

MOST_PAIRS = 3  # that are named


def sections(run: Run) -> list[html.Section]:
    """Pairs of tasks of a table that measure the same; an environment's tasks are samples."""
    heading = "Near-copies"
    if not run.from_table:
        return []
    if run.outcomes.scale is not None:
        why = "Near-copies are not looked for among returns; they need results from 0 to 1."
        return [html.Text([why], heading=heading)]
    found = run.redundancy
    if isinstance(found, Unanswered):
        why = f"Pairs that are near-copies cannot be told: {found.reason}"
        return [html.Text([why], heading=heading)]
    return [html.Text(_copies(found), heading=heading)]


def _copies(found: Redundancy) -> list[str]:
    sure = np.flatnonzero(found.confirmed)
    if not len(sure):
        return [f"No pair of tasks could be shown to be near-copies. {_undecided(found)}".strip()]
    pairs = [
        f"{task_name(found.first[pair])} and {task_name(found.second[pair])} (the same result for"
        f" {percent(found.agreement[pair])} of the agents; expected:"
        f" {percent(found.expected[pair])})"
        for pair in sure[:MOST_PAIRS]
    ]
    are = "pair of tasks consists of" if len(sure) == 1 else "pairs of tasks are"
    surest = ", the surest" if len(sure) > len(pairs) else ""
    told = (
        f"{len(sure):,} {are} near-copies{surest}: {listed(pairs)}. Expected is what tasks would"
        " have that share only the skills of the agents."
    )
    cost = (
        f"Without the {count(len(found.left_out), 'task')} that could be left out, the agents'"
        f" scores change by {100 * found.mean_change:.1f} percentage points on average."
    )
    return [f"{told} {_undecided(found)}".strip(), *([cost] if len(found.left_out) else [])]


def _undecided(found: Redundancy) -> str:
    """How many pairs the results cannot decide on."""
    left = found.n_pairs - found.n_showable
    if not left:
        return ""
    if not found.n_showable:
        return (
            f"These results cannot decide on any of {count(found.n_pairs, 'pair')}: too few agents"
            " tried both tasks, or nearly all have the same result."
        )
    return (
        f"Of {count(found.n_pairs, 'pair')}, these results can decide on {found.n_showable:,}: on"
        " the others, too few agents tried both tasks, or nearly all have the same result."
    )

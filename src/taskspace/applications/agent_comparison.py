"""Two agents side by side: their results on the tasks that both tried, by label and by task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.applications.abilities import groups_of
from taskspace.outcomes.html_tables import html_table
from taskspace.outcomes.names import plural
from taskspace.outcomes.outcomes import Outcomes

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

ALL_TASKS = "all tasks"
ERROR = 0.05  # probability that any difference is marked by chance


@dataclass(frozen=True, eq=False)
class AgentComparison:
    """Two agents side by side; see `compare_agents`.

    Arrays about groups have one entry for all tasks first, then one per group. Arrays about tasks
    have one entry per task that both tried, the largest difference first. Of returns, results are
    normalised ones, from 0 to 1.

    Attributes:
        first: The name of the first agent.
        second: The name of the second agent.
        by: The label that groups the tasks, "cluster", or "" if there is none.
        groups: "all tasks", and the values of the label.
        n_tasks: The number of tasks of each group that both tried.
        first_scores: The mean result of the first agent on them; NaN if there are none.
        second_scores: The mean result of the second agent on them.
        p_values: The probability of as many tasks on which the same agent is better, if the two
            were equal on each task (sign test, both directions).
        marked: 1 where the first agent is better by more than chance, -1 where the second is, and 0
            where the difference may be chance.
        tasks: The names of the tasks.
        first_results: The results of the first agent.
        second_results: The results of the second agent.
    """

    first: str
    second: str
    by: str
    groups: NDArray[np.str_]
    n_tasks: Numbers
    first_scores: Floats
    second_scores: Floats
    p_values: Floats
    marked: NDArray[np.int8]
    tasks: NDArray[np.str_]
    first_results: Floats
    second_results: Floats

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The table of groups."""
        better = np.array([self.second, "", self.first], object)[self.marked + 1]
        return {
            "group": self.groups,
            "tasks": self.n_tasks,
            "first": self.first_scores,
            "second": self.second_scores,
            "difference": self.first_scores - self.second_scores,
            "p": self.p_values,
            "better": better,
        }

    @property
    def task_columns(self) -> dict[str, NDArray[Any]]:
        """The table of tasks, the largest difference first."""
        return {
            "task": self.tasks,
            "first": self.first_results,
            "second": self.second_results,
            "difference": self.first_results - self.second_results,
        }

    @property
    def summary(self) -> str:
        """Where the two differ, in a sentence."""
        both = (
            f"{plural(int(self.n_tasks[0]), 'task')} that both {self.first} and {self.second} tried"
        )
        better = [
            f"{winner} is better on {', '.join(self.groups[self.marked == sign].tolist())}"
            for sign, winner in ((1, self.first), (-1, self.second))
            if (self.marked == sign).any()
        ]
        if not better:
            return f"On {both}, no difference is larger than chance"
        return f"On {both}: {'; '.join(better)}"

    def _repr_html_(self) -> str:
        """The table in a notebook."""
        return html_table(self.columns, notes=[f"{self.summary}."], what="groups")


def compare_agents(
    source: Any, first: str, second: str, *, by: str | None = None
) -> AgentComparison:
    """Compare two agents on the tasks that both tried: by label, and task by task.

    A difference is marked if a sign test finds it too large for chance: if the two agents were
    equally good at each task, each would be the better one on about half of the tasks on which
    their results differ. It is corrected for the number of groups, so that the probability that any
    is marked by chance is at most 0.05. Where one agent is better on more tasks and the other has
    the higher mean, neither is marked.

    Args:
        source: The outcomes, or a `Run`.
        first: The name of an agent.
        second: The name of another agent.
        by: The label of the tasks that groups them; by default the first label that divides the
            tasks into groups, or else the clusters of the run.

    Returns:
        The comparison.

    Raises:
        TypeError: If the source is neither.
        ValueError: If there is no such agent or label, if both agents are the same, or if no task
            was tried by both.

    >>> results = np.array([[1] * 20 + [0] * 20, [0] * 20 + [0] * 20])
    >>> topics = ["sums"] * 20 + ["areas"] * 20
    >>> outcomes = Outcomes(results, 1, agents=["Ada", "Ben"], task_labels={"topic": topics})
    >>> found = compare_agents(outcomes, "Ada", "Ben")
    >>> found.groups.tolist(), found.first_scores, found.marked.tolist()
    (['all tasks', 'areas', 'sums'], array([0.5, 0. , 1. ]), [1, 0, 1])
    >>> print(found.summary)
    On 40 tasks that both Ada and Ben tried: Ada is better on all tasks, sums
    """
    outcomes = source if isinstance(source, Outcomes) else getattr(source, "outcomes", None)
    if not isinstance(outcomes, Outcomes):
        raise TypeError(f"the source must be Outcomes or a Run, got {checks.brief(source)}")
    rows = [_number(outcomes, name) for name in (first, second)]
    if rows[0] == rows[1]:
        raise ValueError(f"the two agents must be different, got {checks.brief(first)} twice")
    name, groups, numbers = groups_of(source, outcomes, by)
    one, other = outcomes.rates[rows]
    both = ~np.isnan(one) & ~np.isnan(other)
    if not both.any():
        raise ValueError(
            f"the two agents must have tried a task in common, got none for {first} and {second}"
        )
    apart = np.where(both, one - other, 0.0)
    order = np.argsort(-np.abs(apart), kind="stable")
    order = order[both[order]]
    members = [both, *(both & (numbers == group) for group in range(len(groups)))]
    p_values = np.array([_sign_test(apart[some]) for some in members])
    signs = np.array([np.sign(np.sign(apart[some]).sum()) for some in members])
    means = np.array([np.sign(apart[some].sum()) for some in members])
    better = np.where(signs == means, signs, 0)
    return AgentComparison(
        first=str(first),
        second=str(second),
        by=name,
        groups=np.array([ALL_TASKS, *groups.tolist()]),
        n_tasks=np.array([int(some.sum()) for some in members]),
        first_scores=np.array([_mean(one[some]) for some in members]),
        second_scores=np.array([_mean(other[some]) for some in members]),
        p_values=p_values,
        marked=np.where(p_values * len(members) <= ERROR, better, 0).astype(np.int8),
        tasks=outcomes.tasks[order],
        first_results=one[order],
        second_results=other[order],
    )


def _number(outcomes: Outcomes, agent: str) -> int:
    found = np.flatnonzero(outcomes.agents == str(agent))
    if not len(found):
        raise ValueError(f"the agent must be one of the outcomes, got {checks.brief(agent)}")
    return int(found[0])


def _sign_test(apart: Floats) -> float:
    """The probability, if signs are fair coins, of signs that are at least as unequal."""
    from scipy.stats import binom

    positive, negative = int((apart > 0).sum()), int((apart < 0).sum())
    return float(min(1.0, 2 * binom.cdf(min(positive, negative), positive + negative, 0.5)))


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else float("nan")

"""Answers of new agents in outcomes or logs, matched with the known tasks by name."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.outcomes.outcomes import Outcomes
from taskspace.outcomes.readers.collector import TEXT
from taskspace.outcomes.readers.read import read_results


@dataclass(frozen=True, eq=False)
class LoggedAnswers:
    """The answers of each agent to known tasks.

    Attributes:
        agents: The names of the agents.
        tasks: The names of the known tasks that any of them answered.
        results: The success rates or returns (agents, tasks); NaN where an agent did not answer.
        unknown: The number of other tasks, which are left out.

    >>> outcomes = Outcomes([[1, 0, 1]], 1, agents=["new"], tasks=["a", "b", "x"])
    >>> found = logged_answers(outcomes, np.array(["a", "b", "c"]), {})
    >>> found.tasks.tolist(), found.results.tolist(), found.unknown
    (['a', 'b'], [[1.0, 0.0]], 1)
    """

    agents: NDArray[np.str_]
    tasks: NDArray[np.str_]
    results: NDArray[np.float64]
    unknown: int

    def of(self, agent: int) -> tuple[NDArray[np.str_], NDArray[np.float64]]:
        """The tasks that one agent answered, and its results."""
        answered = ~np.isnan(self.results[agent])
        return self.tasks[answered], self.results[agent, answered]

    @property
    def note(self) -> str:
        """A sentence about the tasks that are left out; empty if there are none."""
        if not self.unknown:
            return ""
        every = self.unknown + len(self.tasks)
        verb = "is unknown and does" if self.unknown == 1 else "are unknown and do"
        return f"{self.unknown:,} of {every:,} answered tasks {verb} not count"


def logged_answers(
    given: Any,
    tasks: NDArray[np.str_],
    labels: Mapping[str, NDArray[Any]],
    what: str = "quiz",
    *,
    returns: bool = False,
) -> LoggedAnswers:
    """Match outcomes of new agents with the known tasks, which have these names and labels.

    `what` is what error messages call the outcomes; `returns` says whether the results of the known
    agents are returns.
    """
    outcomes = given if isinstance(given, Outcomes) else read_results(given, returns=returns)
    if returns != (outcomes.scale is not None):
        kinds = ("success rates", "returns")
        raise ValueError(
            f"{what} must have {kinds[returns]}, as the known agents do, got {kinds[not returns]}"
        )
    numbers = {name: number for number, name in enumerate(tasks.tolist())}
    names = outcomes.tasks.tolist()
    known = np.array([name in numbers for name in names])
    if not known.any():
        raise ValueError(
            f"{what} must have tasks of the known agents, e.g. {checks.brief(str(tasks[0]))}, got"
            f" none of them among {len(names):,}, e.g. {checks.brief(names[0])}"
        )
    positions = np.flatnonzero(known)
    _check_texts(outcomes, positions, [numbers[names[one]] for one in positions], labels)
    results = np.asarray(outcomes.returns if returns else outcomes.rates, np.float64)
    return LoggedAnswers(
        outcomes.agents, outcomes.tasks[known], results[:, known], int((~known).sum())
    )


def _check_texts(
    outcomes: Outcomes,
    positions: NDArray[np.int64],
    numbers: list[int],
    labels: Mapping[str, NDArray[Any]],
) -> None:
    """Refuse a task that has the name of a known one and another text."""
    new, old = outcomes.task_labels.get(TEXT), labels.get(TEXT)
    if new is None or old is None:
        return
    for position, number in zip(positions.tolist(), numbers, strict=True):
        here, there = str(new[position]), str(old[number])
        if here and there and here != there:
            raise ValueError(
                f"the task {str(outcomes.tasks[position])!r} must have the text that the known"
                f" agents were given, {checks.brief(there)}, got {checks.brief(here)}"
            )


def one_agent(
    given: Any, tasks: NDArray[np.str_], labels: Mapping[str, NDArray[Any]], returns: bool
) -> tuple[NDArray[np.str_], NDArray[np.float64]]:
    """The answered tasks and the results in the outcomes or logs of one agent."""
    if not isinstance(given, (Outcomes, str, os.PathLike)):
        raise ValueError(
            "quiz must be Outcomes or a path of logs if there are no results, got"
            f" {checks.brief(given)}"
        )
    found = logged_answers(given, tasks, labels, returns=returns)
    if len(found.agents) > 1:
        raise ValueError(
            f"quiz must have the results of one agent, got {len(found.agents)}:"
            f" {checks.brief(found.agents.tolist())}; choose one by Outcomes.of_agents"
        )
    if found.unknown:
        warnings.warn(found.note, UserWarning, stacklevel=4)
    return found.of(0)

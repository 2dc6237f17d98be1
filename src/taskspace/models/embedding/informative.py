"""What outcomes need for a map: agents that differ, and tasks that tell them apart."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from taskspace.outcomes.outcomes import Outcomes


def check_agents(outcomes: Outcomes) -> None:
    """Refuse the outcomes of a single agent, and of agents that all have the same results.

    >>> check_agents(Outcomes([[1, 0, 1], [0, 0, 1]], 1))
    """
    if outcomes.n_agents < 2:
        raise ValueError(
            f"outcomes must have at least 2 agents, got {outcomes.n_agents}; the similarity of"
            " tasks comes from the differences between agents"
        )
    lowest, highest = _extremes(outcomes)
    if (lowest >= highest).all():
        which = " (every task is solved)" if (lowest >= 1).all() else ""
        which = " (no task is solved)" if (highest <= 0).all() else which
        which = which if outcomes.scale is None else ""
        raise ValueError(
            f"outcomes must have agents that differ, got {outcomes.n_agents} agents with the same"
            f" results{which}; add agents that solve other tasks"
        )


def warn_if_uninformative(outcomes: Outcomes) -> None:
    """Warn if all agents, or none, solve a task: it has no similarity to any other."""
    lowest, highest = _extremes(outcomes)
    tried = lowest <= highest
    if outcomes.scale is not None:
        equal = int((tried & (lowest >= highest)).sum())
        if equal:
            warnings.warn(
                f"all agents have the same return on {equal} of the {outcomes.n_tasks} tasks; these"
                " tasks tell nothing about the agents, so the map knows only their difficulty",
                stacklevel=3,
            )
        return
    by_all, by_none = int((tried & (lowest >= 1)).sum()), int((tried & (highest <= 0)).sum())
    if by_all or by_none:
        warnings.warn(
            f"all agents solve {by_all} of the {outcomes.n_tasks} tasks, and no agent solves"
            f" {by_none}; these tasks tell nothing about the agents, so the map knows only their"
            " difficulty",
            stacklevel=3,
        )


def _extremes(outcomes: Outcomes) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The lowest and the highest success rate of each task; 1 and 0 if nobody tried it."""
    tried = outcomes.rollouts > 0
    rates = outcomes.successes / np.maximum(outcomes.rollouts, 1)
    return (
        rates.min(0, where=tried, initial=1.0),
        rates.max(0, where=tried, initial=0.0),
    )

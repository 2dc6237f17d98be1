"""The questions about a table that its run answers: what is asked, and up to which size.

The answers are kept in the run folder; report and explorer show them. Limits are sizes and not
seconds, so that the answers of equal runs are equal.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from taskspace.applications.abilities import Abilities, abilities
from taskspace.applications.answers import (
    Unanswered,
    agents_of_test,
    answer,
    size_of_test,
)
from taskspace.applications.candidates import SIMULATED
from taskspace.applications.redundancy import Redundancy, redundant
from taskspace.applications.subset import Subset, choose_subset
from taskspace.outcomes.outcomes import Outcomes
from taskspace.outcomes.rates import mean_rates

if TYPE_CHECKING:
    from taskspace.runs.run import Run

# Larger tables would take more than some ten seconds of one core.
MOST_RESULTS, MOST_COMPARED = 3 * 10**6, 2 * 10**10  # agents x tasks; agents x pairs of tasks
MOST_RESULTS_OF_AGENTS = 10**7
MOST_TASKS_OF_TEST = 3000
MOST_RESULTS_OF_PREDICTOR = 5 * 10**7  # candidates x tasks; it is fitted beside the report


def may_predict(run: Run) -> bool:
    """Whether the run fits its predictor; otherwise, the first prediction does.

    With a success model, it takes a second. Otherwise, time and memory grow with the candidates,
    which are the agents and some more, on all tasks.
    """
    agents, tasks = run.outcomes.n_agents, run.outcomes.n_tasks
    return run.has_model or (agents + SIMULATED) * tasks <= MOST_RESULTS_OF_PREDICTOR


def find_redundant(outcomes: Outcomes) -> Redundancy | Unanswered:
    """Near-copies among the tasks."""
    results = outcomes.n_agents * outcomes.n_tasks
    if results > MOST_RESULTS or results * outcomes.n_tasks // 2 > MOST_COMPARED:
        return _too_large(outcomes)
    return answer(lambda: redundant(outcomes))


def make_short_test(outcomes: Outcomes, seed: int) -> Subset | Unanswered:
    """A short test of 30 tasks, or of a quarter of them if there are fewer than 120."""
    if outcomes.n_tasks > MOST_TASKS_OF_TEST:
        return _too_large(outcomes)
    some, size = _some_agents(outcomes, seed), size_of_test(outcomes.n_tasks)
    found = answer(lambda: choose_subset(some, size, seed=seed, progress=False))
    if isinstance(found, Unanswered):
        return found
    return replace(found, success=mean_rates(outcomes.of_tasks(found.tasks).rates, axis=0))


def _some_agents(outcomes: Outcomes, seed: int) -> Outcomes:
    """Random agents, as many as a short test is chosen from within seconds."""
    drawn = np.random.default_rng(seed).permutation(outcomes.n_agents)[: agents_of_test(outcomes)]
    return outcomes.of_agents(outcomes.agents[np.sort(drawn)].tolist())


def describe_agents(run: Run) -> Abilities | Unanswered:
    """Scores, strengths by the first label or by cluster, and the most similar agents."""
    outcomes = run.outcomes
    results = outcomes.n_agents * outcomes.n_tasks
    if results > MOST_RESULTS_OF_AGENTS or outcomes.n_agents * results > MOST_COMPARED:
        return _too_large(outcomes)
    return answer(lambda: abilities(run))


def _too_large(outcomes: Outcomes) -> Unanswered:
    return Unanswered(
        "This was not computed for the report, because it would take long for"
        f" {outcomes.n_agents:,} agents and {outcomes.n_tasks:,} tasks."
    )

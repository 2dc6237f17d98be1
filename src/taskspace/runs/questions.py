"""The questions about a table that its run answers: what is asked, and up to which size.

The answers are kept in the run folder; report and explorer show them. Limits are sizes and not
seconds, so that the answers of equal runs are equal.
"""

from __future__ import annotations

from taskspace.applications.answers import Unanswered, answer
from taskspace.applications.redundancy import Redundancy, redundant
from taskspace.applications.subset import Subset, choose_subset
from taskspace.outcomes.outcomes import Outcomes

MOST_WORK_OF_PAIRS = 10**10  # pairs of tasks x agents
MOST_WORK_OF_TEST = 10**6  # agents x tasks
SHORT_TEST, SHORTEST = 30, 3  # tasks, if there are many or few


def find_redundant(outcomes: Outcomes) -> Redundancy | Unanswered:
    """Near-copies among the tasks."""
    if outcomes.n_agents * outcomes.n_tasks**2 // 2 > MOST_WORK_OF_PAIRS:
        return _too_large(outcomes)
    return answer(lambda: redundant(outcomes))


def make_short_test(outcomes: Outcomes, seed: int) -> Subset | Unanswered:
    """A short test of 30 tasks, or of a quarter of them if there are fewer than 120."""
    if outcomes.n_agents * outcomes.n_tasks > MOST_WORK_OF_TEST:
        return _too_large(outcomes)
    size = min(SHORT_TEST, max(outcomes.n_tasks // 4, SHORTEST))
    return answer(lambda: choose_subset(outcomes, size, seed=seed, progress=False))


def _too_large(outcomes: Outcomes) -> Unanswered:
    return Unanswered(
        f"This was not computed for the report, because it takes minutes for {outcomes.n_agents:,}"
        f" agents and {outcomes.n_tasks:,} tasks."
    )

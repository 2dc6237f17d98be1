"""The score of an agent as a formula: an intercept, and a weight for each task of a fixed test.

With the answered tasks fixed, the estimate of `PerformancePredictor.score` is linear in the
results. So it can be computed by hand, and for many agents at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taskspace.applications.replay import Replay, members, share
from taskspace.models.linear_population import Floats, Numbers


@dataclass(frozen=True, eq=False)
class ScoreFormula:
    """Scores on groups of tasks as weighted sums of the results on some tasks.

    >>> formula = ScoreFormula(np.array([0.1]), np.array([[0.3, 0.5]]))
    >>> formula.apply(np.array([[1.0, 0.0], [1.0, 1.0]]))
    array([[0.4],
           [0.9]])
    """

    intercepts: Floats  # (groups,)
    weights: Floats  # (groups, answered)

    def apply(self, results: Floats) -> Floats:
        """The scores (agents, groups) of agents with these results (agents, answered)."""
        found: Floats = np.clip(results @ self.weights.T + self.intercepts, 0.0, 1.0)
        return found


def score_formula(
    errors: Replay,
    answered: Numbers,
    groups: NDArray[np.int64],
    among: Numbers | None = None,
) -> ScoreFormula:
    """The formula that estimates the full score on each group of tasks.

    `errors` are those of known agents that took the test. `groups` has the number of each task's
    group, or -1. `among` are the tasks that count, if not all.
    """
    every = np.arange(len(groups)) if among is None else among
    population = errors.population
    regression = population.regression(answered, errors.shrinkage)
    # The regression weights of the known agents are start + slope @ (results - means).
    slope = regression.covariance @ (regression.scaled / regression.deviations)
    start = regression.start - slope @ regression.means
    asked, rest = (members(groups, tasks) for tasks in (answered, np.setdiff1d(every, answered)))
    counts, left = (np.array([len(part) for part in parts]) for parts in (asked, rest))
    expected, others = (
        np.stack([population.sums(part) for part in parts]) for parts in (asked, rest)
    )
    # What the answers miss of their expectation corrects the prediction of the other tasks.
    correction = left * share(counts, errors.halves) / np.maximum(counts, 1)
    own = np.stack([np.isin(answered, part) for part in asked]).astype(np.float64)
    of_agents = others - correction[:, None] * expected
    sizes = np.maximum(counts + left, 1)[:, None]
    weights = (own * (1 + correction[:, None]) + of_agents @ slope) / sizes
    return ScoreFormula(of_agents @ start / sizes[:, 0], weights)

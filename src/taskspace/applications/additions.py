"""Which agents to add to a population: those that differ most from the ones that are there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.outcomes.html_tables import html_table
from taskspace.outcomes.outcomes import Outcomes
from taskspace.similarity.agent_kernel import AgentProfiles, covariance, ridge, task_means

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Additions:
    """Candidates in the order in which to add them; see `rank_additions`.

    Attributes:
        agents: The names of the candidates, the one that adds most first.
        gains: What each one adds, in bits, to the population and the candidates before it.
        alone: What each one would add to the population if it were the only one.
    """

    agents: NDArray[np.str_]
    gains: Floats
    alone: Floats

    def _repr_html_(self) -> str:
        """The table in a notebook."""
        return html_table(self.columns, what="candidates")

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The table of candidates: its columns by name."""
        return {"agent": self.agents, "gain": self.gains, "alone": self.alone}


def rank_additions(outcomes: Outcomes, candidates: Outcomes, k: int | None = None) -> Additions:
    """Rank agents by what they would add to a population.

    An agent adds what the results of the others do not explain: the gain in the log-determinant of
    the covariance of agents, in bits. Candidates are chosen one after the other, so a copy of a
    candidate that has been chosen adds little. Differences below a tenth of the population's
    variance count little, and so does noise of attempts.

    Args:
        outcomes: The results of the population.
        candidates: The results of the candidates on the same tasks.
        k: The number of candidates to choose; all by default.

    Returns:
        The candidates, the one that adds most first.

    Raises:
        ValueError: If these are no outcomes, if they are not on the same tasks, or if `k` is not
            an integer from 1 to the number of candidates.

    >>> population = Outcomes([[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 0, 0]], 1)
    >>> pool = Outcomes([[1, 1, 0, 0], [0, 0, 1, 1]], 1, agents=["copy", "new"])
    >>> rank_additions(population, pool).agents.tolist()
    ['new', 'copy']
    """
    for what, given in (("outcomes", outcomes), ("candidates", candidates)):
        if not isinstance(given, Outcomes):
            raise ValueError(f"{what} must be Outcomes, got {checks.brief(given)}")
    if outcomes.tasks.tolist() != candidates.tasks.tolist():
        raise ValueError(
            "candidates must have the same tasks as outcomes in the same order, got"
            f" {candidates.n_tasks} and {outcomes.n_tasks} tasks of which some differ"
        )
    count = candidates.n_agents if k is None else checks.whole(k, "k", 1, candidates.n_agents)
    means = task_means(outcomes)
    known, new = (AgentProfiles.of(given, means) for given in (outcomes, candidates))
    added = ridge(known)
    order, gains, alone = choose_by_gain(known, new, added, count)
    return Additions(candidates.agents[order], gains, alone[order])


def choose_by_gain(
    known: AgentProfiles, new: AgentProfiles, added: float, count: int
) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Choose greedily by steps of a Cholesky decomposition: what is left is unexplained."""
    base = covariance(known, known) + added * np.eye(len(known.noise))
    shared = covariance(known, new)
    left = covariance(new, new) - shared.T @ np.linalg.solve(base, shared)
    alone = _bits(np.diagonal(left), added)
    order, gains = np.empty(count, np.int64), np.empty(count)
    open_ = np.ones(len(left), bool)
    for step in range(count):
        best = int(np.where(open_, np.diagonal(left), -np.inf).argmax())
        order[step], gains[step] = best, _bits(left[best, best], added)
        open_[best] = False
        column = left[:, best].copy()
        left -= np.outer(column, column) / (column[best] + added)
    return order, gains, alone


def _bits(variance: Any, added: float) -> Any:
    """The gain in bits (half the binary logarithm of a determinant) of an unexplained variance."""
    return 0.5 * np.log2(1 + np.maximum(variance, 0.0) / added)

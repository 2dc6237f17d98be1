"""Abilities of agents: score with an interval, strengths and weaknesses, the most similar agent.

One model serves all of it: the probability of success of each agent on each task if agents differ
in general ability only (`models/success/factors.py` with one factor). It fills in missing pairs, it
is what an agent's overall score predicts for the tasks of a label, and what agents share beyond it
makes them similar.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.applications.return_answers import refuse_returns
from taskspace.applications.scores import groups_by
from taskspace.models.success.factors import fit_factors
from taskspace.outcomes.html_tables import html_table
from taskspace.outcomes.labels import LABEL, divides
from taskspace.outcomes.outcomes import Outcomes
from taskspace.similarity.concordance import SPARSE, sparse_product

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

CLUSTERS = "cluster"
ENOUGH_TASKS = 8  # that two agents must both have tried to be compared
ERROR = 0.05  # probability that any strength or weakness is marked by chance
_ITERATIONS, _LEAST_SPREAD = 20, 0.05  # of the model
_PRIOR_TASKS = 4  # number of results that the model's variance of a result is worth
_ROWS = 1024  # agents per block, to bound memory


@dataclass(frozen=True, eq=False)
class Abilities:
    """Abilities of agents; see `abilities`. Arrays have one entry or row per agent.

    Attributes:
        agents: The names of the agents.
        scores: The mean success rate over all tasks; on tasks that the agent did not try, what
            its ability predicts counts, corrected by how far it is off on the tried tasks.
        low: The lower bounds of the scores.
        high: The upper bounds of the scores.
        tried: The number of tasks that the agent tried.
        n_tasks: The number of tasks.
        level: The probability with which an interval contains the mean success rate on many tasks
            of the same kind.
        by: The label that groups the tasks, "cluster", or "" if there is none.
        groups: The values of the label.
        group_scores: The mean success rate (agents, groups) on the tried tasks of each group; NaN
            if there are none.
        group_expected: What the agent's overall score predicts for these tasks.
        group_tried: The number of these tasks.
        marked: 1 for strengths, -1 for weaknesses, 0 if the difference may be chance (agents,
            groups).
        most_similar: The name of the agent whose results are most similar beyond what both scores
            predict; "" if there is none with a positive correlation.
        correlation: The correlation of what the two agents' scores do not predict; NaN if there is
            no such agent.
    """

    agents: NDArray[np.str_]
    scores: Floats
    low: Floats
    high: Floats
    tried: Numbers
    n_tasks: int
    level: float
    by: str
    groups: NDArray[np.str_]
    group_scores: Floats
    group_expected: Floats
    group_tried: Numbers
    marked: NDArray[np.int8]
    most_similar: NDArray[np.str_]
    correlation: Floats

    def _repr_html_(self) -> str:
        """The table in a notebook."""
        return html_table(self.columns, notes=[f"{self.summary}."], what="agents")

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The table of agents, the highest score first; the last columns are scores by group."""
        order = np.argsort(-self.scores, kind="stable")
        table: dict[str, NDArray[Any]] = {
            "agent": self.agents,
            "score": self.scores,
            "low": self.low,
            "high": self.high,
            "tried": self.tried,
        }
        if self.by:
            table |= {"strengths": self._named(1), "weaknesses": self._named(-1)}
        table |= {"most_similar": self.most_similar, "correlation": self.correlation}
        for number, name in enumerate(self.groups.tolist()):
            table[f"score:{name}"] = self.group_scores[:, number]
        return {name: column[order] for name, column in table.items()}

    def _named(self, sign: int) -> NDArray[np.object_]:
        """The marked groups of each agent, the largest difference first, with semicolons."""
        found = np.empty(len(self.agents), object)
        apart = np.nan_to_num(self.group_scores - self.group_expected)
        for agent, row in enumerate(self.marked):
            chosen = np.flatnonzero(row == sign)
            chosen = chosen[np.argsort(-np.abs(apart[agent, chosen]), kind="stable")]
            found[agent] = "; ".join(self.groups[chosen].tolist())
        return found

    @property
    def summary(self) -> str:
        """What was found, in a sentence or two."""
        interval = (
            f"{len(self.agents):,} agents on {self.n_tasks:,} tasks; {self.level:.0%} intervals are"
            " for the mean success rate on many tasks of the same kind"
        )
        if not self.by:
            return f"{interval}; the tasks have no labels to show strengths by"
        looked = int((self.group_tried > 0).sum())
        return (
            f"{interval}; {int((self.marked != 0).sum()):,} of {looked:,} scores by {self.by}"
            " differ from what the overall score predicts by more than chance"
        )


def abilities(source: Any, *, by: str | None = None, level: float = 0.9) -> Abilities:
    """Describe the agents: scores with intervals, strengths, and the most similar agents.

    An interval contains, with probability `level`, the agent's mean success rate on many tasks of
    the same kind as these. It is wide if the tasks are few or if the agent tried few of them.

    A group of tasks is a strength (or weakness) if the agent's mean success rate on it differs
    from what its overall score predicts for these tasks by more than chance, corrected for the
    number of agents and groups: the probability that any is marked by chance is at most 0.05.

    Args:
        source: The outcomes, or a `Run`.
        by: The label of the tasks that groups them; by default the first label that divides the
            tasks into groups, or else the clusters of the run.
        level: The probability of the intervals.

    Returns:
        The abilities.

    Raises:
        TypeError: If the source is neither.
        ValueError: If there are fewer than two agents, if there is
            no such label, or if `level` is not between 0 and 1.

    >>> rng = np.random.default_rng(0)
    >>> solved = rng.random((10, 40)) < 0.5
    >>> solved[3, :20] = True
    >>> topics = ["sums"] * 20 + ["areas"] * 20
    >>> found = abilities(Outcomes(solved.astype(int), 1, task_labels={"topic": topics}))
    >>> found.by, found.groups.tolist(), np.argwhere(found.marked).tolist()
    ('topic', ['areas', 'sums'], [[3, 1]])
    >>> np.round([found.scores[3], found.low[3], found.high[3]], 2)
    array([0.75, 0.61, 0.85])
    """
    sure = checks.fraction(level, "level")
    outcomes = source if isinstance(source, Outcomes) else getattr(source, "outcomes", None)
    if not isinstance(outcomes, Outcomes):
        raise TypeError(f"the source must be Outcomes or a Run, got {checks.brief(source)}")
    refuse_returns(outcomes.scale, "scores and strengths of agents require results from 0 to 1")
    if outcomes.n_agents < 2:
        raise ValueError(f"outcomes must have at least 2 agents, got {outcomes.n_agents}")
    name, groups, numbers = groups_of(source, outcomes, by)
    expected, rates = _expected(outcomes), outcomes.rates
    tried = ~np.isnan(rates)
    scores, low, high = _scores(rates, tried, expected, sure)
    sums = _sums_by_group(np.where(tried, rates, 0.0), numbers, len(groups))
    predicted = _sums_by_group(np.where(tried, expected, 0.0), numbers, len(groups))
    counts = _sums_by_group(tried.astype(np.float64), numbers, len(groups))
    with np.errstate(invalid="ignore"):
        group_scores, group_expected = sums / counts, predicted / counts
    nearest, correlation = _most_similar(np.where(tried, rates - expected, 0.0), tried)
    return Abilities(
        agents=outcomes.agents,
        scores=scores,
        low=low,
        high=high,
        tried=tried.sum(1),
        n_tasks=outcomes.n_tasks,
        level=sure,
        by=name,
        groups=groups,
        group_scores=group_scores,
        group_expected=group_expected,
        group_tried=counts.astype(np.int64),
        marked=_marked(group_scores, group_expected, counts),
        most_similar=np.where(nearest >= 0, outcomes.agents[nearest], ""),
        correlation=correlation,
    )


def groups_of(
    source: Any, outcomes: Outcomes, by: str | None, what: str = "by"
) -> tuple[str, NDArray[np.str_], Numbers]:
    """The label, its values, and the number of the group of each task, or -1.

    `what` is what error messages call the label.
    """
    labels: dict[str, Any] = dict(outcomes.task_labels)
    clusters = None if source is outcomes else getattr(source, "clusters", None)
    if clusters is not None:
        own = labels.pop(CLUSTERS, None)  # tables of tasks call it so, too
        labels |= {} if own is None else {f"{LABEL}{CLUSTERS}": own}
        labels[CLUSTERS] = clusters.by_task.astype(object)
    if by is None:
        dividing = [name for name, values in labels.items() if divides(values)]
        if not dividing:
            return "", np.zeros(0, np.str_), np.full(outcomes.n_tasks, -1)
        by = dividing[0]
    return by, *groups_by(labels, by, outcomes.n_tasks, what)


def _expected(outcomes: Outcomes) -> Floats:
    """Success probabilities (agents, tasks) if agents differ in general ability only."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # the same rounding, whatever the number of threads
        fitted = fit_factors(
            outcomes.successes.astype(np.float64),
            outcomes.rollouts.astype(np.float64),
            rank=1,
            least_spread=_LEAST_SPREAD,
            iterations=_ITERATIONS,
        )
        return fitted.probabilities()


def _scores(
    rates: Floats, tried: NDArray[np.bool_], expected: Floats, level: float
) -> tuple[Floats, Floats, Floats]:
    """Scores and their bounds: Wilson's, with the number of tasks that the data are worth, and t.

    Two errors add up: the tasks are a sample of their kind, and the results of the agent are a
    sample of what it may do on them.
    """
    from scipy.stats import t

    number = tried.sum(1)
    residuals = np.where(tried, rates - expected, 0.0)
    # Predictions are shrunk towards the mean ability; the residuals of the results correct them.
    score = expected.mean(1) + residuals.sum(1) / np.maximum(number, 1)
    complete = tried.all(1)
    score[complete] = rates[complete].mean(1)  # the same but for rounding
    score = np.clip(score, 0.0, 1.0)
    single = score * (1 - score)
    squares = (residuals**2).sum(1)
    typical = (expected * (1 - expected)).mean(1)
    own = (squares + _PRIOR_TASKS * typical) / (number + _PRIOR_TASKS)
    error = expected.var(1) / rates.shape[1] + own / np.maximum(number, 1)
    differ = single > 1e-12
    worth = np.where(differ, single / error, number)
    worth = np.maximum(worth, 1.0)
    z = t.ppf((1 + level) / 2, np.maximum(number - 1, 1))
    centre = (score + z**2 / (2 * worth)) / (1 + z**2 / worth)
    width = z / (1 + z**2 / worth) * np.sqrt(single / worth + (z / (2 * worth)) ** 2)
    unknown = number == 0  # nothing is known about an agent without results
    score = np.where(unknown, np.nan, score)
    return score, np.where(unknown, 0.0, centre - width), np.where(unknown, 1.0, centre + width)


def _sums_by_group(values: Floats, numbers: Numbers, count: int) -> Floats:
    """Sums (agents, groups) over the tasks of each group."""
    members = np.zeros((len(numbers), count))
    known = np.flatnonzero(numbers >= 0)
    members[known, numbers[known]] = 1.0
    return values @ members


def _marked(scores: Floats, expected: Floats, counts: Floats) -> NDArray[np.int8]:
    """Which scores differ from the expected ones by more than chance, and in which direction.

    By Chernoff's bound, the mean of n independent results with mean p is as far away as q with
    probability at most exp(-n KL(q, p)) in each direction, however few the results, and also if
    they are scores from 0 to 1.
    """
    looked = max(int((counts > 0).sum()), 1)
    q, p = np.nan_to_num(scores), np.clip(np.nan_to_num(expected), 1e-9, 1 - 1e-9)
    apart = q * np.log(np.maximum(q, 1e-300) / p) + (1 - q) * np.log(
        np.maximum(1 - q, 1e-300) / (1 - p)
    )
    sure = (counts > 0) & (counts * apart >= np.log(2 * looked / ERROR))
    return np.where(sure, np.sign(q - p), 0).astype(np.int8)


def _most_similar(residuals: Floats, tried: NDArray[np.bool_]) -> tuple[Numbers, Floats]:
    """For each agent, the one with the most correlated residuals, and the correlation.

    If no correlation is positive, they are -1 and NaN.
    """
    from threadpoolctl import threadpool_limits

    r, seen = residuals.astype(np.float32), tried.astype(np.float32)
    product = sparse_product if tried.mean() < SPARSE else np.matmul
    own = (r**2).sum(1)
    nearest, best = np.full(len(r), -1), np.full(len(r), np.nan)
    with threadpool_limits(1):  # the same rounding, whatever the number of threads
        for start in range(0, len(r), _ROWS):
            rows = slice(start, start + _ROWS)
            if tried.all():
                together, power = np.float32(tried.shape[1]), own[rows, None] * own
            else:
                together = product(seen[rows], seen.T)
                power = product(r[rows] ** 2, seen.T) * product(seen[rows], (r**2).T)
            known = (together >= ENOUGH_TASKS) & (power > 0)
            shared = product(r[rows], r.T)
            found = np.where(known, shared / np.sqrt(np.where(known, power, 1.0)), -np.inf)
            found[np.arange(len(found)), np.arange(start, start + len(found))] = -np.inf
            chosen = found.argmax(1)
            value = found[np.arange(len(found)), chosen]
            some = value > 0  # agents with opposite strengths are not similar
            nearest[rows] = np.where(some, chosen, -1)
            best[rows] = np.where(some, value, np.nan)
    return nearest, best

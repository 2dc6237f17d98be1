"""Redundant tasks: near-copies in a table of results, and what leaving them out would cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.applications.distinct_agents import distinct_agents
from taskspace.applications.near_copies import (
    PairTest,
    agents_needed,
    count_pairs,
    find_near_copies,
    groups,
)
from taskspace.applications.showable_pairs import showable_pairs
from taskspace.outcomes.html_tables import html_table
from taskspace.outcomes.outcomes import Outcomes
from taskspace.outcomes.rates import mean_rates
from taskspace.similarity.estimates import pair_estimates
from taskspace.similarity.information import entropy
from taskspace.similarity.statistics import SuccessStatistics

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]
Names = NDArray[np.str_]

_WHY_HIDDEN = "too few agents tried both tasks, or nearly all have the same result on them"


@dataclass(frozen=True, eq=False)
class Redundancy:
    """Near-copies among tasks; see `redundant`.

    The arrays of pairs have one entry per pair, the surest near-copies first. If no pair is a
    near-copy, the pairs are at most 20 candidates: those that would be near-copies if each were
    the only pair looked at.

    Attributes:
        first: The first task of each pair.
        second: The second task of each pair.
        confirmed: Whether the pair is a near-copy: `low` is at least `threshold`.
        bits: The similarity of the pair, with the bias of few agents removed.
        agreement: The fraction of agents with the same result on both tasks; for scores, 1 - the
            mean squared difference.
        expected: The agreement of two tasks that share only the factors of the population.
        excess: Excess agreement: 0 if the agreement is the expected one, 1 if it is complete.
        low: The lower bound of the excess agreement, for all pairs at once.
        high: The upper bound.
        correlation: The correlation of the agents' success rates on the two tasks.
        agents: The number of agents that tried both tasks; agents with the same results count
            once.
        group: The group of each pair, counted from 1; 0 if its tasks are in different groups or
            none.
        groups: The tasks of each group. All pairs of a group are near-copies. The first task is
            the one to keep.
        left_out: The tasks that could be left out: all tasks of the groups but the first.
        agent_names: The names of the agents.
        scores: The mean success rate of each agent on the tasks that it tried.
        kept_scores: The same without the tasks that could be left out.
        n_tasks: The number of tasks.
        n_pairs: The number of pairs looked at: those of tasks on which agents differ.
        n_showable: The number of pairs that would be near-copies if their results never differed.
            The others cannot be judged: too few agents tried both tasks, or nearly all agents
            have the same result.
        together: The most agents that tried both tasks of a pair.
        same_agents: The number of agents whose results repeat those of others and count once.
        threshold: The least excess agreement of near-copies.
        level: The probability that all intervals hold.
        enough_agents: With fewer agents than this, not even tasks whose results never differ can
            be shown to be near-copies; tasks like those of the pairs listed, or else any tasks.
        more: Whether there were too many candidates, so that near-copies may be missing.
    """

    first: Names
    second: Names
    confirmed: NDArray[np.bool_]
    bits: Floats
    agreement: Floats
    expected: Floats
    excess: Floats
    low: Floats
    high: Floats
    correlation: Floats
    agents: Numbers
    group: Numbers
    groups: tuple[tuple[str, ...], ...]
    left_out: Names
    agent_names: Names
    scores: Floats
    kept_scores: Floats
    n_tasks: int
    n_pairs: int
    n_showable: int
    together: int
    same_agents: int
    threshold: float
    level: float
    enough_agents: int
    more: bool

    def _repr_html_(self) -> str:
        """The table in a notebook."""
        return html_table(self.columns, notes=[f"{self.summary}."], what="pairs")

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The table of pairs: its columns by name."""
        names = (
            "first", "second", "excess", "low", "high", "confirmed", "group", "agreement",
            "expected", "correlation", "bits", "agents",
        )  # fmt: skip
        confirmed = np.where(self.confirmed, "yes", "no").astype(object)
        return {**{name: getattr(self, name) for name in names}, "confirmed": confirmed}

    @property
    def group_columns(self) -> dict[str, NDArray[Any]]:
        """The table of groups: number, the task to keep, and the others, which it stands for."""
        others = np.empty(len(self.groups), object)
        others[:] = ["; ".join(group[1:]) for group in self.groups]
        return {
            "group": np.arange(len(self.groups)) + 1,
            "keep": np.array([group[0] for group in self.groups], self.first.dtype),
            "could_be_left_out": others,
        }

    @property
    def largest_change(self) -> float:
        """The largest absolute change of an agent's score without the tasks of `left_out`."""
        return float(np.nanmax(np.abs(self.kept_scores - self.scores), initial=0.0))

    @property
    def mean_change(self) -> float:
        """The mean absolute change of the agents' scores."""
        return float(np.nanmean(np.abs(self.kept_scores - self.scores)))

    @property
    def rank_correlation(self) -> float:
        """Spearman's correlation of the scores with and without; NaN if all scores are equal."""
        from scipy.stats import spearmanr

        known = ~np.isnan(self.kept_scores)
        before, after = self.scores[known], self.kept_scores[known]
        if not len(before) or np.ptp(before) == 0 or np.ptp(after) == 0:
            return float("nan")
        return float(spearmanr(before, after).statistic)

    @property
    def summary(self) -> str:
        """What was found, in a sentence or two."""
        looked = f"{_plural(self._all_pairs, 'pair')} of {self.n_tasks:,} tasks"
        if not self.confirmed.any():
            return f"{self._none(looked)}{self._same}{self._candidates}"
        pairs = int(self.confirmed.sum())
        return (
            f"{pairs:,} of {looked} {'is a near-copy' if pairs == 1 else 'are near-copies'}, in"
            f" {_plural(len(self.groups), 'group')};"
            f" without {_plural(len(self.left_out), 'task')}, the agents' scores change by"
            f" {self.mean_change:.4f} on average and by at most {self.largest_change:.4f}, and"
            f" their rank correlation is {self.rank_correlation:.4f}"
            + ("; there may be more near-copies, raise the threshold" if self.more else "")
            + self._hidden
            + self._same
        )

    @property
    def _all_pairs(self) -> int:
        return self.n_tasks * (self.n_tasks - 1) // 2

    def _none(self, looked: str) -> str:
        if self.n_showable == self._all_pairs:
            return f"None of {looked} is a near-copy"
        if self.n_showable:
            return (
                f"Of {looked}, these results can decide about {self.n_showable:,}, and none of them"
                f" is a near-copy{self._hidden}"
            )
        if self.together >= self.enough_agents:
            return f"None of {looked} can be shown to be a near-copy: {_WHY_HIDDEN}"
        return (
            f"None of {looked} can be shown to be a near-copy: with at most"
            f" {_plural(self.together, 'agent')} that tried both, not even tasks whose results"
            f" never differ can; at least {self.enough_agents} agents would be needed"
        )

    @property
    def _hidden(self) -> str:
        hidden = self._all_pairs - self.n_showable
        if not hidden:
            return ""
        return f"; {_plural(hidden, 'other pair')} cannot be judged, because {_WHY_HIDDEN}"

    @property
    def _same(self) -> str:
        if not self.same_agents:
            return ""
        return (
            f"; the results of {_plural(self.same_agents, 'agent')} repeat those of others and"
            " count once"
        )

    @property
    def _candidates(self) -> str:
        if not len(self.first):
            return ""
        if len(self.first) == 1:
            return "; 1 candidate would be a near-copy if it were the only pair looked at"
        return (
            f"; {len(self.first)} candidates would be near-copies if each were the only pair looked"
            " at, but among so many pairs some are by chance"
        )


def redundant(source: Any, *, threshold: float = 0.5, level: float = 0.95) -> Redundancy:
    """Find near-copies: tasks that measure the same thing twice.

    Two tasks are near-copies if agents' results on them differ at most half as often as results on
    two tasks that share nothing but the population's factors (general ability and a few skills):
    the lower bound of their excess agreement, 1 - difference / expected difference, is at least
    `threshold`. So neither tasks on one topic nor tasks that nearly all agents solve are
    near-copies just because their results often agree.

    The intervals hold for all pairs at once (Bonferroni): if there are no near-copies, the
    probability that a pair is claimed is at most 1 - `level`. Noise of single attempts counts as
    difference; several attempts per pair reduce it. Missing pairs are left out. Agents with the
    same results on at least 20 tasks, if that can hardly be by chance, count once: copies of an
    agent are no further evidence.

    Args:
        source: The outcomes, or a `Run`, whose outcomes are used.
        threshold: The least excess agreement of near-copies, from 0 to 1 (exclusive). With 0.5,
            agents' results differ at most half as often as expected.
        level: The probability that all intervals hold.

    Returns:
        The pairs, their groups, and what leaving out all but one task of each group would change.

    Raises:
        TypeError: If the source is neither.
        ValueError: If outcomes are returns, if there are fewer than two agents or tasks on
            which agents differ, or if a number is out of range.

    >>> rng = np.random.default_rng(0)
    >>> solved = rng.normal(size=(300, 1)) + rng.normal(size=(300, 20)) > 0
    >>> solved[:, 7] = solved[:, 3]
    >>> found = redundant(Outcomes(solved.astype(int), 1))
    >>> found.groups, round(float(found.low[0]), 1), found.left_out.tolist()
    ((('task-3', 'task-7'),), 0.9, ['task-7'])
    """
    least = checks.fraction(threshold, "threshold")
    sure = checks.fraction(level, "level")
    outcomes = source if isinstance(source, Outcomes) else getattr(source, "outcomes", None)
    if not isinstance(outcomes, Outcomes):
        raise TypeError(f"the source must be Outcomes or a Run, got {checks.brief(source)}")
    if outcomes.scale is not None:
        raise ValueError(
            "outcomes must be successes or scores from 0 to 1 to find near-copies among them, got"
            " returns; `similar` lists tasks of similar returns"
        )
    distinct, same = distinct_agents(outcomes)
    statistics = SuccessStatistics.from_outcomes(distinct)
    n_pairs = count_pairs(statistics)
    if not n_pairs:
        raise ValueError(
            "outcomes must have at least two tasks on which agents differ, got fewer among"
            f" {outcomes.n_tasks} tasks"
        )
    error = (1 - sure) / 2 / n_pairs
    found, more = find_near_copies(distinct, statistics, least, error)
    showable = showable_pairs(distinct, statistics, found, least, error)
    like_these = float(found.expected.max(initial=0.0))
    confirmed = found.low >= least
    made = _groups(found.only(confirmed), statistics)
    left_out = np.sort(np.array([task for group in made for task in group[1:]], np.int64))
    return Redundancy(
        first=outcomes.tasks[found.first],
        second=outcomes.tasks[found.second],
        confirmed=confirmed,
        bits=pair_estimates(statistics, found.first, found.second),
        agreement=1 - found.difference,
        expected=1 - found.expected,
        excess=found.excess,
        low=found.low,
        high=found.high,
        correlation=_correlations(statistics, found),
        agents=found.agents,
        group=_group_of_pairs(found, made, outcomes.n_tasks),
        groups=tuple(tuple(outcomes.tasks[group].tolist()) for group in made),
        left_out=outcomes.tasks[left_out],
        agent_names=outcomes.agents,
        scores=mean_rates(outcomes.rates, axis=1),
        kept_scores=_scores_without(outcomes, left_out),
        n_tasks=outcomes.n_tasks,
        n_pairs=n_pairs,
        n_showable=max(showable.pairs, int(confirmed.sum())),
        together=showable.together,
        same_agents=same,
        threshold=least,
        level=sure,
        enough_agents=agents_needed(least, error, like_these)
        if like_these
        else showable.enough_agents,
        more=more,
    )


def _groups(found: PairTest, statistics: SuccessStatistics) -> list[list[int]]:
    """Groups of near-copies; first the task that most agents tried, then the most informative."""
    tried = None if statistics.tried is None else statistics.tried.sum(1)
    bits = entropy(statistics.success)
    return [
        sorted(group, key=lambda task: (0 if tried is None else -tried[task], -bits[task], task))
        for group in groups(zip(found.first.tolist(), found.second.tolist(), strict=True))
    ]


def _group_of_pairs(found: PairTest, made: list[list[int]], tasks: int) -> Numbers:
    number = np.zeros(tasks, np.int64)
    for which, group in enumerate(made):
        number[group] = which + 1
    return np.where(number[found.first] == number[found.second], number[found.first], 0)


def _correlations(statistics: SuccessStatistics, found: PairTest) -> Floats:
    """Pearson's correlation of the success rates over the agents that tried both tasks."""
    values = np.empty(len(found.first))
    for pair, (one, other) in enumerate(zip(found.first, found.second, strict=True)):
        both = slice(None) if statistics.tried is None else (
            statistics.tried[one] & statistics.tried[other]
        )  # fmt: skip
        x, y = (statistics.rates[task][both].astype(np.float64) for task in (one, other))
        x, y = x - x.mean(), y - y.mean()
        values[pair] = (x @ y) / max(np.sqrt((x @ x) * (y @ y)), 1e-12)
    return values


def _scores_without(outcomes: Outcomes, left_out: Numbers) -> Floats:
    kept = np.setdiff1d(np.arange(outcomes.n_tasks), left_out)
    return mean_rates(outcomes.rates[:, kept], axis=1)


def _plural(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"

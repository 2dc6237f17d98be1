"""Is a population good enough for a map? A diagnosis from the results alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.applications.indistinct import Unseparated, agent_copies, unseparated_tasks
from taskspace.models.embedding.informative import check_agents
from taskspace.outcomes.outcomes import Outcomes
from taskspace.similarity.agent_kernel import effective_agents, own_gains
from taskspace.similarity.chance import (
    CHANCE_OF_A_PAIR,
    Scree,
    beyond_one_ability,
    parallel_analysis,
    share_above_chance,
)
from taskspace.similarity.profiles import CORRELATION, INFORMATION
from taskspace.similarity.reliability import TARGET, Reliability, split_half
from taskspace.similarity.statistics import SuccessStatistics

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

EASIEST, HARDEST = 0.95, 0.05  # success rates between which a task is usable
MOST_TASKS, MOST_AGENTS = 600, 2000  # a sample of so many represents all
NOTICEABLE = 0.05  # difference of two reliabilities that is worth a word
_TASKS_PER_BLOCK = 4096


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """Figures about a population, and what would improve it; see `diagnose`.

    Attributes:
        agents: The number of agents.
        tasks: The number of tasks.
        success: The mean success rate of each task; NaN if no agent tried it.
        usable: Which tasks have a success rate from 0.05 to 0.95.
        sampled_agents: The number of agents that the figures below are computed from.
        sampled_tasks: The number of usable tasks that the figures below are computed from; if no
            task is usable, of tasks on which agents differ.
        copies: Groups of agents that are copies of each other, among the sampled ones.
        distinct_agents: The number of sampled agents without the copies.
        effective_agents: The participation ratio of the covariance of agents.
        scree: The leading eigenvalues of the correlations of outcomes, and those of chance.
        several_abilities: Whether agents differ in more than one ability. Tasks of one ability and
            different difficulties may have several eigenvalues above chance.
        similar_pairs: The share of pairs of tasks whose similarity exceeds that of shuffled
            tables; 5 % by chance.
        reliability: The split-half reliability of similarities by measure, without copies. It is
            extrapolated from the sample to all agents.
        unseparated: Groups of tasks on which every agent has the same result; tasks that all or no
            agents solve are not among them.
        subpopulation: The subpopulation whose agents add most, if subpopulations are known.
        absent: The subpopulations of the environment's recipe that have no agent.
    """

    agents: int
    tasks: int
    success: Floats
    usable: NDArray[np.bool_]
    sampled_agents: int
    sampled_tasks: int
    copies: tuple[tuple[str, ...], ...]
    distinct_agents: int
    effective_agents: float
    scree: Scree
    several_abilities: bool
    similar_pairs: float
    reliability: dict[str, Reliability]
    unseparated: tuple[Unseparated, ...]
    subpopulation: str | None = None
    absent: tuple[str, ...] = ()

    @property
    def usable_tasks(self) -> int:
        """The number of tasks with a success rate from 0.05 to 0.95."""
        return int(self.usable.sum())

    @property
    def solved_by_all(self) -> int:
        """The number of tasks that all agents always solve."""
        return int((self.success >= 1).sum())

    @property
    def solved_by_none(self) -> int:
        """The number of tasks that no agent ever solves."""
        return int((self.success <= 0).sum())

    @property
    def skills(self) -> int:
        """The number of skills in which agents differ beyond chance (parallel analysis)."""
        return self.scree.above

    @property
    def first_factor(self) -> float:
        """The share of the first skill in what exceeds chance; NaN if nothing does."""
        return self.scree.first_share

    @property
    def copied_agents(self) -> int:
        """The number of agents that are copies of another."""
        return sum(len(group) - 1 for group in self.copies)

    @property
    def better_measure(self) -> str:
        """The measure that keeps more of the order of similarities; by default, information."""
        gain = self.reliability[CORRELATION].order - self.reliability[INFORMATION].order
        return CORRELATION if gain >= NOTICEABLE else INFORMATION

    @property
    def advice(self) -> tuple[str, ...]:
        """What would improve the population, one sentence each, the most important first."""
        from taskspace.applications.advice import advice

        return advice(self)

    @property
    def verdict(self) -> str:
        """One line: whether similarities from these agents can be relied on, and why."""
        from taskspace.applications.advice import verdict

        return verdict(self)

    @property
    def sample(self) -> str:
        """What the figures are computed from, if not from all usable tasks and agents."""
        some = []
        if self.sampled_agents < self.agents:
            some.append(f"{self.sampled_agents:,} of {self.agents:,} agents")
        if self.sampled_tasks < self.usable_tasks:
            some.append(f"{self.sampled_tasks:,} of {self.usable_tasks:,} usable tasks")
        return f"computed from a sample of {' and '.join(some)}" if some else ""

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The table of figures: what, its value and spread, and what it is compared with."""
        rows = [
            ("agents", self.agents, ""),
            ("copies of other agents", self.copied_agents, "0"),
            ("effective number of agents", self.effective_agents, f"of {self.distinct_agents:,}"),
            ("tasks", self.tasks, ""),
            ("usable tasks (success .05 to .95)", self.usable_tasks, f"of {self.tasks:,}"),
            ("tasks that all agents solve", self.solved_by_all, "0"),
            ("tasks that no agent solves", self.solved_by_none, "0"),
            ("tasks that no agent separates", self.unseparated_tasks, "0"),
            ("skills above chance", self.skills, "at least 2"),
            ("more than one ability", self.several_abilities, "1 (yes)"),
            ("share of the first skill", self.first_factor, "below 1"),
            ("similar pairs of tasks", self.similar_pairs, f"chance: {CHANCE_OF_A_PAIR:.2g}"),
        ]
        for measure, found in self.reliability.items():
            rows.append((f"reliability of {measure}", found.value, f"at least {TARGET}"))
            rows.append((f"the same of its order ({measure})", found.order, "chance: 0"))
        figures, values, compared = zip(*rows, strict=True)
        return {
            "figure": np.array(figures, np.str_),
            "value": np.array(values, np.float64),
            "compare": np.array(compared, np.str_),
        }

    @property
    def curve(self) -> dict[str, NDArray[Any]]:
        """The reliability to expect of other numbers of agents: its columns by name.

        The numbers reach to what the target needs, but not beyond eight times the agents.
        """
        more = self.reliability[self.better_measure].more_agents(TARGET)
        now = self.reliability[self.better_measure].agents
        most = 8 * now if more is None else int(np.clip(1.2 * (now + more), 2 * now, 8 * now))
        agents = np.unique(np.linspace(2, most, 60).astype(np.int64))
        return {
            "agents": agents,
            **{measure: found.at(agents) for measure, found in self.reliability.items()},
        }

    @property
    def unseparated_tasks(self) -> int:
        """The number of tasks that no agent separates from another task."""
        return sum(len(group.tasks) for group in self.unseparated)


def diagnose(source: Any, *, seed: int = 0) -> Diagnosis:
    """Say whether a population of agents is good enough for a map of tasks.

    It takes seconds: no map is made. Large tables are represented by a sample of at most 2,000
    agents and 600 usable tasks, which `sampled_agents` and `sampled_tasks` report.

    Args:
        source: The outcomes, or a `Run`, whose outcomes are used.
        seed: The seed of samples, splits and shuffles.

    Returns:
        The diagnosis. Figures that too few agents or tasks cannot support are NaN.

    Raises:
        ValueError: If the source has no outcomes, if there is a single agent, or if all agents
            have the same results.

    >>> rng = np.random.default_rng(0)
    >>> skills = np.repeat(rng.normal(size=(200, 3)), 10, axis=1)  # ten tasks for each of three
    >>> solved = rng.random((200, 30)) < 1 / (1 + np.exp(-2 * skills))
    >>> found = diagnose(Outcomes(solved.astype(int), 1))
    >>> found.skills, found.usable_tasks, found.copied_agents
    (3, 30, 0)
    >>> print(found.advice[0])
    About 320 more agents of the same kind would raise the reliability of similarities from .61 to .80.
    """  # noqa: E501
    outcomes = source if isinstance(source, Outcomes) else getattr(source, "outcomes", None)
    if not isinstance(outcomes, Outcomes):
        raise ValueError(f"the source must be Outcomes or a Run, got {checks.brief(source)}")
    rng = np.random.default_rng(checks.seed(seed))
    check_agents(outcomes)
    success, varies = _success(outcomes)
    usable = (success >= HARDEST) & (success <= EASIEST) & varies
    unseparated = unseparated_tasks(outcomes, np.flatnonzero(varies))
    sample, rows = _sample(outcomes, np.flatnonzero(usable if usable.any() else varies), rng)
    copies = agent_copies(sample)
    distinct, kept = _without(sample, copies)
    statistics, columns = SuccessStatistics.from_outcomes(distinct), np.arange(distinct.n_tasks)
    names = _subpopulations(source, outcomes)
    return Diagnosis(
        agents=outcomes.n_agents,
        tasks=outcomes.n_tasks,
        success=success,
        usable=usable,
        sampled_agents=sample.n_agents,
        sampled_tasks=sample.n_tasks,
        copies=copies,
        distinct_agents=distinct.n_agents,
        effective_agents=effective_agents(distinct),
        scree=parallel_analysis(statistics, columns, rng),
        several_abilities=beyond_one_ability(statistics, columns, rng),
        similar_pairs=share_above_chance(statistics, rng),
        reliability=split_half(statistics, rng, agents=_represented(outcomes, sample, distinct)),
        unseparated=unseparated,
        subpopulation=_adds_most(distinct, None if names is None else names[rows][kept]),
        absent=_absent(outcomes, names),
    )


def _success(outcomes: Outcomes) -> tuple[Floats, NDArray[np.bool_]]:
    """The mean success rate of each task, NaN if nobody tried it, and whether agents differ."""
    success, varies = np.full(outcomes.n_tasks, np.nan), np.zeros(outcomes.n_tasks, bool)
    for start in range(0, outcomes.n_tasks, _TASKS_PER_BLOCK):
        some = slice(start, start + _TASKS_PER_BLOCK)
        r = outcomes.rollouts[:, some]
        tried = r > 0
        rates = outcomes.successes[:, some] / np.maximum(r, 1)
        number = tried.sum(0)
        mean = rates.sum(0) / np.maximum(number, 1)
        success[some] = np.where(number > 0, mean, np.nan)
        lowest = rates.min(0, where=tried, initial=1.0)
        varies[some] = lowest < rates.max(0, where=tried, initial=0.0)
    return success, varies


def _sample(
    outcomes: Outcomes, tasks: Numbers, rng: np.random.Generator
) -> tuple[Outcomes, Numbers]:
    """Results on some of these tasks of some agents that tried them, and the rows of the agents.

    If there are many, they are those with most results; ties are broken at random.
    """
    columns = _most(np.count_nonzero(outcomes.rollouts, axis=0)[tasks], MOST_TASKS, rng)
    chosen = tasks[columns]
    rollouts = outcomes.rollouts[:, chosen]
    rows = _most(np.count_nonzero(rollouts, axis=1), MOST_AGENTS, rng)
    chosen = chosen[rollouts[rows].any(0)]
    part = Outcomes(
        outcomes.successes[np.ix_(rows, chosen)],
        outcomes.rollouts[np.ix_(rows, chosen)],
        agents=outcomes.agents[rows],
        tasks=outcomes.tasks[chosen],
    )
    return part, rows


def _represented(outcomes: Outcomes, sample: Outcomes, distinct: Outcomes) -> int:
    """The number of agents that the different agents of a sample stand for.

    Agents count by their results on the sampled tasks: a sample prefers agents with many.
    """
    if sample.n_agents == outcomes.n_agents:
        return distinct.n_agents
    columns = np.isin(outcomes.tasks, sample.tasks)
    results = np.count_nonzero(outcomes.rollouts[:, columns])
    return round(distinct.n_agents * results / np.count_nonzero(sample.rollouts))


def _most(counts: NDArray[Any], most: int, rng: np.random.Generator) -> Numbers:
    order = rng.permutation(len(counts))
    order = order[np.argsort(-counts[order], kind="stable")]
    return np.sort(order[:most])


def _without(
    outcomes: Outcomes, copies: Sequence[Sequence[str]]
) -> tuple[Outcomes, NDArray[np.bool_]]:
    """The outcomes of the first agent of each group only, and which agents are left."""
    left_out = {name for group in copies for name in group[1:]}
    kept = np.array([name not in left_out for name in outcomes.agents.tolist()])
    if kept.all():
        return outcomes, kept
    return (
        replace(
            outcomes,
            successes=outcomes.successes[kept],
            rollouts=outcomes.rollouts[kept],
            agents=outcomes.agents[kept],
        ),
        kept,
    )


# -- subpopulations --------------------------------------------------------------------------------


def _subpopulations(source: Any, outcomes: Outcomes) -> NDArray[np.object_] | None:
    """The subpopulation of each agent, from a run or the label of this name; None if unknown."""
    names = getattr(source, "subpopulations", None)
    if names is None:
        names = outcomes.agent_labels.get("subpopulation")
    if names is None or np.asarray(names).dtype.kind == "f":
        return None
    found = np.empty(len(names), object)
    found[:] = list(names)
    return found


def _adds_most(outcomes: Outcomes, names: NDArray[np.object_] | None) -> str | None:
    """The subpopulation whose agents the others explain least."""
    if names is None or len(set(names)) < 2:
        return None
    gains = own_gains(outcomes)
    return str(max(sorted(set(names)), key=lambda name: float(gains[names == name].mean())))


def _absent(outcomes: Outcomes, names: NDArray[np.object_] | None) -> tuple[str, ...]:
    """The subpopulations of the paper's recipe for this environment that have no agent."""
    from taskspace.training.recipes import PAPER

    recipe = PAPER.get(str(outcomes.info.get("environment")))
    if recipe is None or names is None:
        return ()
    return tuple(s.name for s in recipe.subpopulations if s.name not in set(names))

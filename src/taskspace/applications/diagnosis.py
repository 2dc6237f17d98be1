"""A diagnosis of a population: its figures, and what they mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.applications.indistinct import Unseparated
from taskspace.outcomes.html_tables import html_table
from taskspace.similarity.chance import CHANCE_OF_A_PAIR, Scree
from taskspace.similarity.profiles import CORRELATION, INFORMATION
from taskspace.similarity.reliability import TARGET, Reliability

Floats = NDArray[np.float64]

NOTICEABLE = 0.05  # difference of two reliabilities that is worth a word


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """Figures about a population, and what would improve it; see `diagnose`.

    Attributes:
        agents: The number of agents.
        tasks: The number of tasks.
        success: The mean success rate or normalised return of each task; NaN if no agent tried it.
        usable: Which tasks have a success rate from 0.05 to 0.95; of returns, on which tasks agents
            differ.
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
        absent: The subpopulations of the environment's recipe that have no agent.
        returns: Whether outcomes are returns.
        measure: The measure of the map, if these are the agents of a run; otherwise None.
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
    absent: tuple[str, ...] = ()
    returns: bool = False
    measure: str | None = None

    @property
    def usable_tasks(self) -> int:
        """The number of tasks with a success rate from 0.05 to 0.95, or with different returns."""
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
    def one_skill(self) -> bool:
        """Whether agents differ in one skill only, as far as they show."""
        return self.skills <= 1 or not self.several_abilities

    @property
    def trust(self) -> float:
        """Reliability (of information) × (1 - 1 / skills): how far a map can be trusted, 0 to 1.

        Agents that differ in one skill may agree with each other on similarities that no other
        agents share: 0 then. Of all figures, this product follows the quality of maps best.
        """
        skills = 1 if self.one_skill else self.skills
        return self.reliability[INFORMATION].value * (1 - 1 / skills)

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
    def level(self) -> str:
        """The verdict in a word, like that of a map: "reliable", "usable with care", ..."""
        from taskspace.applications.advice import level

        return level(self)

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

    def _repr_html_(self) -> str:
        """The table in a notebook."""
        return html_table(self.columns, self.verdict, self.advice, most=100)

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The table of figures: what, its value and spread, and what it is compared with."""
        rows = [
            ("agents", self.agents, ""),
            ("copies of other agents", self.copied_agents, "0"),
            ("effective number of agents", self.effective_agents, f"of {self.distinct_agents:,}"),
            ("tasks", self.tasks, ""),
            *self._about_tasks(),
            ("tasks that no agent separates", self.unseparated_tasks, "0"),
            ("skills above chance", self.skills, "at least 2"),
            ("more than one ability", self.several_abilities, "1 (yes)"),
            ("share of the first skill", self.first_factor, "below 1"),
            ("similar pairs of tasks", self.similar_pairs, f"chance: {CHANCE_OF_A_PAIR:.2g}"),
        ]
        for measure, found in self.reliability.items():
            rows.append((f"reliability of {measure}", found.value, f"at least {TARGET}"))
            rows.append((f"reliability of the order ({measure})", found.order, "chance: 0"))
        rows.append(("reliability × (1 - 1 / skills)", self.trust, "at most 1 - 1 / skills"))
        figures, values, compared = zip(*rows, strict=True)
        return {
            "figure": np.array(figures, np.str_),
            "value": np.array(values, np.float64),
            "compare": np.array(compared, np.str_),
        }

    def _about_tasks(self) -> list[tuple[str, float, str]]:
        usable = self.usable_tasks, f"of {self.tasks:,}"
        if self.returns:
            return [("usable tasks (agents differ)", *usable)]
        return [
            ("usable tasks (success 0.05 to 0.95)", *usable),
            ("tasks that all agents solve", self.solved_by_all, "0"),
            ("tasks that no agent solves", self.solved_by_none, "0"),
        ]

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

"""A population: agents of several subpopulations and levels of skill, by name."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from taskspace import checks
from taskspace.agents.agent import Agent, check_names_differ
from taskspace.outcomes.html_tables import html_table


class Population(Mapping[str, Any]):
    """A sequence of agents; also a mapping from their names to their policies.

    Args:
        agents: `Agent`s, a mapping from names to policies, or policies without names. A policy is
            a network, an expert, a torch module, a Stable-Baselines3 model or a function.
        environment: The name of the agents' environment.

    Attributes:
        agents: The agents in order.
        environment: The name of the agents' environment; empty if unknown.

    Raises:
        TypeError: If `agents` is neither a mapping nor iterable.
        ValueError: If two agents have the same name.

    Example:
        >>> import taskspace as ts
        >>> env = ts.make("MultiKeyNav")
        >>> from taskspace.agents.policies import ExpertPolicy
        >>> Population({"expert": ExpertPolicy(env), "novice": ts.MLPPolicy.random(env, seed=0)})
        Population(2 agents)
    """

    def __init__(self, agents: Iterable[Any], environment: str = "") -> None:
        if not isinstance(environment, str):
            raise TypeError(
                f"environment must be the name of an environment, got {checks.brief(environment)}"
            )
        self.agents = tuple(_as_agents(agents))
        self.environment = environment
        check_names_differ(self.agents)
        self._policies = {agent.name: agent.policy for agent in self.agents}

    def __getitem__(self, name: str) -> Any:
        try:
            return self._policies[name]
        except KeyError:
            raise KeyError(f"there is no agent {name!r} in the population") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._policies)

    def __len__(self) -> int:
        return len(self.agents)

    def __add__(self, other: Any) -> Population:
        if not isinstance(other, Population):
            return NotImplemented
        environment = self.environment if self.environment == other.environment else ""
        return Population([*self.agents, *other.agents], environment)

    @property
    def subpopulations(self) -> tuple[str, ...]:
        """The names of the subpopulations, in order of first appearance."""
        return tuple(dict.fromkeys(agent.subpopulation for agent in self.agents))

    def select(self, subpopulation: str) -> Population:
        """Select the agents of one subpopulation.

        Args:
            subpopulation: The name of the subpopulation.

        Returns:
            A population of these agents.

        Raises:
            ValueError: If there is no such subpopulation.
        """
        if subpopulation not in self.subpopulations:
            known = ", ".join(repr(name) for name in self.subpopulations)
            raise ValueError(
                f"there is no subpopulation {subpopulation!r} in the population; it has {known}"
            )
        chosen = [agent for agent in self.agents if agent.subpopulation == subpopulation]
        return Population(chosen, self.environment)

    def table(self) -> list[dict[str, Any]]:
        """List the agents.

        Returns:
            One dict per agent: name, subpopulation, step and skill.
        """
        columns = ("name", "subpopulation", "step", "skill")
        return [{column: getattr(agent, column) for column in columns} for agent in self.agents]

    def __repr__(self) -> str:
        count = f"{len(self)} agent" if len(self) == 1 else f"{len(self)} agents"
        of = f" of {self.environment}" if self.environment else ""
        parts = len(self.subpopulations)
        return f"Population({count}{of}{f' in {parts} subpopulations' if parts > 1 else ''})"

    def _repr_html_(self) -> str:
        """The subpopulations in a notebook."""
        names = self.subpopulations
        said = [_summary(self.select(name).agents) for name in names]
        columns = {
            "subpopulation": [name or "agents" for name in names],
            "agents": [", ".join(text.strip().split("  ")) for text in said],
        }
        return html_table(columns, repr(self), what="subpopulations")

    def __str__(self) -> str:
        """One line per subpopulation: the number of agents, their steps and their skill."""
        names = [name or "agents" for name in self.subpopulations]
        width = max(map(len, names), default=0)
        lines = [
            f"  {name:<{width}}  {_summary(self.select(key).agents)}"
            for name, key in zip(names, self.subpopulations, strict=True)
        ]
        return "\n".join([repr(self), *lines])

    @classmethod
    def from_checkpoints(cls, folder: str | os.PathLike[str], algorithm: Any) -> Population:
        """Load all models (.zip) that Stable-Baselines3 or sb3-contrib saved in a folder.

        These files contain pickled objects: load them only from sources that you trust.

        Args:
            folder: The folder. Each subfolder is a subpopulation. A file name that ends in e.g.
                `_1000_steps`, as checkpoints have, gives the training step.
            algorithm: The class of the models, e.g. `stable_baselines3.PPO`, or its name.

        Returns:
            The population.

        Raises:
            FileNotFoundError: If there is no such folder.
            ImportError: If there is no algorithm of this name.
            TypeError: If `algorithm` is neither a class of models nor a name.
            ValueError: If there are no models, or if one cannot be loaded.
        """
        from taskspace.agents.sb3 import read_checkpoints

        return Population(read_checkpoints(folder, algorithm))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the population to one file (a zip archive); the file is written atomically.

        Nothing is pickled, except by Stable-Baselines3 in the files of its models.

        Args:
            path: The file.

        Raises:
            TypeError: If a policy cannot be saved, e.g. because it is a function.
        """
        from taskspace.agents.storage import write

        write(self.agents, self.environment, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Population:
        """Load a population that `save` wrote.

        Args:
            path: The file.

        Returns:
            The population.

        Raises:
            FileNotFoundError: If there is no such file.
            ValueError: If the file is damaged, or if it is not a population.
        """
        from taskspace.agents.storage import read

        return Population(*read(path))


def _as_agents(agents: Any) -> Iterator[Agent]:
    if isinstance(agents, Population):
        yield from agents.agents
    elif isinstance(agents, Mapping):
        for name, policy in agents.items():
            yield policy if isinstance(policy, Agent) else Agent(name, policy)
    elif isinstance(agents, Iterable) and not isinstance(agents, (str, bytes)):
        for index, agent in enumerate(agents):
            yield agent if isinstance(agent, Agent) else Agent(f"agent-{index}", agent)
    else:
        raise TypeError(
            f"the agents of a population must be a list or a mapping, got {checks.brief(agents)}"
        )


def _summary(agents: tuple[Agent, ...]) -> str:
    count = f"{len(agents):3d} agent{' ' if len(agents) == 1 else 's'}"
    skills = [agent.skill for agent in agents if not math.isnan(agent.skill)]
    steps = f"  after {min(a.step for a in agents):,} to {max(a.step for a in agents):,} steps"
    skill = f"  skill {min(skills):.2f} to {max(skills):.2f}" if skills else ""
    return count + (steps if any(agent.step for agent in agents) else "") + skill

"""A population: agents of several kinds and of rising skill, under their names."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from taskspace.agents.agent import Agent, check_names_differ


class Population(Mapping[str, Any]):
    """Agents in order; as a mapping, from names to policies, so that `evaluate` takes it.

    It is made from `Agent`s, from a mapping of names to policies, or from a list of policies
    (networks, torch modules, Stable-Baselines3 models, functions).

    >>> import taskspace as ts
    >>> env = ts.make("MultiKeyNav")
    >>> from taskspace.agents.policies import ExpertPolicy
    >>> Population({"expert": ExpertPolicy(env), "novice": ts.MLPPolicy.random(env, seed=0)})
    Population(2 agents)
    """

    def __init__(self, agents: Iterable[Any], environment: str = "") -> None:
        self.agents = tuple(_as_agents(agents))
        self.environment = environment
        check_names_differ(self.agents)
        self._policies = {agent.name: agent.policy for agent in self.agents}

    def __getitem__(self, name: str) -> Any:
        try:
            return self._policies[name]
        except KeyError:
            raise KeyError(f"there is no agent {name!r}") from None

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
        """Their names, in the order of first appearance."""
        return tuple(dict.fromkeys(agent.subpopulation for agent in self.agents))

    def select(self, subpopulation: str) -> Population:
        """The agents of one subpopulation."""
        if subpopulation not in self.subpopulations:
            known = ", ".join(repr(name) for name in self.subpopulations)
            raise ValueError(f"there is no subpopulation {subpopulation!r}; there are: {known}")
        chosen = [agent for agent in self.agents if agent.subpopulation == subpopulation]
        return Population(chosen, self.environment)

    def table(self) -> list[dict[str, Any]]:
        """A row for each agent: name, subpopulation, step, skill."""
        columns = ("name", "subpopulation", "step", "skill")
        return [{column: getattr(agent, column) for column in columns} for agent in self.agents]

    def __repr__(self) -> str:
        count = f"{len(self)} agent" if len(self) == 1 else f"{len(self)} agents"
        of = f" of {self.environment}" if self.environment else ""
        kinds = len(self.subpopulations)
        return f"Population({count}{of}{f' in {kinds} subpopulations' if kinds > 1 else ''})"

    def __str__(self) -> str:
        """One line for each subpopulation: how many, how many steps, what skill."""
        names = [name or "agents" for name in self.subpopulations]
        width = max(map(len, names), default=0)
        lines = [
            f"  {name:<{width}}  {_summary(self.select(key).agents)}"
            for name, key in zip(names, self.subpopulations, strict=True)
        ]
        return "\n".join([repr(self), *lines])

    @classmethod
    def from_checkpoints(cls, folder: str | os.PathLike[str], algorithm: Any) -> Population:
        """Load every model (.zip) that Stable-Baselines3 or sb3-contrib saved in a folder.

        `algorithm` is their class, such as `stable_baselines3.PPO`, or its name. A subfolder is a
        subpopulation; names that end in `_1000_steps`, as checkpoints have them, tell the step.
        Such files hold pickled parts: load them only from people you trust.
        """
        from taskspace.agents.sb3 import read_checkpoints

        return Population(read_checkpoints(folder, algorithm))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one file, a zip without pickle inside, all or nothing."""
        from taskspace.agents.storage import write

        write(self.agents, self.environment, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Population:
        """Read a file that `save` wrote."""
        from taskspace.agents.storage import read

        return Population(*read(path))


def _as_agents(agents: Any) -> Iterator[Agent]:
    if isinstance(agents, Population):
        yield from agents.agents
    elif isinstance(agents, Mapping):
        for name, policy in agents.items():
            yield policy if isinstance(policy, Agent) else Agent(name, policy)
    elif isinstance(agents, Iterable) and not isinstance(agents, str):
        for index, agent in enumerate(agents):
            yield agent if isinstance(agent, Agent) else Agent(f"agent-{index}", agent)
    else:
        raise TypeError(f"a population is made from a list or a mapping of agents, not {agents!r}")


def _summary(agents: tuple[Agent, ...]) -> str:
    count = f"{len(agents):3d} agent{' ' if len(agents) == 1 else 's'}"
    skills = [agent.skill for agent in agents if not math.isnan(agent.skill)]
    steps = f"  after {min(a.step for a in agents):,} to {max(a.step for a in agents):,} steps"
    skill = f"  skill {min(skills):.2f} to {max(skills):.2f}" if skills else ""
    return count + (steps if any(agent.step for agent in agents) else "") + skill

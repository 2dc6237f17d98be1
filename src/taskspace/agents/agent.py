"""One agent of a population: a policy with a name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from taskspace import checks


@dataclass(frozen=True, eq=False)
class Agent:
    """An agent: a policy with a name and its origin.

    Attributes:
        name: The name of the agent.
        policy: The policy: a network, an expert, a torch module, a Stable-Baselines3 model or a
            function.
        subpopulation: The name of the agent's subpopulation.
        step: The number of training steps of the agent.
        skill: The success rate of the agent when its training was measured; NaN if unknown.

    Raises:
        TypeError: If `name` or `subpopulation` is not a string.
        ValueError: If the name is empty, or if `step` or `skill` is out of range.

    Example:
        >>> import taskspace as ts
        >>> Agent("novice", ts.MLPPolicy.random(ts.make("MultiKeyNav"), seed=0), skill=0.01)
        Agent('novice', skill 0.01, MLPPolicy(7-32-32-7, relu, categorical))
    """

    name: str
    policy: Any
    subpopulation: str = ""
    step: int = 0
    skill: float = math.nan

    def __post_init__(self) -> None:
        for field in ("name", "subpopulation"):
            if not isinstance(getattr(self, field), str):
                raise TypeError(
                    f"the {field} of an agent must be a string,"
                    f" got {checks.brief(getattr(self, field))}"
                )
        if not self.name:
            raise ValueError("the name of an agent must be a string that is not empty, got ''")
        object.__setattr__(
            self, "step", checks.whole(self.step, f"the step of {self.name}", most=2**63 - 1)
        )
        skill = self.skill
        if not isinstance(skill, (int, float)) or not (math.isnan(skill) or 0 <= skill <= 1):
            raise ValueError(
                f"the skill of {self.name} must be in 0 to 1, got {checks.brief(skill)}"
            )
        object.__setattr__(self, "skill", float(skill))

    def __repr__(self) -> str:
        skill = "" if math.isnan(self.skill) else f", skill {self.skill:.2f}"
        return f"Agent({self.name!r}{skill}, {self.policy!r})"


def check_names_differ(agents: Sequence[Agent]) -> None:
    """Check that the names of agents are distinct."""
    names = [agent.name for agent in agents]
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the names of agents must be distinct, got {repeated!r} twice")

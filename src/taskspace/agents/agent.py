"""One agent of a population: a policy under a name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from taskspace import checks


@dataclass(frozen=True, eq=False)
class Agent:
    """One member: a policy, and where it comes from.

    `step` counts the training steps behind it, `skill` is its success rate on the tasks that
    snapshots were judged by (NaN where nobody measured it).
    """

    name: str
    policy: Any
    subpopulation: str = ""
    step: int = 0
    skill: float = math.nan

    def __post_init__(self) -> None:
        for field in ("name", "subpopulation"):
            if not isinstance(getattr(self, field), str):
                raise TypeError(f"the {field} of an agent is text, not {getattr(self, field)!r}")
        if not self.name:
            raise ValueError("the name of an agent must not be empty")
        object.__setattr__(self, "step", checks.whole(self.step, f"the step of {self.name}"))
        skill = self.skill
        if not isinstance(skill, (int, float)) or not (math.isnan(skill) or 0 <= skill <= 1):
            raise ValueError(f"the skill of {self.name} is a number from 0 to 1, not {skill!r}")
        object.__setattr__(self, "skill", float(skill))

    def __repr__(self) -> str:
        skill = "" if math.isnan(self.skill) else f", skill {self.skill:.2f}"
        return f"Agent({self.name!r}{skill}, {self.policy!r})"


def check_names_differ(agents: Sequence[Agent]) -> None:
    """Refuse two agents of the same name."""
    names = [agent.name for agent in agents]
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two agents have the name {repeated!r}")

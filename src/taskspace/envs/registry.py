"""The environments by name, here and in Gymnasium; each is loaded when it is first made."""

from __future__ import annotations

import difflib
import importlib
from typing import TYPE_CHECKING

import gymnasium as gym

if TYPE_CHECKING:
    from taskspace.envs.base import Environment

ENVIRONMENTS = {
    "MultiKeyNav": "taskspace.envs.multikeynav",
    "MultiKeyNavAB": "taskspace.envs.multikeynav",
    "MultiKeyNavA": "taskspace.envs.multikeynav",
    "CartPoleVar": "taskspace.envs.cartpolevar",
    "PointMass": "taskspace.envs.pointmass",
    "BasicKarel": "taskspace.envs.basickarel",
}
PROGRAMMING = {"Karel": "taskspace.envs.karel.environment"}  # no steps to play: not in Gymnasium


def make(name: str) -> Environment:
    """The environment of this name; capitals do not matter.

    >>> import taskspace as ts
    >>> ts.make("cartpolevar").action_names
    ('left', 'right')
    """
    if not isinstance(name, str):
        raise ValueError(f"an environment is made by its name, such as 'MultiKeyNav', not {name!r}")
    modules = ENVIRONMENTS | PROGRAMMING
    by_lower = {known.lower(): known for known in modules}
    known = by_lower.get(name.lower())
    if known is None:
        near = difflib.get_close_matches(name.lower(), by_lower, 1, cutoff=0.4)
        hint = f", did you mean {by_lower[near[0]]!r}?" if near else "."
        raise ValueError(f"there is no environment {name!r}{hint} Known are: {', '.join(modules)}")
    environment: Environment = getattr(importlib.import_module(modules[known]), known)()
    return environment


def register() -> None:
    """Make `gymnasium.make("taskspace/<name>-v0")` and `make_vec` work."""
    for name in ENVIRONMENTS:
        # No max_episode_steps: the horizon is part of the dynamics, our step reports it.
        gym.register(
            id=f"taskspace/{name}-v0",
            entry_point="taskspace.envs.to_gymnasium:TaskEnv",
            vector_entry_point="taskspace.envs.to_gymnasium:TaskVectorEnv",
            kwargs={"env": name},
        )

"""The environments by name, here and in Gymnasium; each module is imported when it is needed."""

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
PROGRAMMING = {"Karel": "taskspace.envs.karel.environment"}  # without steps: not in Gymnasium


def make(name: str) -> Environment:
    """Make one of the library's environments.

    Args:
        name: The name of the environment, in upper or lower case.

    Returns:
        The environment.

    Raises:
        ValueError: If there is no environment of this name.

    Example:
        >>> import taskspace as ts
        >>> ts.make("cartpolevar").action_names
        ('left', 'right')
    """
    if not isinstance(name, str):
        raise ValueError(
            f"the name of an environment must be a string such as 'MultiKeyNav', got {name!r}"
        )
    modules = ENVIRONMENTS | PROGRAMMING
    by_lower = {known.lower(): known for known in modules}
    known = by_lower.get(name.lower())
    if known is None:
        near = difflib.get_close_matches(name.lower(), by_lower, 1, cutoff=0.4)
        hint = f" Did you mean {by_lower[near[0]]!r}?" if near else ""
        raise ValueError(
            f"there is no environment {name!r} in taskspace; there are {', '.join(modules)}.{hint}"
        )
    environment: Environment = getattr(importlib.import_module(modules[known]), known)()
    return environment


def register() -> None:
    """Make `gymnasium.make("taskspace/<name>-v0")` and `make_vec` work."""
    for name in ENVIRONMENTS:
        # Without max_episode_steps: the horizon is part of the dynamics, and `step` reports it.
        gym.register(
            id=f"taskspace/{name}-v0",
            entry_point="taskspace.envs.to_gymnasium:TaskEnv",
            vector_entry_point="taskspace.envs.to_gymnasium:TaskVectorEnv",
            kwargs={"env": name},
        )

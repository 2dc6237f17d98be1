"""The environments by name, here and in Gymnasium; each module is imported when it is needed."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import gymnasium as gym

from taskspace import checks
from taskspace.outcomes.plugins import load, plugins

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
GROUP = "taskspace.environments"  # of entry points, by which other packages add environments


def names() -> list[str]:
    """The names of all environments: those of the library, and those of other packages."""
    own = ENVIRONMENTS | PROGRAMMING
    return [*own, *(name for name in sorted(plugins(GROUP)) if name not in own)]


def make(name: str) -> Environment:
    """Make an environment of the library, or one that another installed package adds.

    Packages add environments by entry points in the group `taskspace.environments`, each of which
    names a subclass of `Environment`; it is made without arguments. They cannot replace the
    environments of the library.

    Args:
        name: The name of the environment, in upper or lower case.

    Returns:
        The environment.

    Raises:
        ValueError: If there is no environment of this name.
        ImportError: If an environment of another package cannot be loaded.

    Example:
        >>> import taskspace as ts
        >>> ts.make("cartpolevar").action_names
        ('left', 'right')
    """
    if not isinstance(name, str):
        raise ValueError(
            f"the name of an environment must be a string such as 'MultiKeyNav', got {name!r}"
        )
    everything = names()
    by_lower = {known.lower(): known for known in reversed(everything)}  # ours come first
    known = by_lower.get(name.lower())
    if known is None:
        near = checks.nearest(name, everything)
        hint = f" Did you mean {near!r}?" if near else ""
        raise ValueError(
            f"there is no environment {name!r} in taskspace; there are"
            f" {', '.join(everything)}.{hint}"
        )
    own = ENVIRONMENTS | PROGRAMMING
    if known not in own:
        from taskspace.envs.base import Environment

        added: Environment = load(plugins(GROUP)[known], Environment)
        return added
    environment: Environment = getattr(importlib.import_module(own[known]), known)()
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

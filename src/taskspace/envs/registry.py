"""The environments by name."""

from __future__ import annotations

import difflib

from taskspace.envs.base import Environment
from taskspace.envs.basickarel import BasicKarel
from taskspace.envs.cartpolevar import CartPoleVar
from taskspace.envs.multikeynav import MultiKeyNav, MultiKeyNavA, MultiKeyNavAB
from taskspace.envs.pointmass import PointMass

ENVIRONMENTS: dict[str, type[Environment]] = {
    environment.name: environment
    for environment in (
        MultiKeyNav,
        MultiKeyNavAB,
        MultiKeyNavA,
        CartPoleVar,
        PointMass,
        BasicKarel,
    )
}


def make(name: str) -> Environment:
    """The environment of this name; capitals do not matter.

    >>> import taskspace as ts
    >>> ts.make("cartpolevar").action_names
    ('left', 'right')
    """
    by_lower = {known.lower(): known for known in ENVIRONMENTS}
    known = by_lower.get(str(name).lower())
    if known is None:
        near = difflib.get_close_matches(str(name).lower(), by_lower, 1, cutoff=0.4)
        hint = f", did you mean {by_lower[near[0]]!r}?" if near else "."
        raise ValueError(
            f"there is no environment {name!r}{hint} Known are: {', '.join(ENVIRONMENTS)}"
        )
    return ENVIRONMENTS[known]()

"""Outcomes as the columns of a table, from which `Outcomes.from_table` restores them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace.outcomes.columns import RETURNS, SPREAD

if TYPE_CHECKING:
    from taskspace.outcomes.outcomes import Outcomes


def columns_of(outcomes: Outcomes) -> dict[str, Any]:
    """The columns of a table with one row per tried pair; see `Outcomes.to_table`."""
    listed = outcomes.rollouts > 0
    listed[0] = True
    listed[~listed.any(axis=1), 0] = True
    agent, task = np.nonzero(listed)
    columns: dict[str, Any] = {
        "agent": outcomes.agents[agent],
        "task": outcomes.tasks[task],
        **{name: values[agent, task] for name, values in _results(outcomes).items()},
    }
    if outcomes.features is not None:
        for name, values in zip(outcomes.feature_names, outcomes.features.T, strict=True):
            columns[name] = values[task]
    for labels, owner in ((outcomes.task_labels, task), (outcomes.agent_labels, agent)):
        for name, values in labels.items():
            if name in columns:
                raise ValueError(
                    f"the columns of a table must have different names, got the label {name!r}"
                    " and another column of this name; rename the label"
                )
            columns[name] = values[owner]
    return columns


def _results(outcomes: Outcomes) -> dict[str, NDArray[Any]]:
    """The columns that have results."""
    if outcomes.scale is None or outcomes.returns is None:
        return {"successes": outcomes.successes, "rollouts": outcomes.rollouts}
    spreads = {} if outcomes.return_spreads is None else {SPREAD[0]: outcomes.return_spreads}
    return {RETURNS[0]: outcomes.returns, **spreads, "rollouts": outcomes.rollouts}


def frame_of(outcomes: Outcomes, package: str) -> Any:
    """The table as a DataFrame of a package that the library itself does not need."""
    try:
        library = importlib.import_module(package)
    except ImportError as error:
        raise ImportError(
            f"there is no package {package}; install it with pip install {package}"
        ) from error
    return library.DataFrame(columns_of(outcomes))

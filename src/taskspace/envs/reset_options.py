"""The options of `reset`: which tasks to start, and in which copies."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.envs.base import Tasks
from taskspace.envs.copies import Copies


def task_option(options: dict[str, Any] | None, copies: Copies) -> Tasks | None:
    """The tasks in the reset options, one per copy: checked now, or rows of the checked table."""
    if options is None:
        return None
    env, count = copies.env, len(copies.status)
    if options.get("task_index") is not None:
        return copies.table[_positions(options["task_index"], len(copies.table), count)]
    if options.get("task") is None:
        return None
    tasks = env.check_tasks(options["task"])
    if len(tasks) == 1:
        tasks = np.repeat(tasks, count, axis=0)
    if len(tasks) != count:
        raise ValueError(f"the number of tasks for {env.name} must be {count}, got {len(tasks)}")
    return tasks


def _positions(given: Any, known: int, count: int) -> NDArray[np.int64]:
    """One position in the table of tasks per copy."""
    positions = checks.indices(np.atleast_1d(given), known, "task_index")
    if len(positions) not in (1, count):
        raise ValueError(f"task_index must be {count} positions, got {len(positions)}")
    return np.broadcast_to(positions, count)


def reset_mask(options: dict[str, Any] | None, copies: int) -> NDArray[np.bool_]:
    """Which copies to reset; all by default."""
    mask = None if options is None else options.get("reset_mask")
    if mask is None:
        return np.ones(copies, np.bool_)
    mask = np.asarray(mask)
    if mask.shape != (copies,) or mask.dtype != np.bool_ or not mask.any():
        raise ValueError(
            f"reset_mask must be {copies} booleans, at least one of them true,"
            f" got {mask.dtype} of shape {mask.shape}"
        )
    return mask

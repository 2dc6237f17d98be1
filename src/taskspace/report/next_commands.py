"""What to do next with a run, as commands to paste."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import numpy as np

from taskspace.models.embedding.verdict import RELIABLE

if TYPE_CHECKING:
    from taskspace.runs.run import Run


def next_commands(run: Run, folder: str) -> dict[str, str]:
    """Commands with what they do; after a map that is not reliable, first the doctor.

    Args:
        run: The run.
        folder: The path of its folder for the commands.

    Returns:
        The purposes by command.
    """
    where, name = shlex.quote(folder), _telling(run)
    task = f"{'-- ' if name.startswith('-') else ''}{shlex.quote(name)}"
    doctor = {f"taskspace doctor {where}": "see what would improve the map"}
    return {
        **({} if run.verdict.level == RELIABLE else doctor),
        f"taskspace explore {where}": "see the map in a browser",
        f"taskspace similar {where} {task}": "list the most similar tasks",
        f"taskspace quiz {where}": "predict what an agent can do",
    }


def _telling(run: Run) -> str:
    """The name of the task that tells most about an agent, whose neighbours mean most."""
    return str(run.outcomes.tasks[np.square(run.index.vectors).sum(1).argmax()])

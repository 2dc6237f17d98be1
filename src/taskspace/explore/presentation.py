"""How the page shows tasks and asks for new ones, as the tasks' environment says."""

from __future__ import annotations

from typing import Any

from taskspace.envs.base import Environment

PROGRAM = "program"  # the form in which a new task is a program


def form_kind(space: object) -> str:
    """The form of a new task, by its name in `assets/tasks/form.js`.

    >>> import taskspace as ts
    >>> form_kind(ts.make("Karel"))
    'program'
    """
    return space.page_form if isinstance(space, Environment) else Environment.page_form


def drawing(space: object) -> dict[str, Any] | None:
    """The drawing of a task, by its name in `assets/tasks/drawing.js`, and what it has to know.

    >>> import taskspace as ts
    >>> drawing(ts.make("MultiKeyNavA"))
    {'kind': 'keys', 'doors': [['A'], ['A'], ['A'], ['A']]}
    """
    return space.page_drawing if isinstance(space, Environment) else None

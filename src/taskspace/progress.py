"""Progress bars for long work; by default they are shown on terminals only."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Protocol

import numpy as np

from taskspace import checks


class Advance(Protocol):
    """Reports completed units to a progress bar, with an optional note."""

    def __call__(self, done: int, note: str = "") -> None:
        """Advance the bar by `done` units."""


@contextlib.contextmanager
def progress_bar(title: str, total: int, show: bool | None = None) -> Iterator[Advance]:
    """Show a bar of `total` units; the block calls the yielded function as units are completed.

    By default the bar is shown on terminals only. It goes to standard error, not standard output.
    """
    if show is not None and not isinstance(show, (bool, np.bool_)):
        raise ValueError(f"progress must be True, False or None, got {checks.brief(show)}")
    if not (sys.stderr.isatty() if show is None else show):
        yield lambda done, note="": None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    parts = (
        "[bold]{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
        "{task.fields[note]}",
    )  # fmt: skip
    with Progress(*parts, console=Console(stderr=True)) as progress:
        bar = progress.add_task(title, total=total, note="")

        def advance(done: int, note: str = "") -> None:
            progress.update(bar, advance=done, note=note)

        yield advance

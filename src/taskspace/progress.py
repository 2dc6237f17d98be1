"""Progress bars: on a terminal, for work that takes a while; silent elsewhere."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Protocol

import numpy as np


class Advance(Protocol):
    """Tells a bar the units just done, and a word on how it goes."""

    def __call__(self, done: int, note: str = "") -> None:
        """Move the bar on."""


@contextlib.contextmanager
def progress_bar(title: str, total: int, show: bool | None = None) -> Iterator[Advance]:
    """A bar of `total` units; the block calls what it is given with the units just done.

    By default it shows on a terminal only. Bars go to standard error, results to standard output.
    """
    if show is not None and not isinstance(show, (bool, np.bool_)):
        raise ValueError(f"progress must be True, False or None, not {show!r}")
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

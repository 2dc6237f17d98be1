"""Progress bars for long work; by default they are shown on terminals and in notebooks."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from html import escape
from typing import Any, Protocol

import numpy as np

from taskspace import checks

_PAUSE = 0.2  # seconds between updates in a notebook


class Advance(Protocol):
    """Reports completed units to a progress bar, with an optional note."""

    def __call__(self, done: int, note: str = "") -> None:
        """Advance the bar by `done` units."""


@contextlib.contextmanager
def progress_bar(title: str, total: int, show: bool | None = None) -> Iterator[Advance]:
    """Show a bar of `total` units; the block calls the yielded function as units are completed.

    By default the bar is shown on terminals, where it goes to standard error, and in notebooks.
    """
    if show is not None and not isinstance(show, (bool, np.bool_)):
        raise ValueError(f"progress must be True, False or None, got {checks.brief(show)}")
    notebook = in_notebook()
    if not (sys.stderr.isatty() or notebook if show is None else show):
        yield lambda done, note="": None
        return
    if notebook:
        with _notebook_bar(title, total) as advance:
            yield advance
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    parts = (
        "[bold]{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
        "{task.fields[note]}",
    )  # fmt: skip
    with Progress(*parts, console=Console(stderr=True)) as progress:
        bar = progress.add_task(title, total=total, note="")

        def step(done: int, note: str = "") -> None:
            progress.update(bar, advance=done, note=note)

        yield step


def in_notebook() -> bool:
    """Whether this is a kernel of Jupyter, whose output is a page and not a terminal."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    # By name, because importing it takes time; hosted notebooks have subclasses of it.
    return any(base.__name__ == "ZMQInteractiveShell" for base in type(shell).__mro__)


@contextlib.contextmanager
def _notebook_bar(title: str, total: int) -> Iterator[Advance]:
    """A bar in the output of a cell, in plain HTML; Rich's would need widgets."""
    from IPython.display import HTML, display

    start = shown = time.monotonic()
    count, said = 0, ""
    handle: Any = display(HTML(_bar(title, 0, total, 0.0, "")), display_id=True)

    def advance(done: int, note: str = "") -> None:
        nonlocal count, said, shown
        count, said = count + done, note
        if time.monotonic() - shown > _PAUSE:
            shown = time.monotonic()
            handle.update(HTML(_bar(title, count, total, shown - start, said)))

    try:
        yield advance
    finally:
        handle.update(HTML(_bar(title, count, total, time.monotonic() - start, said)))


def _bar(title: str, count: int, total: int, seconds: float, note: str) -> str:
    label, text = escape(title), escape(f"{count:,}/{total:,}  {seconds:.0f} s  {note}")
    bar = f'<progress value="{count}" max="{total}" aria-label="{label}"></progress>'
    return f"<div><b>{label}</b> {bar} {text}</div>"

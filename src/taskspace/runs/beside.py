"""Parts of a run that are made in a second process, while the first one makes others.

A process and not a thread, because torch has one random state, and Python one lock. Results do not
depend on where they are made: on one core, everything is made in turn.
"""

from __future__ import annotations

import contextlib
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from taskspace.files import OURS, explain_errors
from taskspace.rollouts.cores import available_cores
from taskspace.runs import parts
from taskspace.runs.layout import Part
from taskspace.runs.run import Run
from taskspace.runs.sources.base import Played, Source
from taskspace.runs.stages import Stages, has_result
from taskspace.training.processes import Process


class Beside(contextlib.AbstractContextManager["Beside"]):
    """The second process of a run, if it has one: if there are two cores, and enough to do.

    It starts at once, so that its imports are done when there is work. After a kill, it ends by
    itself, and what it had begun is begun again.
    """

    def __init__(self, source: Source, stages: Stages) -> None:
        self._source, self._stages = source, stages
        self._asked: dict[Part, tuple[Future[list[str]], Path, float]] = {}
        self._undo = contextlib.ExitStack()
        self._missing = [part for part in source.beside if not has_result(stages.folder, part)]
        if available_cores() < 2 or not self._missing:
            self._missing = []
            return
        with explain_errors(stages.folder):
            folder = tempfile.TemporaryDirectory(prefix=OURS, dir=stages.folder)
        self._folder = Path(self._undo.enter_context(folder))
        self._process = self._undo.enter_context(Process())
        self._pool = self._undo.enter_context(ThreadPoolExecutor(1))
        self._undo.callback(self._process.kill)  # first, so that no call waits any longer
        self._pool.submit(self._call, parts.get_ready, torch=source.uses_torch)

    def __exit__(self, *error: object) -> None:
        if self._missing:
            self._pool.shutdown(wait=False, cancel_futures=True)
        self._undo.close()

    def ask(self, part: Part) -> None:
        """Begin to make a part, if it is one that is made beside others and is not there yet."""
        if part in self._missing:
            path, run = self._folder / part.file, str(self._stages.folder)
            named = {"folder": run, "source": self._source.described(), "stage": part.stage}
            future = self._pool.submit(self._call, parts.make_part, **named, path=str(path))
            self._asked[part] = future, path, time.perf_counter()

    def is_making(self, part: Part) -> bool:
        """Whether the second process makes this part."""
        return part in self._asked

    def stage(
        self, part: Part, run: Run, played: Played, *, after: Sequence[str] | None = None
    ) -> Any:
        """The result of a stage: that of the second process if it was asked, or made here."""
        recipe = parts.RECIPES[part]
        if part not in self._asked:
            make: Callable[[], Any] = lambda: recipe.make(self._source, run, played)  # noqa: E731
            return self._stages.stage(part, make, recipe.save, recipe.load, after=after)
        future, path, start = self._asked.pop(part)
        try:
            reported = future.result()
        except ChildProcessError:  # it died, perhaps for lack of memory
            return self.stage(part, run, played, after=after)
        for text in reported:
            warnings.warn(text, stacklevel=2)
        return self._stages.stage(
            part, lambda: path, Path.rename, recipe.load, after=after, start=start
        )

    def _call(self, function: Callable[..., None], **named: Any) -> list[str]:
        """Call a function in the second process; returns what it reported."""
        reported: list[str] = []
        self._process.call(f"{function.__module__}:{function.__name__}", named, reported.append)
        return reported

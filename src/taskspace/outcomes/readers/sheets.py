"""Attempts as numbers of tasks and scores, so that millions of them take little memory."""

from __future__ import annotations

import math
from array import array
from typing import Any

from taskspace import checks
from taskspace.outcomes.labels import shortened
from taskspace.outcomes.readers.scores import as_score

LONGEST_TEXT = 200  # characters of the text of a task that are kept
_SCANNED = 4 * LONGEST_TEXT  # characters that are looked at, since spaces do not count


def short_text(text: str) -> str:
    """The part of the text of a task that is its label."""
    return shortened(text[:_SCANNED], LONGEST_TEXT)


class Tasks:
    """The numbers and texts of the tasks of all benchmarks."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.benchmarks: list[str] = []
        self.texts: list[str] = []
        # Digests of whole texts, since many share a long instruction: as they are, and without
        # regard to spaces.
        self._digests: list[tuple[int, int]] = []
        self._numbers: dict[tuple[str, str], dict[str, int]] = {}
        self._taken: set[str] = set()

    def of(self, format: str, benchmark: str) -> dict[str, int]:
        """The numbers of the tasks of a benchmark; harnesses number its tasks differently."""
        return self._numbers.setdefault((format, benchmark), {})

    def new(self, format: str, benchmark: str, task: str) -> int:
        """Number a task."""
        if not isinstance(task, str) or not task:
            raise ValueError(f"the name of a task must be text, got {checks.brief(task)}")
        number = self.of(format, benchmark)[task] = len(self.names)
        name = f"{benchmark}/{task}" if benchmark else task
        self.names.append(f"{name} ({format})" if name in self._taken else name)
        self._taken.add(self.names[-1])
        self.benchmarks.append(benchmark)
        self.texts.append("")
        self._digests.append((0, 0))
        return number

    def describe(self, number: int, text: str) -> None:
        """Keep the text of a task; another text than before is refused."""
        as_it_is, digest = self._digests[number]
        if hash(text) == as_it_is:
            return
        words = " ".join(text.split())
        if not words or hash(words) == digest:
            return
        short, known = short_text(text), self.texts[number]
        if known:
            raise ValueError(
                f"the task {self.names[number]} must have the same text in all logs, got"
                f" {checks.brief(short)} and {checks.brief(known)}"
                f"{', which differ later on' if short == known else ''}; read logs of one version"
                " of the benchmark, in one order"
            )
        self.texts[number], self._digests[number] = short, (hash(text), hash(words))


class Sheet:
    """The attempts of one agent at the tasks of one benchmark, by one metric and filter.

    Attributes:
        wanted: Whether the metric may be chosen; if not, attempts need not be added.
        problem: What is wrong with the first score that is none; it matters if the metric is
            chosen.
    """

    def __init__(self, tasks: Tasks, place: tuple[str, str], *, wanted: bool, most: float) -> None:
        self.wanted, self._most = wanted, most
        self.problem = ""
        self.tasks, self.scores = array("i"), array("d")
        self._all, self._place, self._known = tasks, place, tasks.of(*place)

    def knows(self, task: str) -> bool:
        """Whether the task has been seen, in this log or another one."""
        return task in self._known

    def describe(self, task: str, text: str) -> None:
        """Keep the text of a task that has been added; it must be the same in all logs."""
        if self.wanted:
            self._all.describe(self._known[task], text)

    def rescaled(self, score: float, lowest: float, highest: float) -> float:
        """A score whose bounds are known, so that `max_score` is not about it."""
        if not lowest < highest:
            raise ValueError(
                f"the highest score must exceed the lowest, {lowest:g}, got {highest:g}"
            )
        return (score - lowest) / (highest - lowest) * self._most

    def add(self, task: str, score: Any, text: str | None = None) -> None:
        """Add one attempt; see `Collector.add`."""
        if not self.wanted:
            return
        number = self._known.get(task)
        if number is None:
            number = self._all.new(*self._place, task)
        if text is not None:
            self._all.describe(number, text)
        if score.__class__ is not float:
            try:
                score = as_score(score, self._most)
            except ValueError as error:
                self.problem = self.problem or f"the score of {self._all.names[number]} {error}"
                score = math.nan
        self.tasks.append(number)
        self.scores.append(score)

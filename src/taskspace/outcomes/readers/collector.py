"""Results of many logs, collected as numbers of tasks and scores, and turned into `Outcomes`."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.outcomes.readers.agent_names import Key, agent_key, resolve
from taskspace.outcomes.readers.choices import Choice
from taskspace.outcomes.readers.copies import Copies, skipped
from taskspace.outcomes.readers.scores import less_is_better
from taskspace.outcomes.readers.sheets import Sheet, Tasks

BENCHMARK, TEXT = "benchmark", "text"  # the labels of tasks


class LogWarning(UserWarning):
    """Some of the results in logs were not read, or may not be what they seem."""


class Collector:
    """Collects the results of all logs.

    Readers call `add` once per attempt, or make a `sheet` for each agent and benchmark and add
    attempts to it, which is quicker.
    """

    def __init__(self, choice: Choice, max_score: float = 1) -> None:
        self.tasks = Tasks()
        # The metric and the filter by format and benchmark.
        self.used: dict[tuple[str, str], tuple[str, str]] = {}
        self.unscored = 0  # attempts that have no score
        self._choice, self._most = choice, max_score
        self._format = ""
        self._seen: set[str] = set()
        self._copies = Copies()
        self._sheets: dict[tuple[Key, str, str], Sheet] = {}
        self._attempts: Counter[tuple[Key, str]] = Counter()  # of a log, by its filters
        self._largest: dict[tuple[str, str], float] = {}  # scores, by format and benchmark
        self._pieces: list[tuple[Key, NDArray[Any], NDArray[Any]]] = []

    def add(
        self,
        agent: str,
        task: str,
        score: Any,
        *,
        benchmark: str = "",
        metric: str = "score",
        filter: str = "",
        text: str | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        """Add one attempt.

        Args:
            agent: The name of the agent.
            task: The name of the task within its benchmark.
            score: A number, true or false, a letter (C, P, I or N), or None if there is no score.
            benchmark: The name of the set of tasks, if there is one.
            metric: The name of the metric of the score.
            filter: The name of the variant of the result, if there are several.
            text: The text of the task; it must be the same in all logs.
            settings: What the agent was run with. Results of one benchmark by different settings
                are those of different agents.
        """
        self.sheet(agent, benchmark, metric, filter, settings).add(task, score, text)

    def sheet(
        self,
        agent: str,
        benchmark: str = "",
        metric: str = "score",
        filter: str = "",
        settings: Mapping[str, Any] | None = None,
    ) -> Sheet:
        """The sheet of an agent, a benchmark, a metric and a filter; see `add`."""
        key = (agent_key(agent, settings, benchmark), metric, filter)
        found = self._sheets.get(key)
        if found is None:
            wanted = self._choice.wants(metric)
            place = (self._format, benchmark)
            found = self._sheets[key] = Sheet(self.tasks, place, wanted=wanted, most=self._most)
        return found

    def count(
        self,
        agent: str,
        benchmark: str = "",
        filter: str = "",
        settings: Mapping[str, Any] | None = None,
        attempts: int = 1,
    ) -> None:
        """Say how many attempts a log has, so that those without the chosen metric are told."""
        self._attempts[agent_key(agent, settings, benchmark), filter] += attempts

    def asked_for(self, metric: str) -> bool:
        """Whether the user has named this metric."""
        return metric in self._choice.named["metric"]

    def is_new(self, identity: str) -> bool:
        """Whether a log of this identity was not read before, e.g. from a copy of the file."""
        if identity in self._seen:
            return False
        self._seen.add(identity)
        return True

    def is_copy(self, path: Path, *identity: Any) -> bool:
        """Whether a file with this content and identity was read before; the user is told."""
        same = self._copies.find(path, *identity)
        if same is not None:
            self.warn(skipped(path, same))
        return same is not None

    def warn(self, message: str) -> None:
        """Tell the user about results that were not read."""
        warnings.warn(message, LogWarning, stacklevel=2)

    def begin_log(self, format: str) -> None:
        """Expect the results of a log of this format."""
        self._format = format

    def finish_log(self, path: Path) -> None:
        """Choose among the sheets of one log, and keep the chosen ones."""
        groups: dict[Key, dict[tuple[str, str], Sheet]] = {}
        for (key, metric, filter), sheet in self._sheets.items():
            groups.setdefault(key, {})[metric, filter] = sheet
        for key, sheets in groups.items():
            self._keep(path, key, sheets)
        self.unscored += sum(n for (key, _), n in self._attempts.items() if key not in groups)
        self._sheets, self._attempts = {}, Counter()

    def _keep(self, path: Path, key: Key, sheets: dict[tuple[str, str], Sheet]) -> None:
        benchmark = key[2]
        # They are no choice unless there is no other.
        sheets = {of: s for of, s in sheets.items() if not less_is_better(of[0])} or sheets
        metric = self._choice.pick("metric", list(dict.fromkeys(m for m, _ in sheets)), benchmark)
        filters = [name for one, name in sheets if metric in (None, one)]
        filter = self._choice.pick("filter", list(dict.fromkeys(filters)), benchmark)
        if metric is None or filter is None:
            return
        if less_is_better(metric):
            raise ValueError(
                f"the metric of {benchmark or 'logs'} must be better if higher, got {metric} in"
                f" {path}; leave these logs out"
            )
        chosen = self.used.setdefault((self._format, benchmark), (metric, filter))
        if chosen != (metric, filter):
            raise ValueError(
                f"the results of {benchmark or 'all logs'} must be by one metric and filter, got"
                f" {_both(chosen)} and, in {path}, {_both((metric, filter))}; read them separately"
            )
        sheet = sheets[metric, filter]
        tasks, scores = np.array(sheet.tasks), np.array(sheet.scores)
        scored = ~np.isnan(scores)
        attempts = max(len(scores), self._attempts[key, filter])
        self.unscored += attempts - int(scored.sum())
        self._check_range(path, metric, tasks[scored], scores[scored])
        place = (self._format, benchmark)
        self._largest[place] = scores[scored].max(initial=self._largest.get(place, 0))
        self._pieces.append((key, tasks[scored], scores[scored] / self._most))

    def _check_range(
        self, path: Path, metric: str, tasks: NDArray[Any], scores: NDArray[Any]
    ) -> None:
        wrong = (scores < 0) | (scores > self._most)
        if wrong.any():
            first = int(wrong.argmax())
            raise ValueError(
                f"{metric} must be from 0 to {self._most:g}, got {scores[first]:g} for"
                f" {self.tasks.names[tasks[first]]} in {path}; if scores go from 0 to k, pass"
                " max_score=k (--max-score k), or else choose another metric"
            )

    def _check_scale(self) -> None:
        """Refuse to divide scores that go from 0 to 1 already."""
        for (_, benchmark), largest in self._largest.items():
            if 0 < largest <= 1 < self._most:
                raise ValueError(
                    f"max_score must be the highest possible score, got {self._most:g} for"
                    f" {benchmark or 'logs'} with scores up to {largest:g}; read logs with other"
                    " scores separately, without max_score (--max-score)"
                )

    def parts(self) -> dict[str, Any]:
        """The arguments of `Outcomes`, of the agents and tasks that have results.

        Raises:
            UnclearResults: If a metric or a filter must be chosen.
            ValueError: If there are no results.
        """
        self._choice.check()
        self._check_scale()
        if not any(len(tasks) for _, tasks, _ in self._pieces):
            raise ValueError("logs must have at least one result, got none")
        names = resolve(key for key, *_ in self._pieces)
        agents = {name: row for row, name in enumerate(dict.fromkeys(names))}
        tried = np.zeros(len(self.tasks.names), bool)
        for _, tasks, _ in self._pieces:
            tried[tasks] = True
        shape = (len(agents), len(tried))
        checks.fits_memory(16 * shape[0] * shape[1], f"{shape[0]:,} agents x {shape[1]:,} tasks")
        successes, rollouts = np.zeros(shape, np.float32), np.zeros(shape, np.uint32)
        for name, (_, tasks, scores) in zip(names, self._pieces, strict=True):
            row = agents[name]
            successes[row] += np.bincount(tasks, scores, shape[1]).astype(np.float32)
            rollouts[row] += np.bincount(tasks, minlength=shape[1]).astype(np.uint32)
        return {
            "successes": successes[:, tried],
            "rollouts": rollouts[:, tried],
            "agents": list(agents),
            "tasks": _kept(self.tasks.names, tried),
            "task_labels": self._labels(tried),
        }

    def _labels(self, tried: NDArray[np.bool_]) -> dict[str, list[str]]:
        columns = {BENCHMARK: self.tasks.benchmarks, TEXT: self.tasks.texts}
        kept = {name: _kept(values, tried) for name, values in columns.items()}
        return {name: values for name, values in kept.items() if any(values)}


def _kept(values: list[str], tried: NDArray[np.bool_]) -> list[str]:
    return [value for value, kept in zip(values, tried.tolist(), strict=True) if kept]


def _both(chosen: tuple[str, str]) -> str:
    metric, filter = chosen
    return f"{metric} ({filter})" if filter else metric

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
from taskspace.outcomes.attempts import Returns
from taskspace.outcomes.readers.agent_names import Key, agent_key, resolve
from taskspace.outcomes.readers.choices import Choice
from taskspace.outcomes.readers.copies import Copies, skipped
from taskspace.outcomes.readers.scores import less_is_better, may_be_better
from taskspace.outcomes.readers.sheets import Sheet, Tasks
from taskspace.outcomes.score_scales import check_scales

BENCHMARK, TEXT = "benchmark", "text"  # the labels of tasks


class LogWarning(UserWarning):
    """Some of the results in logs were not read, or may not be what they seem."""


class Collector:
    """Collects the results of all logs.

    Readers call `add` once per attempt, or make a `sheet` for each agent and benchmark and add
    attempts to it, which is quicker. With `returns`, scores are any numbers, and those by a metric
    of which less is better are negated.
    """

    def __init__(
        self, choice: Choice, max_score: float = 1, returns: Returns | None = None
    ) -> None:
        self.tasks = Tasks()
        # The metric and the filter by format and benchmark.
        self.used: dict[tuple[str, str], tuple[str, str]] = {}
        self.unscored = 0  # attempts that have no score
        self._choice, self._most, self._returns = choice, max_score, returns
        self._negated: set[tuple[str, str]] = set()  # benchmarks and metrics, as logs say
        self._format = ""
        self._told = False  # whether the user was told about the log that is read
        self._seen: set[str] = set()
        self._copies = Copies()
        self._sheets: dict[tuple[Key, str, str], Sheet] = {}
        self._attempts: Counter[tuple[Key, str]] = Counter()  # of a log, by its filters
        self._pieces: list[tuple[Key, NDArray[Any], NDArray[Any]]] = []
        self._doubted: set[str] = set()  # metrics that may be better if lower
        self._places: list[tuple[str, str]] = []  # of the pieces: format and benchmark

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

    def wants(self, metric: str) -> bool:
        """Whether this metric may be chosen."""
        return self._choice.wants(metric)

    def asked_for(self, metric: str) -> bool:
        """Whether the user has named this metric."""
        return self._choice.names(metric)

    @property
    def any_numbers(self) -> bool:
        """Whether scores are returns: any numbers, which readers must not rescale."""
        return self._returns is not None

    def takes_lower(self, benchmark: str, metric: str) -> bool:
        """Whether a metric of which less is better, as a log says, can be read: as negated returns.

        If so, the collector negates its scores.
        """
        if self._returns is not None:
            self._negated.add((benchmark, metric))
        return self._returns is not None

    def negates(self, benchmark: str, metric: str) -> bool:
        """Whether less is better by this metric, so that scores are negated if they are returns."""
        return less_is_better(metric) or (benchmark, metric) in self._negated

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
        self._told = True
        warnings.warn(message, LogWarning, stacklevel=2)

    def begin_log(self, format: str) -> None:
        """Expect the results of a log of this format."""
        self._format, self._told = format, False

    def finish_log(self, path: Path) -> None:
        """Choose among the sheets of one log, and keep the chosen ones."""
        groups: dict[Key, dict[tuple[str, str], Sheet]] = {}
        for (key, metric, filter), sheet in self._sheets.items():
            groups.setdefault(key, {})[metric, filter] = sheet
        for key, sheets in groups.items():
            self._keep(path, key, sheets)
        self.unscored += sum(n for (key, _), n in self._attempts.items() if key not in groups)
        if not (groups or self._told or sum(self._attempts.values())):
            self.warn(f"{path} has no results")
        self._sheets, self._attempts = {}, Counter()

    def _keep(self, path: Path, key: Key, sheets: dict[tuple[str, str], Sheet]) -> None:
        benchmark = key[2]
        # They are no choice unless there is no other, or they are named.
        lower = {m for m, _ in sheets if self.negates(benchmark, m) and not self.asked_for(m)}
        sheets = {of: sheet for of, sheet in sheets.items() if of[0] not in lower} or sheets
        metric, filter = self._chosen(benchmark, sheets)
        if metric is None or filter is None:
            return
        self._check_as_before(path, benchmark, (metric, filter))
        negated = self.negates(benchmark, metric)
        if negated and not self.any_numbers:
            self._refuse_lower(path, benchmark, metric)
        chosen = self.used.setdefault((self._format, benchmark), (metric, filter))
        if chosen != (metric, filter):
            raise ValueError(
                f"the results of {benchmark or 'all logs'} must be by one metric and filter, got"
                f" {_both(chosen)} and, in {path}, {_both((metric, filter))}; read them separately"
            )
        sheet = sheets[metric, filter]
        if sheet.problem:
            raise ValueError(f"{metric} in {path}: {sheet.problem}")
        tasks, scores = np.array(sheet.tasks), np.array(sheet.scores)
        scored = ~np.isnan(scores)
        attempts = max(len(scores), self._attempts[key, filter])
        self.unscored += attempts - int(scored.sum())
        if not self.any_numbers:
            self._check_range(path, metric, tasks[scored], scores[scored])
        sign = -1 if negated and self.any_numbers else 1
        self._pieces.append((key, tasks[scored], sign * scores[scored] / self._most))
        self._places.append((self._format, benchmark))

    def _refuse_lower(self, path: Path, benchmark: str, metric: str) -> None:
        """Refuse a metric of which less is better, unless it is named and more may be wanted."""
        if may_be_better(metric) and self.asked_for(metric):
            if metric not in self._doubted:
                warnings.warn(
                    f"{metric} is read as better if higher; if it is better if lower, read it as"
                    " negative returns by returns=True (--returns)",
                    stacklevel=2,
                )
            self._doubted.add(metric)
            return
        raise ValueError(
            f"the metric of {benchmark or 'logs'} must be better if higher, got {metric} in"
            f" {path}; leave these logs out, or read it as negative returns by returns=True"
            " (--returns)"
        )

    def _chosen(
        self, benchmark: str, sheets: dict[tuple[str, str], Sheet]
    ) -> tuple[str | None, str | None]:
        """The metric and the filter to read: those of earlier logs, or those that are named."""
        before = self._choice.before.get((self._format, benchmark))
        if before in sheets and not any(self._choice.named.values()):
            return before
        metric = self._choice.pick("metric", list(dict.fromkeys(m for m, _ in sheets)), benchmark)
        filters = [name for one, name in sheets if metric in (None, one)]
        return metric, self._choice.pick("filter", list(dict.fromkeys(filters)), benchmark)

    def _check_as_before(self, path: Path, benchmark: str, chosen: tuple[str, str]) -> None:
        """Refuse results that cannot be compared with those of earlier logs."""
        before = self._choice.before.get((self._format, benchmark), chosen)
        if before != chosen:
            raise ValueError(
                f"the results of {benchmark or 'logs'} must be by {_both(before)}, as those of the"
                f" known agents, got {_both(chosen)} in {path}"
            )

    def _check_range(
        self, path: Path, metric: str, tasks: NDArray[Any], scores: NDArray[Any]
    ) -> None:
        wrong = (scores < 0) | (scores > self._most)
        if wrong.any():
            first = int(wrong.argmax())
            raise ValueError(
                f"{metric} must be from 0 to {self._most:g}, got {scores[first]:g} for"
                f" {self.tasks.names[tasks[first]]} in {path}; if scores go from 0 to k, pass"
                " max_score=k (--max-score k), if they are any numbers, returns=True (--returns),"
                " or else choose another metric"
            )

    def _check_scales(self, known: NDArray[np.float64] | None) -> None:
        """Refuse agents whose scores of a benchmark are on another scale than those of others."""
        for place in dict.fromkeys(self._places):
            pieces = [
                piece
                for piece, where in zip(self._pieces, self._places, strict=True)
                if where == place
            ]
            numbers = {
                key: number for number, key in enumerate(dict.fromkeys(k for k, *_ in pieces))
            }
            check_scales(
                np.concatenate([scores for *_, scores in pieces]),
                np.repeat([numbers[key] for key, *_ in pieces], [len(one[1]) for one in pieces]),
                [name for name, *_ in numbers],
                self._most,
                what=place[1] or "logs",
                advice="read logs with other scores separately",
                known=known,
            )

    def parts(self, known: NDArray[np.float64] | None = None) -> dict[str, Any]:
        """The arguments of `Outcomes`, of the agents and tasks that have results.

        Of returns, they are those of `Outcomes.from_returns`. `known` are the rates of known
        agents, if the logs are those of new ones.

        Raises:
            UnclearResults: If a metric or a filter must be chosen.
            ValueError: If there are no results.
        """
        self._choice.check()
        if not self.any_numbers:
            self._check_scales(known)
        if not any(len(tasks) for _, tasks, _ in self._pieces):
            raise ValueError("logs must have at least one result, got none")
        names = resolve(key for key, *_ in self._pieces)
        agents = {name: row for row, name in enumerate(dict.fromkeys(names))}
        tried = np.zeros(len(self.tasks.names), bool)
        for _, tasks, _ in self._pieces:
            tried[tasks] = True
        shape = (len(agents), len(tried))
        checks.fits_memory(16 * shape[0] * shape[1], f"{shape[0]:,} agents x {shape[1]:,} tasks")
        rows = [agents[name] for name in names]
        sums = self._summed(rows, shape) if self._returns is None else self._means(rows, shape)
        return {
            **{name: values[:, tried] for name, values in sums.items()},
            "agents": list(agents),
            "tasks": _kept(self.tasks.names, tried),
            "task_labels": self._labels(tried),
        }

    def _summed(self, rows: list[int], shape: tuple[int, int]) -> dict[str, NDArray[Any]]:
        """Sums of scores and numbers of attempts; pieces are added to these rows."""
        successes, rollouts = np.zeros(shape, np.float32), np.zeros(shape, np.uint32)
        for row, (_, tasks, scores) in zip(rows, self._pieces, strict=True):
            successes[row] += np.bincount(tasks, scores, shape[1]).astype(np.float32)
            rollouts[row] += np.bincount(tasks, minlength=shape[1]).astype(np.uint32)
        return {"successes": successes, "rollouts": rollouts}

    def _means(self, rows: list[int], shape: tuple[int, int]) -> dict[str, NDArray[Any]]:
        """Mean returns, their spreads, and numbers of attempts."""
        assert self._returns is not None
        pieces = list(zip(rows, self._pieces, strict=True))
        pairs = [row * shape[1] + tasks.astype(np.int64) for row, (_, tasks, _) in pieces]
        scores = np.concatenate([scores for _, (_, _, scores) in pieces])
        return self._returns.added_up(scores, np.concatenate(pairs), shape)

    def _labels(self, tried: NDArray[np.bool_]) -> dict[str, list[str]]:
        columns = {BENCHMARK: self.tasks.benchmarks, TEXT: self.tasks.texts}
        kept = {name: _kept(values, tried) for name, values in columns.items()}
        return {name: values for name, values in kept.items() if any(values)}


def _kept(values: list[str], tried: NDArray[np.bool_]) -> list[str]:
    return [value for value, kept in zip(values, tried.tolist(), strict=True) if kept]


def _both(chosen: tuple[str, str]) -> str:
    metric, filter = chosen
    return f"{metric} ({filter})" if filter else metric

"""Results of attempts in a table, summed per pair of agent and task: scores, or returns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.outcomes import tables
from taskspace.outcomes.columns import SPREAD
from taskspace.outcomes.return_scale import check_best
from taskspace.outcomes.score_scales import check_scales

Parts = dict[str, Any]  # arguments of `Outcomes`
Pairs = NDArray[np.int64]  # agent x number of tasks + task


class Attempts(ABC):
    """What the results in a table are."""

    @property
    @abstractmethod
    def expected(self) -> str:
        """What results must be, for messages."""

    @abstractmethod
    def read(self, values: Any, what: str) -> NDArray[np.float64]:
        """The results in a column; NaN if they are missing."""

    @abstractmethod
    def check(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """The results in an array of agents x tasks; NaN if they are missing."""

    @abstractmethod
    def check_scales(
        self, results: NDArray[np.float64], agent: NDArray[np.int64], names: NDArray[np.str_]
    ) -> None:
        """Refuse results of agents on different scales, if they are divided."""

    @abstractmethod
    def added_up(self, results: NDArray[np.float64], pair: Pairs, shape: tuple[int, int]) -> Parts:
        """The results of each pair together; missing results are not attempts."""

    @abstractmethod
    def of_counts(self, columns: dict[str, Any], pair: Pairs, shape: tuple[int, int]) -> Parts:
        """The results of a table with one row per pair, from its columns by role."""


@dataclass(frozen=True)
class Scores(Attempts):
    """Scores from 0 to `most`, which are divided by it, or counts of successes."""

    most: float = 1.0

    @property
    def expected(self) -> str:
        """Numbers up to the highest possible score."""
        return f"numbers from 0 to {self.most:g}"

    def read(self, values: Any, what: str) -> NDArray[np.float64]:
        """Scores from 0 to 1."""
        return tables.scores(values, what, self.most)

    def check(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores from 0 to 1."""
        wrong = (table < 0) | (table > self.most)
        if wrong.any():
            agent, task = np.argwhere(wrong)[0]
            raise ValueError(
                f"the score of agent {agent} on task {task} must be a number from 0 to"
                f" {self.most:g}, got {table[agent, task]}; if scores go from 0 to k, pass"
                " max_score=k, if they are returns, pass returns=True, and use NaN for pairs never"
                " tried"
            )
        return table / self.most

    def check_scales(
        self, results: NDArray[np.float64], agent: NDArray[np.int64], names: NDArray[np.str_]
    ) -> None:
        """Refuse scores of some agents that go from 0 to 1 already."""
        rates, agent = _present(results, agent)
        advice = "bring them to one scale"
        check_scales(rates, agent, names.tolist(), self.most, what="a table", advice=advice)

    def added_up(self, results: NDArray[np.float64], pair: Pairs, shape: tuple[int, int]) -> Parts:
        """Sums of scores, and numbers of attempts."""
        score, pair = _present(results, pair)
        return {"successes": _sums(score, pair, shape), "rollouts": _numbers(pair, shape)}

    def of_counts(self, columns: dict[str, Any], pair: Pairs, shape: tuple[int, int]) -> Parts:
        """Counts of successes and rollouts."""
        if self.most != 1:
            raise ValueError(
                "max_score must be 1 for successes and rollouts, which are no scores, got"
                f" {self.most:g}"
            )
        successes = tables.amounts(columns["successes"], "successes")
        rollouts = tables.amounts(columns["rollouts"], "rollouts", integers=True)
        found = {"successes": _placed(successes, pair, shape)}
        return found | {"rollouts": _placed(rollouts, pair, shape)}


@dataclass(frozen=True)
class Returns(Attempts):
    """Returns: any numbers, of which each pair has a mean and, from two attempts, a spread."""

    best: Any = None  # the best possible return, one number or one per task, if it is known

    @property
    def expected(self) -> str:
        """Any numbers."""
        return "numbers"

    def read(self, values: Any, what: str) -> NDArray[np.float64]:
        """Any numbers."""
        return tables.numbers(values, what, self.expected).astype(np.float64)

    def check(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """Any numbers."""
        return table

    def check_scales(
        self, results: NDArray[np.float64], agent: NDArray[np.int64], names: NDArray[np.str_]
    ) -> None:
        """Returns may have any scale."""

    def added_up(self, results: NDArray[np.float64], pair: Pairs, shape: tuple[int, int]) -> Parts:
        """Means and spreads (with n - 1), and numbers of attempts."""
        found, pair = _present(results, pair)
        checks.finite(found, "returns")
        self._check_best(found, pair % shape[1], shape[1])
        number = _numbers(pair, shape)
        with np.errstate(invalid="ignore"):
            means = _sums(found, pair, shape) / number
            squares = _sums(np.square(found - means.ravel()[pair]), pair, shape)
            spreads = np.sqrt(squares / np.where(number > 1, number - 1.0, np.nan))
        return {"returns": means, "spreads": spreads, "rollouts": number}

    def _check_best(self, returns: NDArray[np.float64], task: Pairs, tasks: int) -> None:
        """Refuse a single attempt above the best return: a mean of attempts may hide it."""
        best = None if self.best is None else checks.numbers(self.best, "best")
        if best is not None and best.shape in ((), (tasks,)):  # others are refused with the scale
            check_best(best[task] if best.ndim else best, returns)

    def of_counts(self, columns: dict[str, Any], pair: Pairs, shape: tuple[int, int]) -> Parts:
        """Mean returns and numbers of rollouts, and spreads if there are any."""
        rollouts = tables.amounts(columns["rollouts"], "rollouts", integers=True)
        found = {"rollouts": _placed(rollouts, pair, shape)}
        for part, role in (("returns", "score"), ("spreads", SPREAD[0])):
            if role in columns:
                values = self.read(columns[role], role)
                found[part] = _placed(values, pair, shape, np.nan)
        return found


def _present(results: NDArray[np.float64], pair: Pairs) -> tuple[NDArray[np.float64], Pairs]:
    known = ~np.isnan(results)
    return (results, pair) if known.all() else (results[known], pair[known])


def _sums(values: NDArray[np.float64], pair: Pairs, shape: tuple[int, int]) -> NDArray[np.float64]:
    return np.asarray(np.bincount(pair, values, shape[0] * shape[1]), np.float64).reshape(shape)


def _numbers(pair: Pairs, shape: tuple[int, int]) -> NDArray[np.int64]:
    return np.bincount(pair, minlength=shape[0] * shape[1]).reshape(shape)


def _placed(
    values: NDArray[Any], pair: Pairs, shape: tuple[int, int], missing: float = 0
) -> NDArray[Any]:
    table = np.full(shape, missing, values.dtype)
    table.ravel()[pair] = values
    return table

"""When an evaluation may end: the full score is known well enough, also because it ends then."""

from __future__ import annotations

from typing import Any

import numpy as np

from taskspace.applications.predictor import PerformancePredictor

FEWEST = 10  # answered tasks before an evaluation may end
_PART = 10  # the score is estimated again after a tenth more answers, since it takes a while
# An evaluation ends at a moment at which the interval is narrow, more often by luck than at a fixed
# number of answers. So intervals are made for this part of the error probability. It was chosen on
# replays of Animal-AI, MiniGrid and simulated tables (seeds 1 to 5; `bench/stopping.py`): at 1, 88
# to 91 % of the 90 % intervals contained the score, and at 0.8, 91 to 94 %.
_STRICTER = 0.9


def next_look(answered: int) -> int:
    """The number of answers at which the score is estimated again.

    >>> next_look(10), next_look(100)
    (11, 110)
    """
    return answered + max(1, answered // _PART)


def stricter(level: float) -> float:
    """The level of intervals that contain the score with the probability `level` at the end.

    >>> round(stricter(0.9), 3)
    0.91
    """
    return 1 - _STRICTER * (1 - level)


class StoppingRule:
    """Collects the results of a new agent until its score is known well enough.

    Args:
        predictor: A predictor fitted to other agents.
        half_width: Half of the width of the interval at which the evaluation ends.
        level: The probability that the interval at the end contains the full score.
        by: A label of the tasks, if the score on the tasks of one of its values is wanted.
        value: This value.

    Attributes:
        reached: Whether the score is known well enough.
        finished: The number of results.

    >>> import taskspace as ts
    >>> outcomes = ts.Outcomes([[1] * 20] * 9 + [[0] * 20] * 9, 1)
    >>> rule = StoppingRule(ts.PerformancePredictor().fit(outcomes), 0.05)
    >>> for task in range(12):
    ...     rule.add(f"task-{task}", 1.0)
    >>> rule.reached, rule.estimate()["answered"]
    (True, 12)
    """

    def __init__(
        self,
        predictor: PerformancePredictor,
        half_width: float,
        *,
        level: float = 0.9,
        by: str | None = None,
        value: str | None = None,
    ) -> None:
        self.predictor, self.half_width, self.level = predictor, half_width, level
        self.by, self.value = by, value
        self.reached, self.finished = False, 0
        self._sums: dict[str, float] = {}
        self._counts: dict[str, int] = {}
        self._next = FEWEST

    def add(self, task: str, result: float) -> None:
        """Add a result, from 0 to 1, of an attempt at a task."""
        self._sums[task] = self._sums.get(task, 0.0) + result
        self._counts[task] = self._counts.get(task, 0) + 1
        self.finished += 1
        if not self.reached and len(self._sums) >= self._next:
            self._next = next_look(len(self._sums))
            found = self.estimate()
            self.reached = (found["high"] - found["low"]) / 2 <= self.half_width

    def estimate(self) -> dict[str, Any]:
        """The score, its interval, and how many of its tasks were answered."""
        quiz = list(self._sums)
        results = [self._sums[name] / self._counts[name] for name in quiz]
        level = stricter(self.level)
        columns = self.predictor.score(quiz, results, by=self.by, level=level).columns
        row = 0 if self.by is None else int(np.argmax(columns["group"] == self.value))
        return {
            "score": float(columns["score"][row]), "low": float(columns["low"][row]),
            "high": float(columns["high"][row]), "answered": int(columns["answered"][row]),
            "tasks": int(columns["tasks"][row]),
        }  # fmt: skip

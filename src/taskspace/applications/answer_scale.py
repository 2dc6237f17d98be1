"""Results on tasks as numbers from 0 to 1, and predictions back in the units of the results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace.applications.return_answers import ends, quiz_returns, warn_if_successes
from taskspace.applications.task_mixtures import KnownTasks, one_per_task, quiz_results
from taskspace.models.linear_population import LinearPopulation
from taskspace.models.success.factors import Floats
from taskspace.outcomes.return_scale import ReturnScale


@dataclass(frozen=True, eq=False)
class AnswerScale:
    """The scale of the results on known tasks: successes stay as they are, returns have ranges."""

    tasks: KnownTasks
    scale: ReturnScale | None  # None: results are successes
    population: LinearPopulation | None  # the known agents, if their results are known
    of_model: bool  # whether these are predicted by a success model

    def normalised(self, quiz: Any, results: ArrayLike) -> Floats:
        """Check the results on a quiz: one number from 0 to 1, or NaN, per task.

        Warns of a return beyond those of the known agents, and of results that look like successes
        where returns are expected.
        """
        if self.scale is None:
            return quiz_results(results, quiz)
        found = quiz_returns(results, quiz, self.scale, self._numbers(quiz, "quiz"))
        self.warn_if_successes(quiz, one_per_task(results, quiz))
        return found

    def warn_if_successes(self, quiz: Any, results: Floats) -> None:
        """Warn if all of several results are 0 or 1, and no known return on these tasks is."""
        numbers = self.tasks.find(quiz, "quiz")[0]
        numbers = np.unique(numbers[numbers >= 0])
        if self.scale is None or self.population is None or not len(numbers):
            return
        known = self.scale.returns(self.population.rates[:, numbers].astype(np.float64), numbers)
        # A model does not know returns themselves, but their range.
        limits = (self.scale.low, self.scale.high) if self.of_model else ()
        warn_if_successes(results, np.concatenate([known, *limits], axis=None))

    def returned(self, normalised: Floats, tasks: Any) -> Floats:
        """Predictions for tasks in returns, if results are returns."""
        if self.scale is None:
            return normalised
        return self.scale.returns(normalised, self._numbers(tasks))

    def range_of(self, task: Any) -> tuple[float, float]:
        """The lowest and the highest result that is possible on a task."""
        if self.scale is None:
            return 0.0, 1.0
        low, high = (np.ravel(end) for end in ends(self.scale, self._numbers([task])))
        return float(low[0]), float(high[0])

    def _numbers(self, tasks: Any, what: str = "tasks") -> NDArray[np.int64] | None:
        """The indices of tasks of which each has its own range, or None if all have one."""
        if self.scale is None or not self.scale.low.ndim:
            return None
        return self.tasks.numbers(tasks, what)

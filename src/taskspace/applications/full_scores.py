"""Full scores from answers as a predictor has them: successes, or returns with ranges per task.

A full score is a mean over tasks, so returns are put on one range before `scores.py` estimates it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.applications.intervals import check_width
from taskspace.applications.return_answers import (
    check_return_width,
    in_returns,
    noise_on_one_scale,
    on_one_scale,
    overall,
)
from taskspace.applications.scores import LEAST_AGENTS, Scores, answers_needed, estimate_scores
from taskspace.models.linear_population import LinearPopulation
from taskspace.models.success.factors import Floats
from taskspace.outcomes.return_scale import ReturnScale

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class FullScores:
    """Estimates full scores of a new agent from the results of known agents.

    The answers are the indices of the answered tasks, each once, and normalised results on them.
    """

    population: LinearPopulation
    scale: ReturnScale | None  # None: results are successes
    attempt_noise: float  # of returns, see `PerformancePredictor`

    @classmethod
    def of(
        cls, population: LinearPopulation | None, scale: ReturnScale | None, attempt_noise: float
    ) -> FullScores:
        """The estimator, if there are enough known agents."""
        if population is None:
            raise ValueError(
                "score() requires a predictor that was fitted to at least 2 agents by this version"
                " of taskspace, got one without their results; fit it again"
            )
        agents = len(population.rates)
        if agents < LEAST_AGENTS:
            raise ValueError(
                f"score() requires the results of at least {LEAST_AGENTS} known agents, got"
                f" {agents}; the errors of so few do not tell how wide an interval must be"
            )
        return cls(population, scale, attempt_noise)

    def estimate(
        self,
        answered: Numbers,
        given: Floats,
        names: NDArray[np.str_],
        groups: Numbers,
        level: float,
    ) -> Scores:
        """The score on each group that has tasks; a task of no group is in group -1."""
        used = np.unique(groups[groups >= 0])
        compact = np.where(groups >= 0, np.searchsorted(used, groups), -1)
        population, results, noise = self._on_one_scale(answered, given)
        found = estimate_scores(population, answered, results, names[used], compact, level, noise)
        return found if self.scale is None else in_returns(found, self.scale)

    def answers_needed(
        self,
        answered: Numbers,
        given: Floats,
        names: NDArray[np.str_],
        groups: Numbers,
        level: float,
        width: float,
    ) -> Numbers:
        """How many more answers in each group make its interval this narrow, see `scores.py`."""
        population, results, noise = self._on_one_scale(answered, given)
        found = estimate_scores(population, answered, results, names, groups, level, noise)
        return answers_needed(population, answered, results, found, groups, width, noise)

    def _on_one_scale(
        self, answered: Numbers, given: Floats
    ) -> tuple[LinearPopulation, Floats, Floats | None]:
        """The known agents, the results, and the noise of attempts, with one range for all."""
        if self.scale is None:
            return self.population, given, None
        same = overall(self.scale).normalised(self.scale.returns(given, answered))
        noise = noise_on_one_scale(self.population, self.scale, self.attempt_noise)
        return on_one_scale(self.population, self.scale), same, noise


def width_on(scale: ReturnScale | None, width: Any) -> float:
    """Check the wanted width of an interval: a fraction of the range of scores comes back."""
    return check_width(width) if scale is None else check_return_width(width, scale)

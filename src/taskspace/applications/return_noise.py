"""How far the returns of a new agent are from those of the candidate that it resembles.

Two things lie between them: the new agent is not identical to a candidate, and its attempts vary.
Both are fractions of p (1 - p), where p is the expected normalised return of the candidate. The
known agents are left out in turn and predicted from quizzes; the first fraction is the one with
which the intervals contain their results as often as they should.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taskspace.applications.candidates import Table
from taskspace.applications.posterior import SHARPEST, Posterior, percent_bounds
from taskspace.applications.prior import FOLDS, JUDGED_TASKS, QUIZ_SIZES, Choice, quizzes, spread
from taskspace.applications.task_mixtures import TaskMixture
from taskspace.models.success.factors import Floats

LEVEL = 0.9  # of the intervals that are compared with results
# From 1 to 1024, and beyond it up to a quarter of the width, see `narrowed`.
STRENGTHS = tuple(float(2 ** (half / 2)) for half in range(29))
FEWEST_AGENTS = 8  # fewer are too few to judge intervals
MOST_AGENTS = 200  # that judge intervals
DEFAULT_STRENGTH = 10.0  # if the agents are too few


@dataclass(frozen=True)
class ReturnNoise:
    """Variances as fractions of p (1 - p)."""

    attempt: float  # of an attempt around the agent's expected return
    measured: float  # of the known agents' results around their expected returns
    missed: float = 0.0  # of an agent's expected return around its profile

    def strengths(self, apart: tuple[float, ...]) -> tuple[float, ...]:
        """The strengths of candidates (see `Posterior`) if results are as if of these strengths."""
        return tuple(self._strength(each) for each in apart)

    def _strength(self, apart: float) -> float:
        if apart > SHARPEST and not self.missed:
            return apart  # the candidates themselves are too far apart
        own = max(1 / (min(apart, SHARPEST) + 1) - self.measured, 1 / (SHARPEST + 1))
        return 1 / (own + self.missed) - 1

    def answer(self, strengths: tuple[float, ...]) -> float:
        """The variance of an answer around the expected return of the candidate."""
        return min(1 / (min(strengths) + 1) + self.attempt, 1.0)


def calibrate(
    table: Table, make: Callable[[Table], list[Floats]], chosen: Choice, rng: np.random.Generator
) -> tuple[float, ...]:
    """The strengths with which intervals contain 90 % of the results of left-out agents.

    There is one for each size of a quiz. `make` returns the candidates of each type, given the
    other agents.
    """
    agents = len(table.successes)
    if agents < FEWEST_AGENTS:
        return (DEFAULT_STRENGTH,) * len(QUIZ_SIZES)
    table = table.of_tasks(rng.permutation(table.successes.shape[1])[:JUDGED_TASKS])
    order = rng.permutation(agents)
    inside: list[list[NDArray[np.bool_]]] = [[] for _ in QUIZ_SIZES]
    for left_out in np.array_split(order, FOLDS):
        rest = table.of_agents(np.delete(np.arange(agents), left_out))
        groups = make(rest)
        profiles = np.concatenate(groups).T.astype(np.float32, order="C")
        posterior = Posterior(profiles, spread(chosen.mix, groups), chosen.temper, 1.0)
        judges = table.of_agents(left_out[: MOST_AGENTS // FOLDS])
        for found, quiz in zip(inside, quizzes(judges, rng), strict=True):
            pairs = zip(quiz, judges.rates, strict=True)
            found += [_inside(posterior, answers, rates) for answers, rates in pairs]
    return tuple(_nearest(np.concatenate(found, axis=1)) for found in inside)


def _nearest(inside: NDArray[np.bool_]) -> float:
    """The strength whose intervals contain a fraction of results that is nearest to the level."""
    if not inside.shape[1]:
        return DEFAULT_STRENGTH
    return STRENGTHS[int(np.abs(inside.mean(1) - LEVEL).argmin())]


def _inside(posterior: Posterior, answers: Floats, rates: Floats) -> NDArray[np.bool_]:
    """Whether the results on the other tasks lie in their intervals (strengths, tasks)."""
    asked = np.flatnonzero(~np.isnan(answers))
    others = np.flatnonzero(np.isnan(answers) & ~np.isnan(rates))
    weights = posterior.weights(TaskMixture.known(asked), answers[asked])
    shares = posterior.shares(weights, TaskMixture.known(others))
    percents = 100 * rates[others]
    bounds = [percent_bounds(shares, strength, LEVEL) for strength in STRENGTHS]
    return np.array([(percents >= low) & (percents <= high) for low, high in bounds])

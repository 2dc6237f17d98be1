"""Replay: the known agents take the quiz of a new agent, each predicted from the others.

What was missed on their other tasks shows how far the answers in a group of tasks correct the
prediction for its other tasks, and how wide an interval must be.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taskspace.models.linear_population import Floats, LinearPopulation, Numbers, Shrinkage

SHRINKAGES = tuple(
    Shrinkage(noise, common)
    for noise, common in ((1.0, 0.002), (1.0, 0.02), (1.0, 0.2), (0.5, 0.02), (2.0, 0.02))
)
REPLAYED = 60  # agents, if the tasks of the quiz were not tried by all of them
# Numbers of answers with which the answers in a group correct its prediction by half.
HALVES = (0.0, 1.0, 3.0, 10.0, 20.0, 40.0, 80.0, 160.0, np.inf)
_POOLED = 10  # number of agents that the other groups are worth, when a group is corrected
_SINGLE_ATTEMPTS = 0.1  # least fraction of rates between 0 and 1 that came from several attempts


@dataclass(frozen=True, eq=False)
class Replay:
    """Errors of the predictions for known agents (agents, groups), and the settings used."""

    on_answered: Floats  # mean residual on the answered tasks of the group; 0 if there are none
    on_rest: Floats  # mean residual on the other tasks that it tried; NaN if there are none
    answered: NDArray[np.int64]  # number of answered tasks of the group
    spread: Floats  # standard deviation of `on_rest` according to the model
    shrinkage: Shrinkage

    def corrected(self, half: Floats | float) -> Floats:
        """Errors in standard deviations, after the correction by the answers in the group."""
        return (self.on_rest - share(self.answered, half) * self.on_answered) / self.spread

    def halves(self) -> Floats:
        """For each group, the number of answers that gives the smallest errors."""
        losses = np.stack([np.nansum(self.corrected(half) ** 2, 0) for half in HALVES])
        agents = np.maximum((~np.isnan(self.on_rest)).sum(0), 1)
        pooled = losses.sum(1, keepdims=True) / agents.sum()
        return np.array(HALVES)[(losses + _POOLED * pooled).argmin(0)]


def share(answered: NDArray[np.int64], half: Floats | float) -> Floats:
    """The part of the mean residual on answered tasks that the other tasks are expected to have.

    >>> share(np.array([0, 10, 10]), np.array([10.0, 10.0, np.inf]))
    array([0. , 0.5, 0. ])
    """
    return np.where(answered > 0, answered / (answered + np.asarray(half) + 1e-9), 0.0)


def replay(
    population: LinearPopulation,
    answered: Numbers,
    groups: NDArray[np.int64],
    *,
    single_attempts: bool = False,
    seed: int = 0,
) -> Replay:
    """Let known agents answer these tasks, with the shrinkage that gives the smallest errors.

    `groups` has the number of the group of each task, or -1. If the new agent's answers are
    `single_attempts`, those of the known agents are drawn with their success rates.
    """
    rng = np.random.default_rng(seed)
    tried = population.tried
    if tried is None or tried[:, answered].all():
        rates = population.rates[:, answered].astype(np.float64)
        given = (rng.random(rates.shape) < rates) * 1.0 if single_attempts else rates
        found = [_together(population, answered, given, groups, s) for s in SHRINKAGES]
    else:
        agents = rng.permutation(len(tried))[:REPLAYED]
        quizzes = [_own_quiz(tried[agent], answered, rng) for agent in agents]
        found = [_one_by_one(population, agents, quizzes, groups, s) for s in SHRINKAGES[:3]]
    return min(found, key=_mean_error)


def _mean_error(found: Replay) -> float:
    return float(np.nanmean(np.abs(found.corrected(found.halves()) * found.spread)))


def single_attempts(population: LinearPopulation, answered: Numbers, results: Floats) -> bool:
    """Whether the results are single attempts, but the rates of the known agents are not."""
    if not len(results) or not np.isin(results, (0.0, 1.0)).all():
        return False
    rates = population.rates[:, answered]
    return bool(((rates > 0) & (rates < 1)).mean() > _SINGLE_ATTEMPTS)


def members(groups: NDArray[np.int64], tasks: Numbers) -> list[Numbers]:
    """Which of the tasks are in each group."""
    own = groups[tasks]
    return [tasks[own == group] for group in range(int(groups.max(initial=-1)) + 1)]


def _together(
    population: LinearPopulation,
    answered: Numbers,
    given: Floats,
    groups: NDArray[np.int64],
    shrinkage: Shrinkage,
) -> Replay:
    """All agents answer the same tasks, which takes a single regression."""
    regression = population.regression(answered, shrinkage)
    weights = regression.left_out(given)
    asked = members(groups, answered)
    rest = members(groups, np.setdiff1d(np.arange(len(groups)), answered))
    column = {task: number for number, task in enumerate(answered.tolist())}
    shape = len(given), len(asked)
    on_answered, on_rest = np.zeros(shape), np.full(shape, np.nan)
    for group, (some, others) in enumerate(zip(asked, rest, strict=True)):
        if len(some):
            own = given[:, [column[task] for task in some.tolist()]].mean(1)
            on_answered[:, group] = own - weights @ population.sums(some) / len(some)
        if len(others):
            own = population.rates[:, others].mean(1, dtype=np.float64)
            on_rest[:, group] = own - weights @ population.sums(others) / len(others)
    spread = np.sqrt(np.diagonal(population.group_covariance(regression, rest)))
    spread = np.tile(np.maximum(spread, 1e-9), (shape[0], 1))
    counts = np.tile([len(some) for some in asked], (shape[0], 1))
    return Replay(on_answered, on_rest, counts, spread, shrinkage)


def _own_quiz(tried: NDArray[np.bool_], answered: Numbers, rng: np.random.Generator) -> Numbers:
    """The answered tasks that an agent tried; if they are few, some of its other tasks."""
    asked = answered[tried[answered]]
    if 2 * len(asked) >= len(answered):
        return asked
    own = rng.permutation(np.flatnonzero(tried))
    return own[: min(len(answered), len(own) // 2)]


def _one_by_one(
    population: LinearPopulation,
    agents: Numbers,
    quizzes: list[Numbers],
    groups: NDArray[np.int64],
    shrinkage: Shrinkage,
) -> Replay:
    """Each agent answers its own tasks, and is judged on the others that it tried."""
    assert population.tried is not None
    count = int(groups.max(initial=-1)) + 1
    on_answered, on_rest = np.zeros((len(agents), count)), np.full((len(agents), count), np.nan)
    counts, spread = np.zeros((len(agents), count), np.int64), np.ones((len(agents), count))
    for row, (agent, quiz) in enumerate(zip(agents.tolist(), quizzes, strict=True)):
        regression = population.regression(quiz, shrinkage).without(agent)
        results = population.rates[agent].astype(np.float64)
        weights = regression.weights(results[quiz])
        others = members(groups, np.setdiff1d(np.flatnonzero(population.tried[agent]), quiz))
        spreads = np.sqrt(np.diagonal(population.group_covariance(regression, others)))
        for group, (some, rest) in enumerate(zip(members(groups, quiz), others, strict=True)):
            counts[row, group] = len(some)
            if len(some):
                missed = results[some].sum() - weights @ population.sums(some)
                on_answered[row, group] = missed / len(some)
            if len(rest):
                missed = results[rest].sum() - weights @ population.sums(rest)
                on_rest[row, group], spread[row, group] = missed / len(rest), spreads[group]
    return Replay(on_answered, on_rest, counts, spread, shrinkage)

"""Replay: the known agents take the quiz of a new agent, each predicted from the others.

What was missed on their other tasks shows how far the answers in a group of tasks correct the
prediction for its other tasks, and how wide an interval must be.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from taskspace.models.linear_population import (
    Floats,
    LinearPopulation,
    Numbers,
    Regression,
    Shrinkage,
)

# Those between which the errors decide; fewer, the first, if the agents take different quizzes.
SHRINKAGES = tuple(
    Shrinkage(noise, common)
    for noise, common in ((1.0, 0.002), (1.0, 0.02), (1.0, 0.0005), (0.5, 0.002), (2.0, 0.002))
)
FEW = 3
REPLAYED = 100  # agents, if the tasks of the quiz were not tried by all of them
# Numbers of answers with which the answers in a group correct its prediction by half.
HALVES = (0.0, 1.0, 3.0, 10.0, 20.0, 40.0, 80.0, 160.0, np.inf)
POOLED = 10  # number of agents that the other groups are worth, when one group is judged
_LEAST_SCALE = 0.1  # results of known agents can be too few to show any errors
_LEAST_MISFIT = 0.5  # of known agents that do not differ on the answered tasks
_SAME = 1e-6  # relative difference of losses that is due to rounding
_SEVERAL = 0.1  # least fraction of rates between 0 and 1 if they come from several attempts


@dataclass(frozen=True, eq=False)
class Replay:
    """Errors of the predictions for known agents (agents, groups), and the settings used."""

    on_answered: Floats  # mean residual on the answered tasks of the group; 0 if there are none
    on_rest: Floats  # mean residual on the other tasks that it tried; NaN if there are none
    answered: NDArray[np.int64]  # number of answered tasks of the group
    excess: Floats  # variance of `on_rest` because only some of the other tasks were tried
    spread: Floats  # (groups,): standard deviation over all other tasks, according to the model
    misfits: Floats  # (agents,): how far the answers are from what is expected, see `misfit_of`
    shrinkage: Shrinkage
    population: LinearPopulation  # whose results are drawn towards scores in the groups

    def unlike(self, misfit: float) -> float:
        """How much larger a new agent's misfit is than usual, if it is unlike every known agent.

        Otherwise 1: the misfit is no larger than that of some known agent, or twice the usual.
        """
        usual = max(float(np.sqrt(np.mean(self.misfits**2))), _LEAST_MISFIT)
        return misfit / usual if misfit > max(self.misfits.max(), 2 * usual) else 1.0

    def corrected(self, half: Floats | float) -> Floats:
        """The errors after the correction by the answers in the group."""
        return self.on_rest - share(self.answered, half) * self.on_answered

    @cached_property
    def halves(self) -> Floats:
        """For each group, the number of answers that gives the smallest errors."""
        losses = np.nansum(self._squares(np.array(HALVES)[:, None, None]), 1)
        agents = np.maximum((~np.isnan(self.on_rest)).sum(0), 1)
        pooled = losses.sum(1, keepdims=True) / agents.sum()
        losses = losses + POOLED * pooled
        # If the known agents do not differ on the answered tasks, all are the same: no correction.
        same = np.ptp(losses, axis=0) <= _SAME * losses.max(0) + _SAME
        return np.where(same, np.inf, np.array(HALVES)[losses.argmin(0)])

    def scale(self) -> Floats:
        """For each group, the size of the errors relative to the model's standard deviation."""
        squares = self._squares(self.halves) - self.excess / self.spread**2
        agents = (~np.isnan(squares)).sum(0)
        total = np.nansum(squares, 0)
        pooled = max(total.sum() / max(agents.sum(), 1), _LEAST_SCALE**2)
        return np.sqrt(np.maximum((total + POOLED * pooled) / (agents + POOLED), pooled / 4))

    def _squares(self, half: Floats | float) -> Floats:
        return (self.corrected(half) / self.spread) ** 2


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
    single: bool = False,
    noise: Floats | None = None,
    seed: int = 0,
) -> Replay:
    """Let known agents answer these tasks, with the shrinkage that gives the smallest errors.

    `groups` has the number of the group of each task, or -1. If the new agent's answers are
    `single` attempts, those of the known agents are drawn with their success rates. If these are
    returns, `noise` has the standard deviations (agents, answered) of attempts around them.
    """
    population = population.towards(groups)
    rng, tried = np.random.default_rng(seed), population.tried
    if tried is None or tried[:, answered].all():
        rates = population.rates[:, answered].astype(np.float64)
        draws = (rng.random(rates.shape) < rates).astype(np.float64)
        given = draws if single else rates
        if noise is not None:
            given = np.clip(rates + noise * rng.standard_normal(rates.shape), 0.0, 1.0)
        return _together(population, answered, given, groups)
    agents = rng.permutation(len(tried))[:REPLAYED]
    quizzes = [_own_quiz(tried[agent], answered, rng) for agent in agents]
    found = [
        _one_by_one(population, answered, groups, agents, quizzes, s) for s in SHRINKAGES[:FEW]
    ]
    return min(found, key=_mean_error)


def _mean_error(found: Replay) -> float:
    errors = np.abs(found.corrected(found.halves))
    return float(np.nansum(errors) / max((~np.isnan(errors)).sum(), 1))


def single_attempts(population: LinearPopulation, answered: Numbers, results: Floats) -> bool:
    """Whether the results are single attempts, but the rates of the known agents are not."""
    if not len(results) or not np.isin(results, (0.0, 1.0)).all():
        return False
    rates = population.rates[:, answered]
    tried = True if population.tried is None else population.tried[:, answered]
    return bool(((rates > 0) & (rates < 1) & tried).mean() > _SEVERAL * np.mean(tried))


def members(groups: NDArray[np.int64], tasks: Numbers) -> list[Numbers]:
    """Which of the tasks are in each group."""
    own = groups[tasks]
    return [tasks[own == group] for group in range(int(groups.max(initial=-1)) + 1)]


def other_sums(population: LinearPopulation, asked: list[Numbers]) -> Floats:
    """The sums (groups, rows of the regression) over the tasks of each group that are not asked.

    Results are drawn towards scores, so that the sums over all tasks are known.
    """
    assert population.drawn is not None
    found: Floats = population.drawn.sums[: len(asked)]
    return found - np.stack([population.sums(tasks) for tasks in asked])


@dataclass(frozen=True, eq=False)
class _Rest:
    """The tasks of each group that are not answered: what no shrinkage changes."""

    sizes: Numbers  # (groups,)
    sums: Floats  # (groups, rows) of the rows of the regression
    variances: Floats  # (groups,): of the mean of results, if tasks were independent
    doubts: Floats  # (groups,): what the rule of succession adds to them

    @classmethod
    def of(
        cls, population: LinearPopulation, answered: Numbers, groups: NDArray[np.int64]
    ) -> _Rest:
        """Those of a quiz."""
        tasks = members(groups, np.setdiff1d(np.arange(len(groups)), answered))
        sizes = np.array([len(part) for part in tasks])
        doubts = population.cautious - population.variances
        own, more = (
            np.array([values[part].sum() for part in tasks]) / np.maximum(sizes, 1) ** 2
            for values in (population.variances, doubts)
        )
        return cls(sizes, other_sums(population, members(groups, answered)), own, more)

    def spread(self, regression: Regression) -> Floats:
        """The standard deviation of the mean result of each group, according to the model."""
        means = self.sums / np.maximum(self.sizes, 1)[:, None]
        explained = ((means @ regression.covariance) * means).sum(1)
        found = regression.noise * (explained + self.variances)
        return np.sqrt(np.maximum(found + self.doubts, 1e-12))


def misfit_of(
    population: LinearPopulation,
    answered: Numbers,
    results: Floats,
    weights: Floats,
    shrinkage: Shrinkage,
) -> Floats:
    """How far results (..., answered) are from what these weights (..., rows) and the prior expect.

    This is the root mean square in standard deviations: of the residuals on the answered tasks,
    and of the multiple of the common factor, which may explain them.
    """
    rows = np.concatenate([population.known(answered), population.common[None, answered]])
    squares = (results - weights @ rows) ** 2 / population.cautious[answered]
    total = squares.sum(-1) + weights[..., -1] ** 2 / shrinkage.common
    found: Floats = np.sqrt(total / max(len(answered), 1))
    return found


def _together(
    population: LinearPopulation, answered: Numbers, given: Floats, groups: NDArray[np.int64]
) -> Replay:
    """All agents answer the same tasks, which takes a single regression for each shrinkage."""
    assert population.drawn is not None
    asked, rest = members(groups, answered), _Rest.of(population, answered, groups)
    sizes = np.array([len(tasks) for tasks in asked])
    sums = np.stack([population.sums(tasks) for tasks in asked])
    own = (groups[answered, None] == np.arange(len(asked))).astype(np.float64)
    results, agents = population.rates[:, answered], len(given)
    known = population.drawn.sums[: len(asked), :-1].T - results @ own
    # Results are drawn towards means of all agents. An agent's own part in these is taken out.
    given = given + (results - population.known(answered)) / (agents - 1)
    known = known + (known - rest.sums[:, :-1].T) / (agents - 1)
    on_asked, on_rest = given @ own / np.maximum(sizes, 1), known / np.maximum(rest.sizes, 1)
    counts = np.tile(sizes, (agents, 1))

    def replayed(shrinkage: Shrinkage) -> tuple[Replay, Floats]:
        regression = population.regression(answered, shrinkage)
        weights = regression.left_out(given)
        missed = np.where(sizes > 0, on_asked - weights @ sums.T / np.maximum(sizes, 1), 0.0)
        missed_rest = np.where(
            rest.sizes > 0, on_rest - weights @ rest.sums.T / np.maximum(rest.sizes, 1), np.nan
        )
        none, spread = np.zeros_like(missed_rest), rest.spread(regression)
        errors = (missed, missed_rest, counts, none, spread, none[:, 0])
        return Replay(*errors, shrinkage, population), weights

    found, weights = min(map(replayed, SHRINKAGES), key=lambda pair: _mean_error(pair[0]))
    misfits = misfit_of(population, answered, given, weights, found.shrinkage)
    return replace(found, misfits=misfits)


def _own_quiz(tried: NDArray[np.bool_], answered: Numbers, rng: np.random.Generator) -> Numbers:
    """The answered tasks that an agent tried; if they are few, some of its other tasks."""
    asked = answered[tried[answered]]
    if 2 * len(asked) >= len(answered):
        return asked
    own = rng.permutation(np.flatnonzero(tried))
    return own[: min(len(answered), len(own) // 2)]


def _one_by_one(
    population: LinearPopulation,
    answered: Numbers,
    groups: NDArray[np.int64],
    agents: Numbers,
    quizzes: list[Numbers],
    shrinkage: Shrinkage,
) -> Replay:
    """Each agent answers its own tasks, and is judged on the others that it tried."""
    assert population.tried is not None
    size = int(groups.max(initial=-1)) + 1
    counts = np.zeros((2, len(agents), size))
    sums, squares, misfits = np.zeros_like(counts), np.zeros_like(counts), np.zeros(len(agents))
    for row, (agent, quiz) in enumerate(zip(agents.tolist(), quizzes, strict=True)):
        results = population.rates[agent].astype(np.float64)
        weights = population.weights(quiz, results[quiz], shrinkage, without=agent)
        misfits[row] = misfit_of(population, quiz, results[quiz], weights, shrinkage)
        own = np.flatnonzero(population.tried[agent] & (groups >= 0))
        missed = results[own] - population.weighted(weights, own)
        cell = np.where(np.isin(own, quiz), 0, size) + groups[own]
        for total, part in ((counts, None), (sums, missed), (squares, missed**2)):
            total[:, row] = np.bincount(cell, part, 2 * size).reshape(2, size)
    on_answered = sums[0] / np.maximum(counts[0], 1)
    on_rest = np.where(counts[1] > 0, sums[1] / np.maximum(counts[1], 1), np.nan)
    # Residuals within an agent and a group vary; their mean over more tasks varies less.
    within = squares[1] - sums[1] ** 2 / np.maximum(counts[1], 1)
    noise = within.sum(0) / np.maximum((counts[1] - (counts[1] > 0)).sum(0), 1)
    left = np.bincount(groups[groups >= 0], minlength=size)
    left -= np.bincount(groups[answered][groups[answered] >= 0], minlength=size)
    excess = noise * np.maximum(1 / np.maximum(counts[1], 1) - 1 / np.maximum(left, 1), 0.0)
    rest, regression = (
        _Rest.of(population, answered, groups),
        population.regression(answered, shrinkage),
    )
    spread = rest.spread(regression)
    asked = counts[0].astype(np.int64)
    return Replay(on_answered, on_rest, asked, excess, spread, misfits, shrinkage, population)

"""The prior probability of each type of candidate, the weight of an answer, and the linear share.

All are chosen by cross-validation over the known agents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from taskspace.applications.candidates import Table
from taskspace.applications.posterior import SIZES
from taskspace.models.linear_population import LinearPopulation
from taskspace.models.success.factors import Floats
from taskspace.models.success.low_rank import log_loss

# Prior probabilities of known, simulated and skill-level agents; left-out agents decide between
# the rows. None is 0: the next agent may belong to a type that none of the left-out agents has.
MIXES = (
    (0.80, 0.15, 0.05), (0.50, 0.40, 0.10), (0.20, 0.70, 0.10), (0.05, 0.90, 0.05),
    (0.30, 0.40, 0.30),
)  # fmt: skip
# Prior probabilities of agents on the map, if there is one; left-out agents decide here too, and
# where the map does not help them, it is not used. The map was learned from them as well, so a
# small gain proves nothing: on real tables, maps that gained up to 3 % did not help new agents.
MAP_SHARES = (0.0, 0.1, 0.2)
LEAST_GAIN = 0.03  # of the log loss
TEMPERS = (0.4, 0.7, 1.0)  # exponents of the likelihood of an answer
# A return varies less than a success does, so it can tell much more.
RETURN_TEMPERS = (0.4, 0.7, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
# Shares of the linear population model in a prediction; the rest is that of the candidates.
LINEAR_SHARES = (0.0, 0.15, 0.3, 0.45, 0.6)
QUIZ_SIZES = SIZES  # on which mixes and tempers are compared
JUDGED_TASKS = 200  # on which they are compared
FOLDS = 4
FEWEST_AGENTS = 4  # fewer are too few for cross-validation
MOST_AGENTS = 2000  # that take part in it; of more, some are drawn


@dataclass(frozen=True)
class Choice:
    """What left-out agents decided."""

    mix: tuple[float, ...]  # prior probability of each type of candidate; the map's is the last
    temper: float  # exponent of the likelihood of an answer
    linear: float  # share of the linear population model


def spread(mix: tuple[float, ...], groups: list[Floats]) -> Floats:
    """The prior of each candidate, from the priors of the types of candidates.

    >>> spread((0.4, 0.6), [np.zeros((2, 5)), np.zeros((3, 5))])
    array([0.2, 0.2, 0.2, 0.2, 0.2])
    """
    counts = [len(group) for group in groups]
    return np.repeat(np.divide(mix, counts), counts)


def log_likelihood(profiles: Floats, results: Floats) -> Floats:
    """Log likelihood (agents, candidates) of results (agents, tasks) given candidates' profiles.

    Tasks that were not asked have the result NaN.
    """
    p = np.clip(profiles, 1e-6, 1 - 1e-6)
    asked, right = ~np.isnan(results), np.nan_to_num(results)
    total: Floats = right @ (np.log(p) - np.log1p(-p)).T + asked @ np.log1p(-p).T
    return total


def choose_prior(
    table: Table,
    make: Callable[[Table], list[Floats]],
    rng: np.random.Generator,
    shares: Sequence[float] = LINEAR_SHARES,
) -> Choice:
    """The settings under which results of left-out agents are most likely after a quiz.

    `make` returns the candidates of each type (candidates, tasks), given the other agents. The
    last number of the mix is the share of the map, if the table has one. `shares` are those of the
    linear population model to choose from.
    """
    mixes, agents = _mixes(table.vectors is not None), len(table.successes)
    if agents < FEWEST_AGENTS:
        return Choice(mixes[1], 1.0, 0.0)
    if agents > MOST_AGENTS:
        table = table.of_agents(np.sort(rng.permutation(agents)[:MOST_AGENTS]))
        agents = MOST_AGENTS
    table = table.of_tasks(rng.permutation(table.successes.shape[1])[:JUDGED_TASKS])
    tempers = TEMPERS if table.answers is None else RETURN_TEMPERS
    losses = np.zeros((len(shares), len(tempers), len(mixes)))
    for left_out in np.array_split(rng.permutation(agents), FOLDS):
        rest = table.of_agents(np.delete(np.arange(agents), left_out))
        groups, new = make(rest), table.of_agents(left_out)
        population = LinearPopulation.from_rates(rest.rates, groups[0], 0)
        for quiz in quizzes(new, rng):
            linear = population.predict_each(quiz)
            losses += _losses(groups, mixes, tempers, quiz, new, shares, linear)
    if table.vectors is not None:
        losses[..., [mix[-1] > 0 for mix in mixes]] /= 1 - LEAST_GAIN
    # The candidates first: they also choose the questions of a quiz, where nothing is blended in.
    temper, mix = map(int, np.unravel_index(int(losses[0].argmin()), losses[0].shape))
    share = int(losses[:, temper, mix].argmin())
    return Choice(mixes[mix], tempers[temper], shares[share])


def _mixes(mapped: bool) -> list[tuple[float, ...]]:
    if not mapped:
        return list(MIXES)
    return [(*((1 - share) * part for part in mix), share) for share in MAP_SHARES for mix in MIXES]


def quizzes(new: Table, rng: np.random.Generator) -> Iterator[Floats]:
    """Results (agents, tasks) of one attempt at some of the tried tasks, otherwise NaN."""
    tried, rates = new.attempts > 0, np.nan_to_num(new.rates)
    for size in QUIZ_SIZES:
        order = np.where(tried, rng.random(rates.shape), np.inf).argsort(1).argsort(1)
        answers = _attempts(rates, new.answers, rng)
        yield np.where((order < size) & tried, answers, np.nan)


def _attempts(rates: Floats, dispersion: Floats | None, rng: np.random.Generator) -> Floats:
    """The results of one attempt each: successes, or normalised returns with a dispersion.

    >>> _attempts(np.array([0.3, 1.0]), np.zeros(2), np.random.default_rng(0))
    array([0.3, 1. ])
    """
    if dispersion is None:
        return (rng.random(rates.shape) < rates).astype(np.float64)
    varies = (dispersion > 0) & (rates > 0) & (rates < 1)
    total = 1 / np.where(varies, dispersion, 0.5) - 1  # of the parameters of Beta distributions
    p = np.where(varies, rates, 0.5)
    return np.where(varies, rng.beta(np.maximum(total * p, 1e-3), total * (1 - p) + 1e-3), rates)


def _losses(
    groups: list[Floats],
    mixes: list[tuple[float, ...]],
    tempers: Sequence[float],
    quiz: Floats,
    new: Table,
    shares: Sequence[float],
    linear: Floats,
) -> Floats:
    """Log loss (shares, tempers, mixes) on the pairs outside the quiz, one attempt per pair."""
    targets = np.isnan(quiz) & (new.attempts > 0)
    rates, beside = new.rates[targets], np.clip(linear[targets], 0.0, 1.0)
    fits = [log_likelihood(group, quiz) for group in groups]
    best = np.max([fit.max(1, keepdims=True) for fit in fits], axis=0)
    losses = np.empty((len(shares), len(tempers), len(mixes)))
    for row, temper in enumerate(tempers):
        weights = [np.exp(temper * (fit - best)) / fit.shape[1] for fit in fits]
        solved = np.stack([(w @ group)[targets] for w, group in zip(weights, groups, strict=True)])
        total = np.stack([np.broadcast_to(w.sum(1)[:, None], quiz.shape)[targets] for w in weights])
        for column, mix in enumerate(mixes):
            predicted = (np.array(mix) @ solved) / (np.array(mix) @ total)
            for layer, share in enumerate(shares):
                both = (1 - share) * predicted + share * beside
                losses[layer, row, column] = log_loss(both, rates, np.ones(len(rates)))
    return losses

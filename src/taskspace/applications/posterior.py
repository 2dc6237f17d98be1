"""Which of the agents that we know is this one like? Prediction that knows the base rate.

A new agent is taken to be like one of many candidates: the known agents; imagined agents, drawn
from the low-rank model of the known ones; agents of their own skill, which find tasks hard that are
hard for others, more or less; and, where there is a map of the tasks, agents for which tasks near
each other are alike, whatever other agents do. The quiz answers say how likely each candidate is
(Bayes), and the chance on any task is the mean of their chances, so weighted.

Known agents are the best guide to an agent of a kind that is known. The others keep the
predictor from being sure of the wrong thing if it is of a new kind.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.applications.candidates import Table, candidates
from taskspace.applications.known_tasks import Mix
from taskspace.outcomes import Outcomes
from taskspace.success.factors import Floats, fit_factors
from taskspace.success.low_rank import fit_low_rank, log_loss

# Prior shares of known agents, imagined agents and agents of their own skill; left-out agents say
# which. None of them is 0: the next agent may be of a kind that none of the left-out ones is of.
MIXES = (
    (0.80, 0.15, 0.05), (0.50, 0.40, 0.10), (0.20, 0.70, 0.10), (0.05, 0.90, 0.05),
    (0.30, 0.40, 0.30),
)  # fmt: skip
# Of agents on the map, if there is one. Measured where whole subpopulations are left out: from 0.1
# to 0.3 the map's own vote (soft nearest neighbours) is hardly better even where the map knows the
# left-out agents, and agents of known kinds lose little.
MAP_SHARE = 0.2
TEMPERS = (0.4, 0.7, 1.0)  # what an answer counts for
QUIZ_SIZES = (1, 5, 20)  # that mixes and tempers are judged by
JUDGED_TASKS = 200  # that they are judged on
FOLDS = 4
FEWEST_AGENTS = 4  # fewer say nothing about the next one
_PERCENTS = np.arange(101) / 100  # that intervals end at
_MOST_AT_ONCE = 1 << 22  # pairs of task and candidate, for memory


@dataclass(frozen=True, eq=False)
class Posterior:
    """Candidates for who a new agent is like, and how they fare on every task."""

    profiles: NDArray[np.float32]  # (tasks, candidates): success probabilities; known agents first
    prior: Floats  # (candidates,): how likely each is before the quiz
    temper: float  # power to which the likelihood of the answers is raised
    strength: float  # attempts that a candidate's word on a task is worth, see `interval`

    def predict(self, quiz: Mix, results: Floats, tasks: Mix) -> Floats:
        """The chance of success on each task, given results (0, 1 or rates) on the quiz."""
        return self.chances(self.weights(quiz, results), tasks)

    def chances(self, weights: Floats, tasks: Mix) -> Floats:
        """The chance of success on each task of candidates with these weights (candidates,)."""
        needed, places = np.unique(tasks.numbers, return_inverse=True)
        every = len(needed) == len(self.profiles)  # spares a copy
        profiles = self.profiles if every else self.profiles[needed]
        chances = (profiles @ weights.astype(np.float32)).astype(np.float64)
        mixed: Floats = (chances[places.reshape(tasks.numbers.shape)] * tasks.shares).sum(1)
        return np.clip(mixed, 0.0, 1.0)

    def interval(self, weights: Floats, tasks: Mix, level: float) -> tuple[Floats, Floats]:
        """Bounds of the agent's success probability on each task, that hold with chance `level`.

        An agent that is like a candidate is not the same: on any one task its success probability
        is Beta distributed around the candidate's, as if known from `strength` attempts. The
        interval has equal tails of the mixture of these distributions over the candidates, ends
        at whole percents, rounded outwards, and always holds the chance itself.
        """
        step = max(_MOST_AT_ONCE // len(weights), 1)
        pieces = [
            Mix(tasks.numbers[start : start + step], tasks.shares[start : start + step])
            for start in range(0, len(tasks.numbers), step)
        ]
        shares = np.concatenate([_shares(self._candidates(piece), weights) for piece in pieces])
        below, tail = shares @ _beta_table(self.strength), (1 - level) / 2
        low = (below[:, 1:] <= tail).sum(1)
        high = (below[:, :-1] < 1 - tail).sum(1)
        chances = 100 * self.chances(weights, tasks)  # a mean, which a narrow interval may miss
        low = np.minimum(low, np.floor(chances).astype(np.int64))
        high = np.maximum(high, np.ceil(chances).astype(np.int64))
        return _PERCENTS[low], _PERCENTS[high]

    def weights(self, quiz: Mix, results: Floats) -> Floats:
        """How likely each candidate is after the quiz; it may be empty."""
        likelihood = self.temper * log_likelihood(self._candidates(quiz).T, results[None])[0]
        weights = np.exp(likelihood - likelihood.max()) * self.prior
        normalized: Floats = weights / weights.sum()
        return normalized

    def weights_of_many(self, quiz: NDArray[np.int64], results: Floats) -> Floats:
        """The same (agents, candidates) for agents with quizzes and results (agents, questions)."""
        p = np.clip(self.profiles[quiz].astype(np.float64), 1e-6, 1 - 1e-6)
        chosen = np.where(results[:, :, None] > 0.5, p, 1 - p)
        likelihood = self.temper * np.log(chosen).sum(1)
        weights = np.exp(likelihood - likelihood.max(1, keepdims=True)) * self.prior
        normalized: Floats = weights / weights.sum(1, keepdims=True)
        return normalized

    def _candidates(self, tasks: Mix) -> Floats:
        """Every candidate's chance on each task (tasks, candidates)."""
        return np.einsum("qkc,qk->qc", self.profiles[tasks.numbers], tasks.shares)


@dataclass(frozen=True, eq=False)
class AgentPosterior(Posterior):
    """Candidates on the tasks of some outcomes."""

    outcomes: Outcomes  # of the known agents


@functools.cache  # a predictor has one strength
def _beta_table(strength: float) -> Floats:
    """Chance (101, 101) that an agent's success probability is at most so many percent.

    Rows are the candidate's success probability, in percent.
    """
    from scipy.special import betainc

    centre = np.clip(_PERCENTS, 0.002, 0.998)[:, None]
    table: Floats = betainc(strength * centre, strength * (1 - centre), _PERCENTS)
    return table


def _shares(chances: Floats, weights: Floats) -> Floats:
    """Of all weight, how much each percent of success has on each task (tasks, 101)."""
    count, size = len(chances), len(_PERCENTS)
    place = (chances * (size - 1) + 0.5).astype(np.int64) + size * np.arange(count)[:, None]
    spread = np.broadcast_to(weights, chances.shape).ravel()
    total: Floats = np.bincount(place.ravel(), spread, count * size).astype(np.float64)
    return total.reshape(count, size)


def fit_posterior(
    outcomes: Outcomes, *, vectors: ArrayLike | None = None, seed: int = 0
) -> AgentPosterior:
    """Learn from the results of the known agents what a quiz tells about a new one.

    `vectors` (tasks, dimensions) are a map of these tasks, such as `embedder.transform` gives; it
    helps with agents of a new kind. How much is left for these, and how much an answer counts, is
    decided by how likely the results of left-out agents are.

    >>> rng = np.random.default_rng(0)
    >>> can = np.repeat(np.eye(2), 10, axis=1)[rng.integers(0, 2, 40)]  # two kinds of agents
    >>> posterior = fit_posterior(Outcomes(can, 1))
    >>> quiz, tasks = Mix.known([0]), Mix.known([1, 15])
    >>> posterior.predict(quiz, np.ones(1), tasks).round()
    array([1., 0.])
    """
    from threadpoolctl import threadpool_limits

    if not isinstance(outcomes, Outcomes):
        raise TypeError(
            f"expected Outcomes, not {type(outcomes).__name__} (a SuccessModel has"
            " fit_model_posterior)"
        )
    rng = np.random.default_rng(checks.seed(seed))
    places = None if vectors is None else _places(vectors, outcomes)
    table = Table(outcomes.successes.astype(float), outcomes.rollouts.astype(float), places)
    model = fit_low_rank(outcomes, seed=seed)

    def make(rest: Table) -> list[Floats]:
        rank, least = model.settings.rank, model.settings.least_spread
        factors = fit_factors(rest.successes, rest.attempts, rank, least)
        return candidates(rest, factors, model.settings, rng)

    with threadpool_limits(1):
        mix, temper = choose_prior(table, make, rng)
        groups = candidates(table, model.factors, model.settings, rng)
    profiles = np.concatenate(groups).T.astype(np.float32, order="C")
    prior = spread(mix, groups)
    return AgentPosterior(profiles, prior, temper, model.settings.strength, outcomes)


def spread(mix: tuple[float, ...], groups: list[Floats]) -> Floats:
    """The prior of each candidate, from that of their kinds.

    >>> spread((0.4, 0.6), [np.zeros((2, 5)), np.zeros((3, 5))])
    array([0.2, 0.2, 0.2, 0.2, 0.2])
    """
    counts = [len(group) for group in groups]
    return np.repeat(np.divide(mix, counts), counts)


def _places(vectors: ArrayLike, outcomes: Outcomes) -> Floats:
    places = checks.numbers(vectors, "vectors")
    if places.ndim != 2 or len(places) != outcomes.n_tasks:
        raise ValueError(
            f"vectors must have a row for each of the {outcomes.n_tasks} tasks; got an array of"
            f" shape {places.shape}"
        )
    return places


def log_likelihood(chances: Floats, results: Floats) -> Floats:
    """Log likelihood (agents, candidates) of results (agents, quiz) given the candidates' chances.

    A result that is NaN was not asked for.
    """
    p = np.clip(chances, 1e-6, 1 - 1e-6)
    asked, right = ~np.isnan(results), np.nan_to_num(results)
    total: Floats = right @ (np.log(p) - np.log1p(-p)).T + asked @ np.log1p(-p).T
    return total


def choose_prior(
    table: Table, make: Callable[[Table], list[Floats]], rng: np.random.Generator
) -> tuple[tuple[float, ...], float]:
    """Mix and temper under which results of left-out agents are most likely after a quiz.

    `make` gives the candidates of every kind (agents, tasks), from what the others did.
    """
    mixes, agents = _mixes(table.places is not None), len(table.successes)
    if agents < FEWEST_AGENTS:
        return mixes[1], TEMPERS[-1]
    table = table.of_tasks(rng.permutation(table.successes.shape[1])[:JUDGED_TASKS])
    losses = np.zeros((len(TEMPERS), len(mixes)))
    for left_out in np.array_split(rng.permutation(agents), FOLDS):
        groups = make(table.of_agents(np.delete(np.arange(agents), left_out)))
        new = table.of_agents(left_out)
        for quiz in _quizzes(new, rng):
            losses += _losses(groups, mixes, quiz, new)
    temper, mix = np.unravel_index(int(losses.argmin()), losses.shape)
    return mixes[int(mix)], TEMPERS[int(temper)]


def _mixes(mapped: bool) -> list[tuple[float, ...]]:
    if not mapped:
        return list(MIXES)
    return [(*((1 - MAP_SHARE) * share for share in mix), MAP_SHARE) for mix in MIXES]


def _quizzes(new: Table, rng: np.random.Generator) -> Iterator[Floats]:
    """Results (agents, tasks) of one attempt at some of the tasks that were tried, else NaN."""
    tried, rates = new.attempts > 0, new.successes / np.maximum(new.attempts, 1)
    for size in QUIZ_SIZES:
        order = np.where(tried, rng.random(rates.shape), np.inf).argsort(1).argsort(1)
        answers = (rng.random(rates.shape) < rates).astype(np.float64)
        yield np.where((order < size) & tried, answers, np.nan)


def _losses(
    groups: list[Floats], mixes: list[tuple[float, ...]], quiz: Floats, new: Table
) -> Floats:
    """Surprise at what was not in the quiz (tempers, mixes), an attempt at each pair."""
    targets = np.isnan(quiz) & (new.attempts > 0)
    rates = (new.successes / np.maximum(new.attempts, 1))[targets]
    fits = [log_likelihood(group, quiz) for group in groups]
    best = np.max([fit.max(1, keepdims=True) for fit in fits], axis=0)
    losses = np.empty((len(TEMPERS), len(mixes)))
    for row, temper in enumerate(TEMPERS):
        weights = [np.exp(temper * (fit - best)) / fit.shape[1] for fit in fits]
        voted = np.stack([(w @ group)[targets] for w, group in zip(weights, groups, strict=True)])
        ever = np.stack([np.broadcast_to(w.sum(1)[:, None], quiz.shape)[targets] for w in weights])
        for column, mix in enumerate(mixes):
            chances = (np.array(mix) @ voted) / (np.array(mix) @ ever)
            losses[row, column] = log_loss(chances, rates, np.ones(len(rates)))
    return losses

"""Which of the agents that we know is this one like? Prediction that knows the base rate.

A new agent is taken to be like one of the known agents, or like one that there might be: imagined
agents are drawn from the low-rank model of the known ones. The quiz answers say how likely each
is (Bayes), and the chance on any task is the mean of their chances, so weighted. With no
answers that is the base rate of the task.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.applications.known_tasks import Mix
from taskspace.outcomes import Outcomes
from taskspace.success.factors import Floats, fit_factors
from taskspace.success.low_rank import (
    MOST_TASKS,
    Settings,
    blend,
    fit_low_rank,
    log_loss,
)

IMAGINED = 1000  # agents that are drawn from the low-rank model
SHARES = (0.05, 0.2, 0.5, 0.8, 0.95, 1.0)  # of the imagined agents in the prior
TEMPERS = (0.4, 0.6, 0.8, 1.0)  # what an answer counts for
QUIZ_SIZES = (1, 5, 20)  # that shares and tempers are judged by
FOLDS = 4
FEWEST_AGENTS = 4  # fewer say nothing about the next one


@dataclass(frozen=True, eq=False)
class AgentPosterior:
    """Candidates for who a new agent is like, and how they fare on every task."""

    outcomes: Outcomes  # of the known agents
    profiles: NDArray[np.float32]  # (tasks, candidates): success probabilities; known agents first
    share: float  # prior probability that the agent is like an imagined one
    temper: float  # power to which the likelihood of the answers is raised

    def predict(self, quiz: Mix, results: Floats, tasks: Mix) -> Floats:
        """The chance of success on each task, given results (0, 1 or rates) on the quiz."""
        weights = self.weights(quiz, results).astype(np.float32)
        needed, places = np.unique(tasks.numbers, return_inverse=True)
        chances = (self.profiles[needed] @ weights).astype(np.float64)
        mixed: Floats = (chances[places.reshape(tasks.numbers.shape)] * tasks.shares).sum(1)
        return np.clip(mixed, 0.0, 1.0)

    def weights(self, quiz: Mix, results: Floats) -> Floats:
        """How likely each candidate is after the quiz."""
        asked = np.einsum("qkc,qk->cq", self.profiles[quiz.numbers], quiz.shares)
        likelihood = self.temper * log_likelihood(asked, results[None])[0]
        weights = np.exp(likelihood - likelihood.max()) * self._prior()
        normalized: Floats = weights / weights.sum()
        return normalized

    def _prior(self) -> Floats:
        known, candidates = self.outcomes.n_agents, self.profiles.shape[1]
        shares = [(1 - self.share) / known, self.share / (candidates - known)]
        return np.repeat(shares, [known, candidates - known])


def fit_posterior(outcomes: Outcomes, *, seed: int = 0) -> AgentPosterior:
    """Learn from the results of the known agents what a quiz tells about a new one.

    How much is left for agents unlike the known ones, and how much an answer counts, is decided
    by how likely the results of agents are that were left out.

    >>> rng = np.random.default_rng(0)
    >>> can = np.repeat(np.eye(2), 10, axis=1)[rng.integers(0, 2, 40)]  # two kinds of agents
    >>> posterior = fit_posterior(Outcomes(can, 1))
    >>> quiz, tasks = Mix.known([0]), Mix.known([1, 15])
    >>> posterior.predict(quiz, np.ones(1), tasks).round()
    array([1., 0.])
    """
    from threadpoolctl import threadpool_limits

    rng = np.random.default_rng(checks.seed(seed))
    successes = outcomes.successes.astype(np.float64)
    attempts = outcomes.rollouts.astype(np.float64)
    model = fit_low_rank(outcomes, seed=seed)
    with threadpool_limits(1):
        share, temper = choose_prior(successes, attempts, model.settings, rng)
        imagined = model.factors.imagine(IMAGINED, rng)
    profiles = np.concatenate([model.profiles, imagined]).T.astype(np.float32, order="C")
    return AgentPosterior(outcomes, profiles, share, temper)


def log_likelihood(chances: Floats, results: Floats) -> Floats:
    """Log likelihood (agents, candidates) of results (agents, quiz) given the candidates' chances.

    A result that is NaN was not asked for.
    """
    p = np.clip(chances, 1e-6, 1 - 1e-6)
    asked, right = ~np.isnan(results), np.nan_to_num(results)
    total: Floats = right @ (np.log(p) - np.log1p(-p)).T + asked @ np.log1p(-p).T
    return total


def choose_prior(
    successes: Floats, attempts: Floats, settings: Settings, rng: np.random.Generator
) -> tuple[float, float]:
    """Share and temper under which results of left-out agents are most likely after a quiz."""
    if len(successes) < FEWEST_AGENTS:
        return 0.5, 1.0
    tasks = rng.permutation(successes.shape[1])[:MOST_TASKS]
    successes, attempts = successes[:, tasks], attempts[:, tasks]
    losses = np.zeros((len(TEMPERS), len(SHARES)))
    for left_out in np.array_split(rng.permutation(len(successes)), FOLDS):
        rest = np.delete(np.arange(len(successes)), left_out)
        factors = fit_factors(successes[rest], attempts[rest], settings.rank, settings.least_spread)
        blended = blend(factors.probabilities(), successes[rest], attempts[rest], settings.strength)
        groups = (blended, factors.imagine(IMAGINED, rng))
        for quiz in _quizzes(successes[left_out], attempts[left_out], rng):
            losses += _losses(groups, quiz, successes[left_out], attempts[left_out])
    temper, share = np.unravel_index(int(losses.argmin()), losses.shape)
    return SHARES[int(share)], TEMPERS[int(temper)]


def _quizzes(successes: Floats, attempts: Floats, rng: np.random.Generator) -> Iterator[Floats]:
    """Results (agents, tasks) of one attempt at some of the tasks that were tried, else NaN."""
    rates = successes / np.maximum(attempts, 1)
    for size in QUIZ_SIZES:
        order = np.where(attempts > 0, rng.random(rates.shape), np.inf).argsort(1).argsort(1)
        answers = (rng.random(rates.shape) < rates).astype(np.float64)
        yield np.where((order < size) & (attempts > 0), answers, np.nan)


def _losses(
    groups: tuple[Floats, Floats], quiz: Floats, successes: Floats, attempts: Floats
) -> Floats:
    """Surprise at what was not in the quiz (tempers, shares), an attempt at each pair."""
    targets = np.isnan(quiz) & (attempts > 0)
    rates = (successes / np.maximum(attempts, 1))[targets]
    fits = [log_likelihood(group, quiz) for group in groups]
    best = np.maximum(*(fit.max(1, keepdims=True) for fit in fits))
    losses = np.empty((len(TEMPERS), len(SHARES)))
    for row, temper in enumerate(TEMPERS):
        weights = [np.exp(temper * (fit - best)) / fit.shape[1] for fit in fits]
        known, imagined = (w @ group for w, group in zip(weights, groups, strict=True))
        ever = [w.sum(1, keepdims=True) for w in weights]
        for column, share in enumerate(SHARES):
            voted = (1 - share) * known + share * imagined
            chances = voted / ((1 - share) * ever[0] + share * ever[1])
            losses[row, column] = log_loss(chances[targets], rates, np.ones(len(rates)))
    return losses

"""Bayes: the probability of each candidate after a quiz, and the predictions that follow."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.applications.dependence import Consequences, Dependence
from taskspace.applications.distributions import beta_cdf
from taskspace.applications.task_mixtures import TaskMixture
from taskspace.models.success.factors import Floats

SIZES = (1, 5, 20)  # numbers of answers
SHARPEST = 1024.0  # the largest strength that is one; see `narrowed`
_PERCENTS = np.arange(101) / 100  # bounds of intervals are rounded to these
_MOST_AT_ONCE = 1 << 16  # pairs of task and candidate per block, so that it stays in the cache


@dataclass(frozen=True, eq=False)
class Posterior:
    """Candidates that a new agent may resemble, with their success probabilities on every task."""

    profiles: NDArray[np.float32]  # (tasks, candidates): success probabilities; known agents first
    prior: Floats  # (candidates,): probability of each before the quiz
    temper: float  # exponent of the likelihood of the answers
    strength: float  # attempts that a candidate's success probability is worth, see `interval`
    dependence: Dependence | None = None  # of results given the candidate, if there is any
    changes: Changes | None = None  # of the profiles, see `after`
    noise: float = 1.0  # variance of a result given the candidate, as a fraction of p (1 - p)
    strengths: tuple[float, ...] = ()  # for returns: `strength` after so many answers: SIZES

    def after(self, answered: NDArray[np.int64], results: Floats) -> Posterior:
        """The posterior in which tasks that depend on answered ones follow the answers.

        Only the profiles of these tasks change; the weights of the candidates are for `weights`. A
        task may be answered several times; new tasks are -1 and change nothing. For returns, it
        has the strength after so many answers.
        """
        if self.strengths:
            return replace(self, strength=strength_after(self.strengths, len(answered)))
        answered, results = answered[answered >= 0], results[answered >= 0]
        if self.dependence is None or not len(answered):
            return self
        tasks, attempt = np.unique(answered, return_inverse=True)
        found = self.dependence.after(tasks)
        if found is None:
            return self
        means = np.bincount(attempt, results) / np.bincount(attempt)
        apart = means[np.isin(tasks, found.asked), None] - self.profiles[found.asked]
        moved = np.clip(self.profiles[found.changed] + found.slopes @ apart, 0, 1)
        order = np.argsort(found.changed)
        profiles = moved[order].astype(np.float32)
        return replace(self, changes=Changes(found.changed[order], profiles, found))

    def dependent(self) -> tuple[NDArray[np.int64], Floats]:
        """Pairs (2, pairs) of tasks whose results depend given the candidate, and covariances."""
        if self.dependence is None:
            return np.empty((2, 0), np.int64), np.empty(0)
        return self.dependence.given(None if self.changes is None else self.changes.cause)

    def rows(self, numbers: NDArray[np.int64]) -> NDArray[np.float32]:
        """The profiles (tasks, candidates) of known tasks."""
        found: NDArray[np.float32] = self.profiles[numbers]
        if self.changes is not None:
            changed, place = self.changes.places(numbers)
            found[changed] = self.changes.profiles[place]
        return found

    def predict_proba(self, quiz: TaskMixture, results: Floats, tasks: TaskMixture) -> Floats:
        """The probability of success on each task, given results (0, 1 or rates) on the quiz."""
        itself = quiz.shares[:, 0] == 1  # answers on known tasks
        after = self.after(quiz.numbers[itself, 0], results[itself])
        return after.mean(self.weights(quiz, results), tasks)

    def mean(self, weights: Floats, tasks: TaskMixture) -> Floats:
        """The mean success probability on each task, with candidates weighted (candidates,)."""
        if tasks.numbers.shape[1] == 1:  # known tasks, the usual case
            return np.clip(self._means(tasks.numbers[:, 0], weights), 0.0, 1.0)
        needed, index = np.unique(tasks.numbers, return_inverse=True)
        means = self._means(needed, weights)[index.reshape(tasks.numbers.shape)]
        mixed: Floats = (means * tasks.shares).sum(1)
        return np.clip(mixed, 0.0, 1.0)

    def _means(self, numbers: NDArray[np.int64], weights: Floats) -> Floats:
        """The mean success probability on each known task."""
        single = weights.astype(np.float32)
        if len(numbers) < len(self.profiles):
            return (self.rows(numbers) @ single).astype(np.float64)
        found: Floats = (self.profiles @ single)[numbers].astype(np.float64)  # spares a copy
        if self.changes is not None:
            changed, place = self.changes.places(numbers)
            found[changed] = (self.changes.profiles @ single)[place]
        return found

    def interval(self, weights: Floats, tasks: TaskMixture, level: float) -> tuple[Floats, Floats]:
        """Bounds of the success probability on each task that hold with probability `level`.

        An agent that resembles a candidate is not identical to it: on any one task its success
        probability has a Beta distribution around the candidate's, as if estimated from `strength`
        attempts. The interval has equal tails of the mixture of these distributions over the
        candidates. Its bounds are rounded outwards to full percents, and it always contains the
        predicted probability.
        """
        low, high = percent_bounds(self.shares(weights, tasks), self.strength, level)
        means = 100 * self.mean(weights, tasks)  # a narrow interval may not contain the mean
        low = np.minimum(low, np.floor(means).astype(np.int64))
        high = np.maximum(high, np.ceil(means).astype(np.int64))
        return _PERCENTS[low], _PERCENTS[high]

    def shares(self, weights: Floats, tasks: TaskMixture) -> Floats:
        """The total weight of candidates at each percent of success, on each task (tasks, 101)."""
        step = max(_MOST_AT_ONCE // len(weights), 1)
        pieces = [
            TaskMixture(tasks.numbers[start : start + step], tasks.shares[start : start + step])
            for start in range(0, max(len(tasks.numbers), 1), step)  # one, even if it is empty
        ]
        return np.concatenate([_shares(self._candidates(piece), weights) for piece in pieces])

    def variances(self, weights: Floats, tasks: TaskMixture) -> Floats:
        """The variance of the agent's probability of success on each task."""
        found = self._candidates(tasks).astype(np.float64)
        means = found @ weights
        own = (found * (1 - found)) @ weights / (self.strength + 1)
        return (found - means[:, None]) ** 2 @ weights + own

    def weights(self, quiz: TaskMixture, results: Floats, prior: Floats | None = None) -> Floats:
        """The probability of each candidate after the quiz, which may be empty."""
        likelihood = self.temper * _log_likelihood(self._candidates(quiz), results)
        weights = np.exp(likelihood - likelihood.max()) * (self.prior if prior is None else prior)
        normalized: Floats = weights / weights.sum()
        return normalized

    def weights_of_many(self, quiz: NDArray[np.int64], results: Floats) -> Floats:
        """The weights (agents, candidates) for quizzes and results (agents, questions)."""
        p = np.clip(self.profiles[quiz].astype(np.float64), 1e-6, 1 - 1e-6)
        chosen = np.where(results[:, :, None] > 0.5, p, 1 - p)
        likelihood = self.temper * np.log(chosen).sum(1)
        weights = np.exp(likelihood - likelihood.max(1, keepdims=True)) * self.prior
        normalized: Floats = weights / weights.sum(1, keepdims=True)
        return normalized

    def _candidates(self, tasks: TaskMixture) -> NDArray[Any]:
        """Every candidate's probability of success on each task (tasks, candidates)."""
        if tasks.numbers.shape[1] == 1:
            return self.rows(tasks.numbers[:, 0])
        return np.einsum("qkc,qk->qc", self.rows(tasks.numbers), tasks.shares)


@dataclass(frozen=True, eq=False)
class Changes:
    """Profiles that take the place of others, because of answers."""

    tasks: NDArray[np.int64]  # in increasing order
    profiles: NDArray[np.float32]  # (tasks, candidates)
    cause: Consequences

    def places(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Which tasks changed, and the row of each of these."""
        place = np.minimum(np.searchsorted(self.tasks, numbers), len(self.tasks) - 1)
        changed = self.tasks[place] == numbers
        return changed, place[changed]


def strength_after(strengths: tuple[float, ...], answers: int) -> float:
    """The strength after some answers, between those that are known, on logarithmic scales.

    >>> round(strength_after((10.0, 20.0, 40.0), 10), 2)
    28.28
    """
    known = np.log(SIZES), np.log(strengths)
    return float(np.exp(np.interp(np.log(max(answers, 1)), *known)))


def percent_bounds(
    shares: Floats, strength: float, level: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The bounds of intervals in percent, rounded outwards, from the weights of `shares`."""
    below = shares @ _beta_table(min(strength, SHARPEST))
    tail = (1 - narrowed(level, strength)) / 2
    return (below[:, 1:] <= tail).sum(1), (below[:, :-1] < 1 - tail).sum(1)


def narrowed(level: float, strength: float) -> float:
    """The level of the interval of the candidates that contains a return with this probability.

    After few answers, the likely candidates may be further apart than new agents are. No strength
    makes their interval narrow enough then; one beyond the sharpest is read as a narrower interval,
    as if results were normal with a standard deviation that is smaller by a factor of
    sqrt(SHARPEST / strength).

    >>> narrowed(0.9, 100.0), round(narrowed(0.9, 4 * SHARPEST), 3)
    (0.9, 0.589)
    """
    if strength <= SHARPEST:
        return level
    normal = NormalDist()
    deviations = normal.inv_cdf((1 + level) / 2) * (SHARPEST / strength) ** 0.5
    return 2 * normal.cdf(deviations) - 1


@functools.cache  # a predictor has one strength
def _beta_table(strength: float) -> Floats:
    """Probability (101, 101) that an agent's success probability is at most the column's percent.

    Rows are the candidate's success probability in percent.
    """
    centre = np.clip(_PERCENTS, 0.002, 0.998)[:, None]
    return beta_cdf(strength * centre, strength * (1 - centre), _PERCENTS)


def _shares(probabilities: Floats, weights: Floats) -> Floats:
    """The total weight of candidates at each percent of success, on each task (tasks, 101)."""
    count, size = len(probabilities), len(_PERCENTS)
    percent = (probabilities * (size - 1) + 0.5).astype(np.int64)
    bin_index = percent + size * np.arange(count)[:, None]
    spread = np.broadcast_to(weights, probabilities.shape).ravel()
    total: Floats = np.bincount(bin_index.ravel(), spread, count * size).astype(np.float64)
    return total.reshape(count, size)


def _log_likelihood(probabilities: NDArray[Any], results: Floats) -> Floats:
    """Log likelihood (candidates,) of results (quiz,) given the candidates' (quiz, candidates)."""
    p = np.clip(probabilities, 1e-6, 1 - 1e-6)
    if ((results == 0) | (results == 1)).all():  # the usual case takes half of the logarithms
        p = np.where(results[:, None] > 0.5, p, 1 - p)
        return np.log(p).sum(0, dtype=np.float64)
    right = results[:, None]
    total: Floats = (right * np.log(p) + (1 - right) * np.log1p(-p)).sum(0, dtype=np.float64)
    return total

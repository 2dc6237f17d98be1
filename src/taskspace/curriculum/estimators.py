"""Estimators of the probability that the learner solves each task now, from its episodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from taskspace.curriculum.basis import PRIOR_VARIANCE

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

FIRST_LOGIT = -3.0  # before any episode, success is expected to be rare
_FIRST_PRECISION = 0.1  # of that logit
_NEWTON_STEPS = 4
_SHORT_STEP = 0.3  # of the logit of any episode: the error that is left is far smaller
_LONGEST_STEP = 3.0  # of the logit of any episode, so that Newton's method does not overshoot
_PSEUDO_ATTEMPTS = 2.0  # per task, at the mean success rate
_LEAST = 1e-4  # probability of success


@dataclass(frozen=True)
class Episodes:
    """Finished episodes, each of which may stand for several.

    Attributes:
        tasks: The positions of their tasks.
        successes: 1 where the task was solved, otherwise 0.
        weights: How many episodes each stands for.
    """

    tasks: Integers
    successes: Floats
    weights: Floats

    @classmethod
    def of(cls, tasks: Integers, successes: NDArray[Any]) -> Episodes:
        """Episodes that stand for themselves."""
        return cls(tasks, successes.astype(np.float64), np.ones(len(tasks)))

    def thinned(self, most: int) -> Episodes:
        """At most so many successes and as many failures, which stand for all.

        >>> Episodes.of(np.arange(5), np.array([1, 0, 0, 0, 0])).thinned(2)
        Episodes(tasks=array([0, 1, 4]), successes=array([1., 0., 0.]), weights=array([1., 2., 2.]))
        """
        kept, factors = [], []
        for outcome in (1.0, 0.0):
            found = np.flatnonzero(self.successes == outcome)
            count = min(most, len(found))
            places = np.linspace(0, len(found) - 1, count).round().astype(np.int64)
            kept.append(found[places])
            factors.append(np.full(count, len(found) / max(count, 1)))
        some = np.concatenate(kept)
        weights = self.weights[some] * np.concatenate(factors)
        return Episodes(self.tasks[some], self.successes[some], weights)


class Estimator(Protocol):
    """Estimates probabilities of success, and forgets old episodes."""

    def update(self, episodes: Episodes, memory: float) -> None:
        """Learn from episodes; those that are `memory` episodes old count by a factor of 1/e."""

    def probabilities(self, tasks: Integers | None = None) -> Floats:
        """The probability of success on these tasks, or on all."""

    def state(self) -> dict[str, Floats]:
        """What `restore` needs."""

    def restore(self, state: dict[str, Floats]) -> None:
        """Return to a state."""


class LogisticEstimator:
    """Bayesian logistic regression on a basis, with forgetting.

    The posterior is a Gaussian of mean `mean` and precision `precision`. Forgetting moves the
    precision towards that of the prior, so that old episodes weigh less and less.

    >>> estimator = LogisticEstimator(np.array([[1.0, -1.0], [1.0, 1.0]]))
    >>> tasks = np.array([0] * 50 + [1] * 50)
    >>> estimator.update(Episodes.of(tasks, tasks == 1), memory=1000)
    >>> estimator.probabilities().round()
    array([0., 1.])
    """

    def __init__(self, basis: NDArray[np.floating]) -> None:
        # Single precision takes half of the time, and its errors are far below those of estimates.
        self.basis = basis.astype(np.float32, copy=False)
        columns = basis.shape[1]
        self.prior = np.full(columns, max(1, columns - 1) / PRIOR_VARIANCE)
        self.prior[0] = _FIRST_PRECISION
        self.mean = np.zeros(columns)
        self.mean[0] = FIRST_LOGIT
        self.precision = np.diag(self.prior)

    def update(self, episodes: Episodes, memory: float) -> None:
        """Learn from episodes; those that are `memory` episodes old count by a factor of 1/e."""
        keep = np.exp(-episodes.weights.sum() / memory)
        old = keep * self.precision + (1 - keep) * np.diag(self.prior)
        rows, weights, before = (
            self.basis[episodes.tasks], episodes.weights.astype(np.float32), self.mean
        )  # fmt: skip
        for _ in range(_NEWTON_STEPS):
            rates = _logistic(rows @ self.mean.astype(np.float32))
            errors = weights * (rates - episodes.successes)
            slope = rows.T @ errors.astype(np.float32) + old @ (self.mean - before)
            self.precision = (rows.T * (weights * rates * (1 - rates))) @ rows + old
            step = np.linalg.solve(self.precision, slope)
            longest = float(np.abs(rows @ step.astype(np.float32)).max(initial=0.0))
            self.mean = self.mean - step * min(1.0, _LONGEST_STEP / max(longest, 1e-12))
            if longest < _SHORT_STEP:
                break

    def probabilities(self, tasks: Integers | None = None) -> Floats:
        """The probability of success on these tasks, or on all."""
        rows = self.basis if tasks is None else self.basis[tasks]
        return _logistic(rows @ self.mean.astype(np.float32)).astype(np.float64)

    def state(self) -> dict[str, Floats]:
        """What `restore` needs."""
        return {"mean": self.mean, "precision": self.precision}

    def restore(self, state: dict[str, Floats]) -> None:
        """Return to a state."""
        self.mean, self.precision = state["mean"], state["precision"]


def _logistic(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Probabilities, several times as fast as by `expit`, without overflow."""
    return 1 / (1 + np.exp(np.minimum(-logits, np.float32(80))))


class TaskEstimator:
    """One success rate per task, shrunk towards the mean of all tasks, with forgetting.

    >>> estimator = TaskEstimator(2)
    >>> tasks = np.array([0] * 50 + [1] * 50)
    >>> estimator.update(Episodes.of(tasks, tasks == 1), memory=1000)
    >>> estimator.probabilities().round(1)
    array([0., 1.])
    """

    def __init__(self, count: int) -> None:
        self.successes, self.attempts = np.zeros(count), np.zeros(count)

    def update(self, episodes: Episodes, memory: float) -> None:
        """Learn from episodes; those that are `memory` episodes old count by a factor of 1/e."""
        keep, count = np.exp(-episodes.weights.sum() / memory), len(self.attempts)
        won = episodes.weights * episodes.successes
        self.successes = keep * self.successes + np.bincount(episodes.tasks, won, count)
        self.attempts = keep * self.attempts + np.bincount(episodes.tasks, episodes.weights, count)

    def probabilities(self, tasks: Integers | None = None) -> Floats:
        """The probability of success on these tasks, or on all."""
        mean = (self.successes.sum() + expit(FIRST_LOGIT)) / (self.attempts.sum() + 1)
        some = slice(None) if tasks is None else tasks
        won, tried = self.successes[some], self.attempts[some]
        rates = (won + _PSEUDO_ATTEMPTS * mean) / (tried + _PSEUDO_ATTEMPTS)
        found: Floats = np.clip(rates, _LEAST, 1 - _LEAST)
        return found

    def state(self) -> dict[str, Floats]:
        """What `restore` needs."""
        return {"successes": self.successes, "attempts": self.attempts}

    def restore(self, state: dict[str, Floats]) -> None:
        """Return to a state."""
        self.successes, self.attempts = state["successes"], state["attempts"]

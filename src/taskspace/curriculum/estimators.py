"""Estimators of the probability that the learner solves each task now, from its episodes."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from threadpoolctl import threadpool_limits

from taskspace.curriculum.basis import PRIOR_VARIANCE

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

FIRST_LOGIT = -3.0  # before any episode, success is expected to be rare
_FIRST_PRECISION = 0.1  # of that logit
_NEWTON_STEPS = 4
_LONGEST_STEP = 3.0  # of the logit of any episode, so that Newton's method does not overshoot
_PSEUDO_ATTEMPTS = 2.0  # per task, at the mean success rate
_LEAST = 1e-4  # probability of success


class Estimator(Protocol):
    """Estimates probabilities of success, and forgets old episodes."""

    def update(self, tasks: Integers, successes: Floats, memory: float) -> None:
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
    >>> estimator.update(tasks, (tasks == 1).astype(float), memory=1000)
    >>> estimator.probabilities().round()
    array([0., 1.])
    """

    def __init__(self, basis: Floats) -> None:
        self.basis = basis
        columns = basis.shape[1]
        self.prior = np.full(columns, max(1, columns - 1) / PRIOR_VARIANCE)
        self.prior[0] = _FIRST_PRECISION
        self.mean = np.zeros(columns)
        self.mean[0] = FIRST_LOGIT
        self.precision = np.diag(self.prior)

    def update(self, tasks: Integers, successes: Floats, memory: float) -> None:
        """Learn from episodes; those that are `memory` episodes old count by a factor of 1/e."""
        if not len(tasks):
            return
        keep = np.exp(-len(tasks) / memory)
        old = keep * self.precision + (1 - keep) * np.diag(self.prior)
        rows, before = self.basis[tasks], self.mean
        with threadpool_limits(1):
            for _ in range(_NEWTON_STEPS):
                rates = expit(rows @ self.mean)
                slope = rows.T @ (rates - successes) + old @ (self.mean - before)
                curvature = (rows.T * (rates * (1 - rates))) @ rows + old
                step = np.linalg.solve(curvature, slope)
                longest = np.abs(rows @ step).max()
                self.mean = self.mean - step * min(1.0, _LONGEST_STEP / max(longest, 1e-12))
            rates = expit(rows @ self.mean)
            self.precision = (rows.T * (rates * (1 - rates))) @ rows + old

    def probabilities(self, tasks: Integers | None = None) -> Floats:
        """The probability of success on these tasks, or on all."""
        rows = self.basis if tasks is None else self.basis[tasks]
        with threadpool_limits(1):
            found: Floats = expit(rows @ self.mean)
        return found

    def state(self) -> dict[str, Floats]:
        """What `restore` needs."""
        return {"mean": self.mean, "precision": self.precision}

    def restore(self, state: dict[str, Floats]) -> None:
        """Return to a state."""
        self.mean, self.precision = state["mean"], state["precision"]


class TaskEstimator:
    """One success rate per task, shrunk towards the mean of all tasks, with forgetting.

    >>> estimator = TaskEstimator(2)
    >>> tasks = np.array([0] * 50 + [1] * 50)
    >>> estimator.update(tasks, (tasks == 1).astype(float), memory=1000)
    >>> estimator.probabilities().round(1)
    array([0., 1.])
    """

    def __init__(self, count: int) -> None:
        self.successes, self.attempts = np.zeros(count), np.zeros(count)

    def update(self, tasks: Integers, successes: Floats, memory: float) -> None:
        """Learn from episodes; those that are `memory` episodes old count by a factor of 1/e."""
        keep, count = np.exp(-len(tasks) / memory), len(self.attempts)
        self.successes = keep * self.successes + np.bincount(tasks, successes, count)
        self.attempts = keep * self.attempts + np.bincount(tasks, minlength=count)

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

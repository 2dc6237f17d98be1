"""The value of a question: the expected reduction of the error on the targets by its answer.

The error is the variance of what is aimed at, given everything that was asked: of the result on
every target, or of the mean result over groups of targets. An answered task has no error left: its
result is known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taskspace.applications.posterior import Posterior
from taskspace.models.success.factors import Floats

Numbers = NDArray[np.int64]

_LIKELY = 1e-4  # candidates with a smaller weight, relative to the best one, are ignored
_CERTAIN = 1e-9  # an answer of a smaller variance has no value


@dataclass(frozen=True, eq=False)
class Objective:
    """The tasks that may be asked, and what to learn about: the mean over each group of targets."""

    pool: Numbers  # different tasks
    targets: Numbers  # different tasks
    groups: Numbers | None  # the group of each target, from 0; None: each target is its own

    def reductions(self, posterior: Posterior, weights: Floats, answered: Numbers) -> Floats:
        """The expected reduction of the error by the answer on each task of the pool."""
        likely = np.flatnonzero(weights > weights.max() * _LIKELY)
        kept = (weights[likely] / weights[likely].sum()).astype(np.float32)
        asked = posterior.rows(self.pool).take(likely, axis=1)
        same = np.array_equal(self.pool, self.targets)
        wanted = asked if same else posterior.rows(self.targets).take(likely, axis=1)
        left = np.where(np.isin(self.targets, answered), 0.0, self._shares)
        if self.groups is not None:
            member = self.groups == np.arange(self.groups.max() + 1)[:, None]
            wanted = (member * left).astype(np.float32) @ wanted
        covariance = covariances(asked, wanted, kept)
        rows, aims, values = self._given_candidate(posterior, asked, kept, left)
        np.add.at(covariance, (rows, aims), values.astype(np.float32))
        if self.groups is None:
            covariance[:, left == 0] = 0
        means = asked @ kept
        variances = means * (1 - means)
        if posterior.noise < 1:
            squares = np.square(asked) @ kept
            variances = squares - means**2 + posterior.noise * (means - squares)
        return expected_reductions(covariance, variances)

    @property
    def _shares(self) -> Floats:
        """The weight of each target in what is aimed at."""
        if self.groups is None:
            return np.ones(len(self.targets))
        shares: Floats = 1 / np.bincount(self.groups)[self.groups]
        return shares

    def _given_candidate(
        self, posterior: Posterior, asked: NDArray[np.float32], weights: Floats, left: Floats
    ) -> tuple[Numbers, Numbers, Floats]:
        """Covariances of answers and aims, given the candidate: rows, aims and values.

        These are the variance of an answer that is a target itself, and those of dependent tasks.
        """
        count = len(posterior.profiles)
        row, aim, share = np.full(count, -1), np.full(count, -1), np.zeros(count)
        row[self.pool] = np.arange(len(self.pool))
        aim[self.targets] = np.arange(len(self.targets)) if self.groups is None else self.groups
        share[self.targets] = left
        (first, second), values = posterior.dependent()
        own = posterior.noise * ((asked * (1 - asked)) @ weights)
        tasks = np.concatenate([self.pool, first, second])
        others = np.concatenate([self.pool, second, first])
        found = np.concatenate([own, values, values]) * share[others]
        used = (row[tasks] >= 0) & (aim[others] >= 0)
        return row[tasks[used]], aim[others[used]], found[used]


def covariances(
    asked: NDArray[np.float32], wanted: NDArray[np.float32], weights: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The covariances (asked, wanted) of profiles (tasks, candidates), with weighted candidates."""
    from threadpoolctl import threadpool_limits

    root = np.sqrt(weights)
    # If both are the same tasks, the factors are the same, and NumPy computes half of the product.
    left = asked * root
    right = left if wanted is asked else wanted * root
    with threadpool_limits(1):  # bit-identical on any number of cores
        found: NDArray[np.float32] = left @ right.T
        found -= (asked @ weights)[:, None] * (wanted @ weights)
    return found


def expected_reductions(covariance: NDArray[np.float32], variances: NDArray[np.float32]) -> Floats:
    """The expected reduction of the total variance of the aims by the answer on each task.

    `covariance` is that of the answers, which have these variances, with the aims (asked, aims). If
    an answer is 0 or 1, the best prediction given it is linear; for returns, this is assumed.

    >>> expected_reductions(np.array([[0.25, 0.25], [0, 0.1]]), np.array([0.25, 0.25]))
    array([0.5 , 0.04])
    """
    squares = np.einsum("qa,qa->q", covariance, covariance)
    found = np.where(variances > _CERTAIN, squares / np.maximum(variances, _CERTAIN), 0.0)
    return found.astype(np.float64)

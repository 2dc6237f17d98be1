"""Similarities of tasks from returns: correlations of normal scores, and bits by them.

The returns of a task are replaced by normal scores: the quantiles of a normal distribution at their
mid-ranks among the agents that tried the task. So the unit of returns does not matter, nor the
shape of their distribution. The correlation ρ of two tasks is that of the scores of the agents that
tried both. If the scores of an agent on two tasks are jointly normal (a Gaussian copula), their
mutual information is −½ log2(1 − ρ²) bits.

Two rules keep this finite and fair:

- n agents cannot show that two tasks are the same: ρ² is multiplied by 1 − 1/n, so that n agents
  show at most ½ log2 n bits. Two independent tasks then share 1 / (2 n ln 2) bits on average, as
  with successes, which `estimates` subtracts.
- The mean of a few attempts is noisy, which lowers correlations. Where the spread of attempts is
  known, ρ is divided by the square root of both tasks' reliabilities. Its error grows by as much,
  as if there were fewer agents: n is multiplied by both reliabilities.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.outcomes.outcomes import Outcomes
from taskspace.similarity.normal_scores import normal_scores, reliabilities, standardised
from taskspace.similarity.profiles import INFORMATION
from taskspace.similarity.statistics import SuccessStatistics
from taskspace.similarity.task_statistics import TaskStatistics, blocks_of_tasks, product_of

Floats = NDArray[np.float64]

_LEAST_SPREAD = 1e-6  # of the scores of two tasks; below it, a correlation would be rounding error


def statistics_of(outcomes: Outcomes) -> TaskStatistics:
    """The statistics that fit outcomes: those of returns if these are returns, or of successes.

    Args:
        outcomes: The outcomes, in which each task was tried by at least one agent.

    Returns:
        The statistics.

    Raises:
        ValueError: If these are no outcomes, or if no agent tried a task.

    >>> type(statistics_of(Outcomes([[1, 0]], 1))).__name__
    'SuccessStatistics'
    >>> type(statistics_of(Outcomes.from_returns([[-7, 300]]))).__name__
    'ReturnStatistics'
    """
    if isinstance(outcomes, Outcomes) and outcomes.scale is not None:
        return ReturnStatistics.from_outcomes(outcomes)
    return SuccessStatistics.from_outcomes(outcomes)


@dataclass(frozen=True, eq=False)
class ReturnStatistics(TaskStatistics):
    """Returns of agents on tasks, from which similarity and difficulty are computed.

    Attributes:
        rates: Normalised returns (tasks, agents); 0 for pairs that were never tried.
        success: One minus the difficulty of each task, by the rule of the outcomes' scale.
        scores: Normal scores of the returns (tasks, agents), of mean 0 and variance 1 over the
            agents that tried the task; 0 for pairs never tried, and if all returns are the same.
        reliability: The share of the variance of each task's scores that is not noise of attempts;
            1 if the spread of attempts is unknown.
        tried: Which pairs were tried (tasks, agents); None if all were.

    >>> rising, falling = np.arange(8.0) ** 3, -np.arange(8.0)
    >>> outcomes = Outcomes.from_returns(np.column_stack([rising, rising / 5, falling]))
    >>> statistics = ReturnStatistics.from_outcomes(outcomes)
    >>> statistics.correlation([0, 0], [1, 2]).round(3)
    array([ 1., -1.])
    >>> statistics.pairs([0], [1]).round(3)  # half of log2 8
    array([1.5])
    """

    rates: NDArray[np.float32]
    success: Floats
    scores: NDArray[np.float32]
    reliability: Floats
    tried: NDArray[np.bool_] | None = None

    @classmethod
    def from_outcomes(cls, outcomes: Outcomes) -> ReturnStatistics:
        """Compute the statistics from outcomes of returns.

        Args:
            outcomes: The outcomes, in which each task was tried by at least one agent.

        Returns:
            The statistics.

        Raises:
            ValueError: If these are no outcomes of returns, or if no agent tried a task.
        """
        if not isinstance(outcomes, Outcomes) or outcomes.scale is None or outcomes.returns is None:
            raise ValueError(f"outcomes must be returns, got {checks.brief(outcomes)}")
        tried = np.ascontiguousarray((outcomes.rollouts > 0).T)
        if not tried.any(axis=1).all():
            missing = outcomes.tasks[tried.any(axis=1).argmin()]
            raise ValueError(
                f"each task must have been tried by at least one agent, got none for {missing}"
            )
        rates, scores = np.empty((2, *tried.shape), np.float32)
        success = np.empty(outcomes.n_tasks)
        for block in blocks_of_tasks(*tried.shape):
            known = outcomes.scale.normalised(outcomes.returns[:, block], block)
            rates[block] = np.nan_to_num(known.T)
            success[block] = 1.0 - outcomes.scale.difficulty(known, block)
            scores[block] = np.nan_to_num(normal_scores(outcomes.returns[:, block].T))
        reliability = reliabilities(outcomes, scores)
        return cls(rates, success, scores, reliability, None if tried.all() else tried)

    @property
    def values(self) -> NDArray[np.float32]:
        """The normal scores."""
        return self.scores

    @property
    def centres(self) -> Floats:
        """0 for each task."""
        return np.zeros(self.n_tasks)

    @property
    def noise(self) -> Floats:
        """How much the correction for noise enlarges the bias of each task's similarities."""
        return 1.0 / self.reliability

    def chance_bits(self, noise: Floats, agents: NDArray[Any]) -> Floats:
        """The bits that independent tasks seem to share, of which noisy agents show fewer.

        If all bits were subtracted, pairs of noisy tasks would be below 0 in every half of the
        agents, and similarities of mere noise would seem reliable.
        """
        shown = np.maximum(1.0 - noise / agents, 0.0)  # as in `copula_bits`
        without_noise = 1.0 - 1.0 / np.maximum(agents, 2)
        return shown / without_noise * super().chance_bits(noise, agents)

    def bounds(self, measure: str = INFORMATION) -> Floats:
        """The largest similarity with itself that so many agents can show; 0 if all are equal."""
        if measure != INFORMATION:
            return np.ones(self.n_tasks)
        number = self.n_agents if self.tried is None else self.tried.sum(1)
        shown = np.maximum(number * np.square(self.reliability), 1.0)
        return np.where(self._varies, 0.5 * np.log2(shown), 0.0)

    def with_values(self, values: NDArray[np.float32]) -> ReturnStatistics:
        """The same statistics with the scores of each task in another order."""
        return replace(self, scores=values)

    def of_agents(self, agents: NDArray[np.int64]) -> ReturnStatistics:
        """The statistics of some agents; difficulty, reliability and ranks stay those of all."""
        rates, scores = (
            np.ascontiguousarray(each[:, agents]) for each in (self.rates, self.scores)
        )
        if self.tried is None:
            again = standardised(scores.astype(np.float64)).astype(np.float32)
            return replace(self, rates=rates, scores=again)
        tried = np.ascontiguousarray(self.tried[:, agents])
        return replace(self, rates=rates, scores=scores, tried=tried)

    def _joint(
        self, one: NDArray[np.int64], other: NDArray[np.int64], table: bool
    ) -> _JointReturns:
        product = product_of(table)
        rows = one[:, None] if table else one
        scores = self.scores[one], self.scores[other]
        reliability = self.reliability[rows] * self.reliability[other]
        if self.tried is None:
            agents: Any = np.array(self.n_agents)
            raw = (product(*scores) / self.n_agents).astype(np.float64)
        else:
            tried = tuple(self.tried[tasks].astype(np.float32) for tasks in (one, other))
            agents = product(*tried).astype(np.int64)
            raw = _correlations_of_both(scores, tried, np.maximum(agents, 1), product)
        corrected = np.clip(raw / np.sqrt(reliability), -1.0, 1.0)
        # A task's own scores share their noise; its correlation with itself is 1 without it.
        itself = (rows == other) & self._varies[rows]
        return _JointReturns(np.where(itself, 1.0, corrected), agents, agents * reliability)

    @functools.cached_property
    def _varies(self) -> NDArray[np.bool_]:
        """Whether agents differ in their returns on each task."""
        return np.abs(self.scores).max(1) > 0


@dataclass(frozen=True, eq=False)
class _JointReturns:
    """Correlations of the returns of pairs of tasks, over the agents that tried both."""

    values: Floats
    agents: NDArray[Any]
    worth: Floats  # how many agents without noise they are worth

    def similarity(self) -> Floats:
        """Mutual information of the two returns by the Gaussian copula."""
        return copula_bits(self.values, self.worth)

    def correlation(self) -> Floats:
        """Correlation of the normal scores."""
        return self.values


def copula_bits(correlation: Floats, agents: NDArray[Any] | float) -> Floats:
    """Mutual information in bits of two jointly normal scores, as far as n agents can show it.

    Args:
        correlation: Correlations from −1 to 1.
        agents: The number of agents that each one is of, or one number for all.

    Returns:
        −½ log2(1 − (1 − 1/n) ρ²), in the shape of the correlations.

    >>> copula_bits(np.array([0.0, 0.6, -0.6, 1.0]), 10**9).round(3)
    array([-0.   ,  0.322,  0.322, 14.949])
    >>> copula_bits(np.array([1.0]), 64)
    array([3.])
    """
    shown = 1.0 - 1.0 / np.maximum(agents, 1)
    return -0.5 * np.log2(1.0 - shown * np.square(correlation))


def _correlations_of_both(
    scores: tuple[NDArray[np.float32], ...],
    tried: tuple[NDArray[np.float32], ...],
    number: NDArray[np.int64],
    product: Any,
) -> Floats:
    """Correlations over the agents that tried both tasks, whose means and variances are theirs."""
    means = product(scores[0], tried[1]) / number, product(tried[0], scores[1]) / number
    squares = product(scores[0] ** 2, tried[1]), product(tried[0], scores[1] ** 2)
    variances = [square / number - mean**2 for square, mean in zip(squares, means, strict=True)]
    covariance = product(*scores) / number - means[0] * means[1]
    spread = np.sqrt(np.maximum(variances[0], 0.0) * np.maximum(variances[1], 0.0))
    varies = spread > _LEAST_SPREAD
    return np.where(varies, covariance / np.where(varies, spread, 1.0), 0.0)

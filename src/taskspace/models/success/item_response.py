"""Item response theory: Rasch's model and the two-parameter logistic model (2PL).

An agent has one ability, drawn from a standard normal distribution, and solves task t with
probability logistic(slope[t] * ability + intercept[t]). In Rasch's model all slopes are the same.
Both are fitted by marginal maximum likelihood: the ability is summed out over the nodes of a
Gauss-Hermite rule (Bock and Aitkin's EM). Weak priors keep the parameters finite for tasks that
all agents or none solved.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace.outcomes.outcomes import Outcomes

Floats = NDArray[np.float64]

NODES = 41
ITERATIONS = 200
INTERCEPT_SPREAD, SLOPE_SPREAD = 4.0, 1.5  # of the weak priors, around 0 and 1
_ENOUGH = 1e-4  # EM ends when no parameter changes by more
_NEWTON_STEPS = 3
_LONGEST_STEP = 1.0  # Newton's steps overshoot if there is little data on a task


@dataclass(frozen=True, eq=False)
class ItemResponse:
    """A fitted model: the probability of success on each task as a function of ability."""

    slopes: Floats  # (tasks,)
    intercepts: Floats  # (tasks,)

    @property
    def difficulties(self) -> Floats:
        """The ability with which a task is solved with probability 0.5."""
        return -self.intercepts / self.slopes

    def predict(self, quiz: ArrayLike, results: ArrayLike, tasks: ArrayLike) -> Floats:
        """Success probabilities on `tasks` for a new agent with these quiz results.

        Tasks are given by index; results are 0, 1 or success rates. The posterior of the ability is
        summed over the nodes.

        >>> rasch = ItemResponse(np.ones(3), np.array([2.0, 0.0, -2.0]))
        >>> rasch.predict([0, 2], [1, 0], [1]).round(2)
        array([0.5])
        """
        curves = response_curves(self.slopes, self.intercepts)
        asked = np.clip(curves[:, np.asarray(quiz, np.int64)], 1e-12, 1 - 1e-12)
        right = np.asarray(results, np.float64)
        posterior = _posterior(np.log(asked) @ right + np.log1p(-asked) @ (1 - right))
        return posterior @ curves[:, np.asarray(tasks, np.int64)]


@lru_cache(maxsize=1)
def _rule() -> tuple[Floats, Floats]:
    """Nodes and weights of the standard normal distribution."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    return nodes, weights / weights.sum()


def response_curves(slopes: Floats, intercepts: Floats) -> Floats:
    """Success probabilities (nodes, tasks) of abilities at the nodes."""
    logits = np.clip(_rule()[0][:, None] * slopes + intercepts, -30, 30)
    curves: Floats = 1 / (1 + np.exp(-logits))
    return curves


def _posterior(log_likelihood: Floats) -> Floats:
    """Probabilities of the nodes, the last axis of the log likelihood."""
    logs = log_likelihood + np.log(_rule()[1])
    weights = np.exp(logs - logs.max(-1, keepdims=True))
    normalized: Floats = weights / weights.sum(-1, keepdims=True)
    return normalized


def fit_item_response(outcomes: Outcomes, *, same_slopes: bool = False) -> ItemResponse:
    """Fit the 2PL, or Rasch's model with `same_slopes`; pairs never tried are left out.

    >>> rng = np.random.default_rng(0)
    >>> levels = np.array([-1.0, 0.0, 1.0])
    >>> solved = rng.random((2000, 3)) < 1 / (1 + np.exp(levels - rng.normal(size=(2000, 1))))
    >>> fit_item_response(Outcomes(solved.astype(int), 1), same_slopes=True).difficulties.round(0)
    array([-1.,  0.,  1.])
    """
    from threadpoolctl import threadpool_limits

    successes = outcomes.successes.astype(np.float64)
    attempts = outcomes.rollouts.astype(np.float64)
    if not attempts.any():
        raise ValueError("outcomes must have at least one rollout, got empty outcomes")
    with threadpool_limits(1):  # faster for small matrices
        slopes, intercepts = _maximize(successes, attempts, same_slopes)
    # The sign of the ability is arbitrary; larger abilities mean more success.
    return ItemResponse(slopes if slopes.sum() >= 0 else -slopes, intercepts)


def _maximize(successes: Floats, attempts: Floats, same_slopes: bool) -> tuple[Floats, Floats]:
    """Alternate expectation (the abilities of agents) and maximization."""
    rate = (successes.sum(0) + 1) / (attempts.sum(0) + 2)
    slopes, intercepts = np.ones(len(rate)), np.log(rate / (1 - rate))
    for _ in range(ITERATIONS):
        before = np.concatenate([slopes, intercepts])
        curves = response_curves(slopes, intercepts)
        log_likelihood = (
            successes @ np.log(curves / (1 - curves)).T + attempts @ np.log1p(-curves).T
        )
        posterior = _posterior(log_likelihood)
        tried, solved = posterior.T @ attempts, posterior.T @ successes  # (nodes, tasks)
        slopes, intercepts = _climb(slopes, intercepts, tried, solved, same_slopes)
        if np.abs(np.concatenate([slopes, intercepts]) - before).max() < _ENOUGH:
            break
    return slopes, intercepts


def _climb(
    slopes: Floats, intercepts: Floats, tried: Floats, solved: Floats, same_slopes: bool
) -> tuple[Floats, Floats]:
    """A few Newton steps, given the expected successes of each ability on each task."""
    nodes = _rule()[0][:, None]
    for _ in range(_NEWTON_STEPS):
        curves = response_curves(slopes, intercepts)
        surplus, weight = solved - tried * curves, tried * curves * (1 - curves)
        up = surplus.sum(0) - intercepts / INTERCEPT_SPREAD**2
        bend = weight.sum(0) + 1 / INTERCEPT_SPREAD**2
        tilt, mixed = (nodes * surplus).sum(0), (nodes * weight).sum(0)
        steepen = (nodes**2 * weight).sum(0)
        if same_slopes:
            # One slope for all: with intercepts eliminated, a single equation remains.
            rise = (tilt - mixed * up / bend).sum() - (slopes[0] - 1) / SLOPE_SPREAD**2
            turn = np.full(
                len(slopes), rise / ((steepen - mixed**2 / bend).sum() + SLOPE_SPREAD**-2)
            )
        else:
            rises = tilt - (slopes - 1) / SLOPE_SPREAD**2 - mixed * up / bend
            turn = rises / (steepen + SLOPE_SPREAD**-2 - mixed**2 / bend)
        turn = np.clip(turn, -_LONGEST_STEP, _LONGEST_STEP)
        slopes = slopes + turn
        intercepts = intercepts + np.clip((up - mixed * turn) / bend, -_LONGEST_STEP, _LONGEST_STEP)
    return slopes, intercepts

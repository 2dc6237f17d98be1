"""Scores of predicted probabilities of success: log-loss, Brier score, calibration error."""

from __future__ import annotations

import numpy as np

from taskspace.models.success.dispersion import residual_dispersion
from taskspace.models.success.factors import Floats
from taskspace.models.success.low_rank import log_loss

RELIABILITY_BINS = 15


def scores(
    predicted: Floats,
    agent_means: Floats,
    successes: Floats,
    attempts: Floats,
    *,
    returns: bool = False,
) -> dict[str, float]:
    """Scores of predicted probabilities per rollout, given the results.

    If these are normalised returns, there are also their error and dispersion.

    >>> found = scores(*np.array([[0.2, 0.6], [0.5, 0.5], [0.0, 2.0], [2.0, 2.0]]))
    >>> {name: round(value, 3) for name, value in found.items()}
    {'log_loss': 0.367, 'agent_mean_log_loss': 0.693, 'brier': 0.1, 'calibration_error': 0.3}
    """
    total = float(attempts.sum())
    squares = successes * (1 - predicted) ** 2 + (attempts - successes) * predicted**2
    found = {
        "log_loss": log_loss(predicted, successes, attempts) / total,
        "agent_mean_log_loss": log_loss(agent_means, successes, attempts) / total,
        "brier": float(squares.sum()) / total,
        "calibration_error": calibration_error(predicted, successes, attempts),
    }
    if returns:
        tried = attempts > 0
        rates, guesses = successes[tried] / attempts[tried], predicted[tried]
        found["error"] = float(np.sqrt(np.mean((guesses - rates) ** 2)))
        found["dispersion"] = residual_dispersion(guesses, rates)
    return found


def calibration_error(predicted: Floats, successes: Floats, attempts: Floats) -> float:
    """Expected calibration error (ECE) of predicted probabilities, over equal-width bins.

    >>> predicted, half = np.full(4, 0.7), np.array([1.0, 0.0, 1.0, 0.0])
    >>> round(calibration_error(predicted, half, np.ones(4)), 3)
    0.2
    """
    bins = np.minimum((predicted * RELIABILITY_BINS).astype(np.int64), RELIABILITY_BINS - 1)
    surplus = np.bincount(bins.ravel(), (successes - attempts * predicted).ravel())
    return float(np.abs(surplus).sum() / attempts.sum())


def shrunk_means(successes: Floats, attempts: Floats, axis: int) -> Floats:
    """Success rates of agents, shrunk towards 0.5 by two pseudo-attempts."""
    means: Floats = (successes.sum(axis) + 1) / (attempts.sum(axis) + 2)
    return means

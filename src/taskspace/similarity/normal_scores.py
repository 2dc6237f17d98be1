"""Normal scores of returns, and how much of their variance is not noise of attempts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from taskspace.outcomes.outcomes import Outcomes

Floats = NDArray[np.float64]

# Where a mean return would be, were its attempts repeated: three points that have the mean and the
# variance of normal noise (Gauss–Hermite quadrature).
_POINTS = np.sqrt(3.0) * np.array([-1.0, 0.0, 1.0])
_WEIGHTS = np.array([1.0, 4.0, 1.0]) / 6.0
# A task of lower reliability counts as one of this: the correction multiplies noise too, and by at
# most 4.
LEAST_RELIABILITY = 0.25


def normal_scores(returns: NDArray[np.floating]) -> Floats:
    """Normal scores of each row, of mean 0 and variance 1; NaN stays NaN.

    The score of a return is the quantile of a normal distribution at (r − ½) / n, where r is its
    mid-rank among the n returns of the row: equal returns have equal scores. Two different values,
    such as 0 and 1, only change their unit. If all returns are the same, scores are 0.

    Args:
        returns: Returns (tasks, agents), NaN for pairs that were never tried.

    Returns:
        The scores, of the same shape.

    >>> normal_scores(np.array([[10.0, -5.0, 300.0, np.nan], [1.0, 0.0, 0.0, 1.0]])).round(2)
    array([[ 0.  , -1.22,  1.22,   nan],
           [ 1.  , -1.  , -1.  ,  1.  ]])
    """
    from scipy.special import ndtri
    from scipy.stats import rankdata

    table = np.asarray(returns, np.float64)
    number = (~np.isnan(table)).sum(1, keepdims=True)
    ranks = rankdata(table, axis=1, nan_policy="omit")
    return standardised(ndtri((ranks - 0.5) / np.maximum(number, 1)))


def standardised(scores: Floats) -> Floats:
    """Scores of mean 0 and variance 1 in each row; 0 if they are all the same, NaN stays NaN.

    >>> standardised(np.array([[1.0, 3.0], [2.0, 2.0]]))
    array([[-1.,  1.],
           [ 0.,  0.]])
    """
    number = np.maximum((~np.isnan(scores)).sum(1, keepdims=True), 1)
    centred = scores - np.nansum(scores, axis=1, keepdims=True) / number
    variance = np.nansum(np.square(centred), axis=1, keepdims=True) / number
    varies = variance > 1e-12
    found = np.where(varies, centred / np.sqrt(np.where(varies, variance, 1.0)), 0.0)
    return np.where(np.isnan(scores), np.nan, found)


def reliabilities(outcomes: Outcomes, scores: NDArray[np.floating]) -> Floats:
    """The share of the variance of each task's scores that is not noise of attempts.

    The noise of a mean return has a variance of the spread squared over the number of attempts. It
    is carried over to scores by the curve that joins the returns and scores of all agents. Where
    the spread of a pair is unknown, it is that of the task's other pairs. A task without any known
    spread has a reliability of 1.

    Args:
        outcomes: Outcomes of returns.
        scores: Their normal scores (tasks, agents), 0 or NaN for pairs never tried.

    Returns:
        One number per task, at least 0.25.

    >>> exact = Outcomes.from_returns([[0.0], [1.0]], 5, spreads=[[0.0], [0.0]])
    >>> reliabilities(exact, normal_scores(exact.returns.T))
    array([1.])
    """
    found = np.ones(outcomes.n_tasks)
    if outcomes.return_spreads is None or outcomes.returns is None:
        return found
    for task in range(outcomes.n_tasks):
        spreads = outcomes.return_spreads[:, task].astype(np.float64)
        tried = outcomes.rollouts[:, task] > 0
        if not np.isfinite(spreads).any() or not np.nan_to_num(scores[task]).any():
            continue
        attempts = outcomes.rollouts[tried, task].astype(np.float64)
        variances = _filled(spreads, outcomes.rollouts[:, task])[tried] / attempts
        returns = outcomes.returns[tried, task].astype(np.float64)
        found[task] = 1.0 - _noise(returns, scores[task, tried], np.sqrt(variances))
    return np.clip(found, LEAST_RELIABILITY, 1.0)


def _filled(spreads: Floats, rollouts: NDArray[np.unsignedinteger]) -> Floats:
    """Variances of single attempts; unknown ones are the mean of the known, by their freedom."""
    known = np.isfinite(spreads)
    freedom = rollouts[known].astype(np.float64) - 1.0
    mean = float(np.average(np.square(spreads[known]), weights=freedom))
    return np.where(known, np.square(spreads), mean)


def _noise(returns: Floats, scores: NDArray[np.floating], errors: Floats) -> float:
    """The mean variance of the scores of noisy returns."""
    order = np.argsort(returns, kind="stable")
    repeated = returns[:, None] + errors[:, None] * _POINTS
    curve = np.interp(repeated, returns[order], scores[order])
    mean = curve @ _WEIGHTS
    return float((np.square(curve) @ _WEIGHTS - np.square(mean)).mean())

"""The Beta distribution and Student's, with NumPy alone: answers must not wait for SciPy's import.

Both follow from the regularized incomplete beta function, by its continued fraction.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

_MOST_TERMS = 500
_CLOSE = 1e-15
_TINY = 1e-300  # in place of a zero denominator


def beta_cdf(a: ArrayLike, b: ArrayLike, x: ArrayLike) -> Floats:
    """The probability that a Beta(a, b) variable is at most x, from 0 to 1.

    >>> beta_cdf([1.0, 2.0, 0.5], [1.0, 2.0, 0.5], [0.3, 0.5, 0.25]).round(6)
    array([0.3     , 0.5     , 0.333333])
    """
    a, b, x = np.broadcast_arrays(*(np.asarray(value, np.float64) for value in (a, b, x)))
    # The continued fraction converges fast below the mean; above it, the other tail does.
    below = x < (a + 1) / (a + b + 2)
    first, second, share = np.where(below, (a, b, x), (b, a, 1 - x))
    with np.errstate(divide="ignore"):  # log(0) is minus infinity, and its probability 0
        front = first * np.log(share) + second * np.log1p(-share) - _log_beta(first, second)
        tail = np.exp(front) * _fraction(first, second, share) / first
    tail = np.where(share > 0, tail, 0.0)
    return np.where(below, tail, 1 - tail)


@functools.cache
def student_quantile(probability: float, freedom: float) -> float:
    """The quantile of Student's distribution, for probabilities of at least 0.5.

    >>> round(student_quantile(0.95, 4), 4), round(student_quantile(0.95, 1e6), 4)
    (2.1318, 1.6449)
    """
    tail = 2 * (1 - probability)  # of both sides
    low, high = 0.0, 1.0  # of x = freedom / (freedom + t²), whose distribution is a Beta
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if float(beta_cdf(freedom / 2, 0.5, middle)) < tail:
            low = middle
        else:
            high = middle
    return math.sqrt(freedom * (1 - high) / high)


def _log_beta(a: Floats, b: Floats) -> Floats:
    log_gamma = np.vectorize(math.lgamma, otypes=[np.float64])
    found: Floats = log_gamma(a) + log_gamma(b) - log_gamma(a + b)
    return found


def _fraction(a: Floats, b: Floats, x: Floats) -> Floats:
    """The continued fraction, by the modified algorithm of Lentz."""
    c, d = np.ones_like(x), 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    found = d.copy()
    for m in range(1, _MOST_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _away_from_zero(1 + term * d)
            c = _away_from_zero(1 + term / c)
            change = c * d
            found *= change
        if np.abs(change - 1).max(initial=0.0) < _CLOSE:
            break
    return found


def _away_from_zero(values: Floats) -> Floats:
    return np.where(np.abs(values) < _TINY, _TINY, values)

"""Similarity of tasks from profiles of expected returns, by the Gaussian copula.

Returns have no scale that two tasks share, so a profile is replaced by the normal scores of its
ranks over the agents, and two tasks are compared by the correlation of these. Like the similarity
of successes, it is that of two single attempts: attempts vary around the expected return, which
weakens the correlation. The variance of an attempt is taken as a multiple of p (1 - p), where p is
the expected normalised return: with a dispersion of 1 as much as a success varies, and with 0 not
at all. This also bounds the similarity of a task with itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_LEAST_NOISE = 1e-4  # variance: differences of 1 % of the range of returns say little


def normal_scores(profiles: NDArray[np.floating]) -> Floats:
    """The normal scores of the ranks of each column, with mean 0 and length 1; equal ones are 0.

    >>> normal_scores(np.array([[0.1, 0.5], [0.9, 0.5], [0.2, 0.5]])).round(2) + 0.0
    array([[-0.71,  0.  ],
           [ 0.71,  0.  ],
           [ 0.  ,  0.  ]])
    """
    from scipy.special import ndtri
    from scipy.stats import rankdata

    scores = ndtri((rankdata(profiles, axis=0) - 0.5) / len(profiles))
    scores -= scores.mean(0)
    lengths = np.sqrt((scores**2).sum(0))
    found: Floats = scores / np.where(lengths > 1e-9, lengths, 1.0)
    return np.where(lengths > 1e-9, found, 0.0)


def reliability(profiles: NDArray[np.floating], dispersion: float) -> Floats:
    """The share of the variance of an attempt at each task that is between agents.

    >>> profiles = np.array([[0.1, 0.5], [0.9, 0.5]])
    >>> reliability(profiles, 0.0).round(2), reliability(profiles, 1.0).round(2)
    (array([1., 0.]), array([0.64, 0.  ]))
    """
    exact = np.asarray(profiles, np.float64)
    between = exact.var(0)
    noise = dispersion * (exact * (1 - exact)).mean(0) + _LEAST_NOISE
    found: Floats = between / (between + noise)
    return found


def attempts(profiles: NDArray[np.floating], dispersion: float) -> Floats:
    """Vectors (agents, tasks) whose inner products are the correlations of two attempts."""
    return normal_scores(profiles) * np.sqrt(reliability(profiles, dispersion))


def copula_bits(correlation: Floats, agents: int) -> Floats:
    """Mutual information of two normal variables with this correlation, in bits.

    The square of the correlation counts as at most 1 - 1 / agents, which is what so few agents can
    show.

    >>> copula_bits(np.array([0.0, 0.6, -1.0]), agents=4).round(2) + 0.0
    array([0.  , 0.32, 1.  ])
    """
    squares = np.minimum(correlation**2, 1 - 1 / max(agents, 2))
    bits: Floats = -0.5 * np.log2(1 - squares)
    return bits

"""Similarity of tasks from success profiles: the success probability of every agent on a task.

Unlike rollouts, profiles have no noise, so the similarity of a task with itself is known too: it is
the information that two attempts by the same agent share.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.similarity import return_profiles
from taskspace.similarity.information import entropy, shared_bits

Floats = NDArray[np.float64]

INFORMATION, CORRELATION = "information", "correlation"
MEASURES = (INFORMATION, CORRELATION)

_LEAST_SPREAD = 1e-6  # below it, a correlation would be rounding error
_PAIRS_PER_BLOCK = 1 << 17  # so that a block stays in the cache


def check_measure(measure: str) -> str:
    """Check the name of a measure of similarity."""
    if measure not in MEASURES:
        raise ValueError(
            f"measure must be one of {', '.join(MEASURES)}, got {checks.brief(measure)}"
        )
    return measure


def profile_similarity(
    first: NDArray[np.floating],
    second: NDArray[np.floating],
    measure: str = INFORMATION,
    dispersion: float | None = None,
) -> Floats:
    """Similarity of tasks with these profiles, block by block.

    Args:
        first: The profiles of the tasks in the rows (agents, tasks).
        second: The profiles of the tasks in the columns (agents, tasks).
        measure: "information", the mutual information of two outcomes in bits, or "correlation".
        dispersion: How much attempts vary, if the profiles are of expected normalised returns; see
            `return_profiles`. Then the ranks of the agents are compared.

    Returns:
        The similarities (tasks of `first`, tasks of `second`).

    Raises:
        ValueError: If there is no such measure, or if the profiles are not tables of probabilities
            of the same agents.

    >>> skilled = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [0.0, 1.0]])
    >>> profile_similarity(skilled, skilled) + 0.0
    array([[1., 0.],
           [0., 1.]])
    >>> profile_similarity(skilled, 1 - skilled, "correlation")
    array([[-1.,  0.],
           [ 0., -1.]])
    """
    from threadpoolctl import threadpool_limits

    check_measure(measure)
    first, second = _profiles(first, "first"), _profiles(second, "second")
    if len(first) != len(second):
        raise ValueError(
            f"first and second must be of the same agents, got {len(first)} and {len(second)}"
        )
    count, others = first.shape[1], second.shape[1]
    found = np.empty((count, others))
    if dispersion is None:
        compare = _of_successes(first, second, measure)
    else:
        compare = _of_returns(first, second, measure, dispersion)
    rows = max(1, _PAIRS_PER_BLOCK // max(1, others))
    with threadpool_limits(1):  # bit-identical on any number of cores
        for start in range(0, count, rows):
            some = slice(start, start + rows)
            found[some] = compare(some)
    return found


def _of_successes(
    first: NDArray[np.floating], second: NDArray[np.floating], measure: str
) -> Callable[[slice], Floats]:
    """A function that compares some of the first tasks with all of the second."""
    p, q, agents = first.mean(0), second.mean(0), len(first)
    own, others = entropy(p), entropy(q)

    def compare(some: slice) -> Floats:
        both = first[:, some].T @ second / agents
        if measure == INFORMATION:
            return shared_bits(both, p[some, None], q, own[some, None] + others)
        return correlation(both, p[some, None], q)

    return compare


def _of_returns(
    first: NDArray[np.floating], second: NDArray[np.floating], measure: str, dispersion: float
) -> Callable[[slice], Floats]:
    """The same for expected normalised returns."""
    from taskspace.similarity.returns import copula_bits  # which imports this module

    agents = len(first)
    rows, columns = (return_profiles.attempts(part, dispersion) for part in (first, second))

    def compare(some: slice) -> Floats:
        signed: Floats = np.clip(rows[:, some].T @ columns, -1.0, 1.0)
        return copula_bits(signed, agents) if measure == INFORMATION else signed

    return compare


def _profiles(values: NDArray[np.floating], what: str) -> NDArray[np.floating]:
    found = checks.array(values, what)
    if found.ndim != 2 or not found.size or found.min() < 0 or found.max() > 1:
        raise ValueError(
            f"{what} must be success probabilities of agents x tasks, from 0 to 1, got"
            f" {checks.brief(values)} of shape {found.shape}"
        )
    return found


def correlation(both: Floats, p: Floats, q: Floats) -> Floats:
    """Correlation of two outcomes; 0 if one of them is certain.

    Args:
        both: The probability of success on both tasks.
        p: The probability of success on the first task.
        q: The probability of success on the second task.

    Returns:
        The correlation, in the common shape of the arguments.

    >>> correlation(np.array([0.5, 0.0, 1.0]), np.array([0.5, 0.5, 1.0]), np.array([0.5, 0.5, 1.0]))
    array([ 1., -1.,  0.])
    """
    spread = np.sqrt(np.maximum(p * (1 - p) * q * (1 - q), 0))
    varies = spread > _LEAST_SPREAD
    covariance = np.where(varies, both - p * q, 0.0)
    return np.clip(covariance / np.where(varies, spread, 1.0), -1.0, 1.0)

"""Entropy and mutual information of outcomes, in bits, from probabilities of success."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks

_ROUNDING = 1e-6  # by which a probability may leave the range from 0 to 1


def entropy(probability: ArrayLike) -> NDArray[np.float64]:
    """Entropy of an outcome, in bits, from its probability of success (Definition 1).

    Args:
        probability: Probabilities of success, of any shape.

    Returns:
        The entropies, of the same shape.

    Raises:
        ValueError: If a number is not from 0 to 1.

    >>> entropy([0.0, 0.5, 1.0])
    array([0., 1., 0.])
    """
    p = np.clip(_probabilities(probability, "probability"), 0.0, 1.0)
    return _surprise(p) + _surprise(1.0 - p)


def _probabilities(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """Numbers from 0 to 1 apart from rounding, or NaN where they are unknown."""
    found = checks.real(values, what)
    wrong = found[(found < -_ROUNDING) | (found > 1 + _ROUNDING)]
    if wrong.size:
        raise ValueError(f"{what} must be numbers from 0 to 1, got {wrong[0]:g}")
    return found


def _surprise(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """-p log2 p, with the value 0 at p = 0."""
    return 0.0 - p * np.log2(np.where(p > 0, p, 1.0))


def mutual_information(both: ArrayLike, first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Mutual information of two outcomes, in bits.

    Args:
        both: The probability of success on both tasks.
        first: The probability of success on the first task.
        second: The probability of success on the second task.

    Returns:
        The mutual information, in the common shape of the arguments.

    Raises:
        ValueError: If a number is not from 0 to 1, or if `both` is larger than one of the others.

    >>> mutual_information(both=[0.5, 0.25], first=0.5, second=0.5)  # equal; independent
    array([1., 0.])
    """
    given = {"both": both, "first": first, "second": second}
    p11, p1, p2 = (_probabilities(values, what) for what, values in given.items())
    wrong = p11 > np.minimum(p1, p2) + _ROUNDING
    if wrong.any():
        raise ValueError(
            "both must be at most first and second, got"
            f" {np.broadcast_to(p11, wrong.shape)[wrong][0]:g}"
        )
    return shared_bits(p11, p1, p2, entropy(p1) + entropy(p2))


def shared_bits(
    p11: NDArray[np.float64],
    p1: NDArray[np.float64],
    p2: NDArray[np.float64],
    apart: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Mutual information in bits; `apart` is the sum of the entropies of the two outcomes."""
    joint = (p11, p1 - p11, p2 - p11, 1.0 - p1 - p2 + p11)
    together = sum(_surprise(np.clip(p, 0.0, 1.0)) for p in joint)
    return np.maximum(apart - together, 0.0)


def paired_similarity(first: ArrayLike, second: ArrayLike) -> float:
    """Similarity by Algorithm 2 of the paper: from N pairs of rollouts, each pair by one agent.

    Args:
        first: The N outcomes on the first task.
        second: The N outcomes on the second task, in the same order of agents.

    Returns:
        The similarity in bits.

    Raises:
        ValueError: If the numbers of outcomes differ or are 0, or if an outcome is not 0 or 1.

    >>> paired_similarity([1, 1, 0, 0], [1, 1, 0, 0])
    1.0
    """
    i, j = _outcomes(first, "first"), _outcomes(second, "second")
    if i.shape != j.shape or not i.size:
        raise ValueError(
            f"first and second must have the same number of outcomes, at least 1,"
            f" got {i.size} and {j.size}"
        )
    return float(mutual_information((i & j).mean(), i.mean(), j.mean()))


def _outcomes(values: ArrayLike, what: str) -> NDArray[np.bool_]:
    found = checks.numbers(values, what).ravel()
    wrong = found[(found != 0) & (found != 1)]
    if wrong.size:
        raise ValueError(f"{what} must be outcomes, 0 or 1, got {wrong[0]:g}")
    return found.astype(np.bool_)

"""Counts of attempts and successes, checked and as small as possible."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks


def smallest_counts(shape: tuple[int, ...], largest: int) -> NDArray[np.unsignedinteger[Any]]:
    """Zeros of the smallest unsigned type that can store `largest`."""
    return np.zeros(shape, np.min_scalar_type(largest))


def counts_of(values: ArrayLike, what: str) -> NDArray[np.unsignedinteger[Any]]:
    """Copy integers of at least 0, into the smallest unsigned type that can store them."""
    array = checks.array(values, what)
    if array.dtype.kind == "u" and not (array.size and int(array.max()) >= 2**63):
        return array.copy()
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{what} must be numbers, got an array of type {array.dtype}")
    if np.isnan(array).any():
        raise ValueError(
            f"{what} must be integers of at least 0, got NaN; use 0 rollouts for pairs never tried"
        )
    with np.errstate(over="ignore"):  # in half precision, 2**63 is infinity
        fine = (array >= 0) & (array < 2.0**63) & (array == np.floor(array))
    if not fine.all():
        wrong = array[~fine].ravel()[0]
        raise ValueError(f"{what} must be integers of at least 0, got {wrong}")
    return array.astype(np.min_scalar_type(int(array.max()) if array.size else 0))


def successes_of(values: ArrayLike) -> NDArray[Any]:
    """Counts as integers, or sums of fractional scores in single precision."""
    array = checks.array(values, "successes")
    if array.dtype.kind == "b":  # comparisons give these
        return array.astype(np.uint8)
    if array.dtype.kind == "f" and (array != np.floor(array)).any():
        with np.errstate(over="ignore"):
            single = array.astype(np.float32)
        fractional = bool((single != np.floor(single)).any())
        if fractional and np.isfinite(single).all() and single.min() >= 0:
            return single
        if not fractional:  # sums of scores may differ from integers by rounding
            array = single
    return counts_of(array, "successes")


def check_booleans(given: ArrayLike, rollouts: NDArray[Any]) -> None:
    """Refuse booleans of several attempts: they cannot say how many of these succeeded."""
    if np.asarray(given).dtype.kind == "b" and rollouts.max() > 1:
        raise ValueError(
            "successes must be numbers of successes if a pair has several rollouts, got booleans"
            f" and {rollouts.max()} rollouts"
        )


def rollouts_of(rollouts: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.unsignedinteger[Any]]:
    """The number of rollouts of each pair, from such a table or from one number for all."""
    array = checks.array(rollouts, "rollouts")
    if array.shape not in ((), shape):
        raise ValueError(
            f"rollouts must be one number or a table of shape {shape},"
            f" got an array of shape {array.shape}"
        )
    if array.ndim and not same_everywhere(array):
        return counts_of(array, "rollouts")
    single = counts_of(array[(0,) * array.ndim], "rollouts")
    return np.broadcast_to(single, shape)  # one number for all pairs takes no memory


def same_everywhere(rollouts: NDArray[Any]) -> bool:
    """Whether they are one number in memory, as `rollouts_of` makes them."""
    return rollouts.strides == (0, 0)


def of_shape(values: NDArray[Any], shape: tuple[int, ...], what: str) -> NDArray[Any]:
    """The values themselves, if they have this shape."""
    if values.shape != shape:
        raise ValueError(
            f"{what} must be a table of shape {shape}, got an array of shape {values.shape}"
        )
    return values


def check_counts(
    successes: NDArray[Any],
    rollouts: NDArray[Any],
    agents: NDArray[np.str_],
    tasks: NDArray[np.str_],
) -> None:
    """Refuse more successes than rollouts."""
    # Agent by agent: a table of comparisons would be as large as the table itself.
    for agent, (solved, tried) in enumerate(zip(successes, rollouts, strict=True)):
        if (too_many := solved > tried).any():
            task = int(too_many.argmax())
            raise ValueError(
                f"the successes of {agents[agent]} on {tasks[task]} must be at most"
                f" {tried[task]}, the number of its rollouts, got {solved[task]}"
            )


def results_of(
    values: ArrayLike, successes: NDArray[Any], rollouts: NDArray[Any]
) -> NDArray[np.bool_]:
    """Copy the result of every rollout (agents, tasks, rollouts), which must add up to counts."""
    given = checks.array(values, "results")
    if given.dtype.kind not in "biuf" or not np.isin(given, (0, 1)).all():
        raise ValueError("results must be 0 or 1 for every rollout, got other values")
    results = given.astype(np.bool_)
    if results.shape[:2] != successes.shape or results.ndim != 3:
        raise ValueError(
            "results must be an array of agents x tasks x rollouts,"
            f" got an array of shape {results.shape}"
        )
    if (rollouts != results.shape[2]).any() or (results.sum(2) != successes).any():
        raise ValueError("results must agree with successes and rollouts, got other counts")
    return results

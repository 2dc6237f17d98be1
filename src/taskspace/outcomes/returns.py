"""Checks of returns and of their spreads, and what they are as fractions of successes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.outcomes.return_scale import ReturnScale

SCALE = ("low", "high", "best", "success")
_PREFIX = "scale_"  # of the arrays in which a file has a scale


def check_returns(
    returns: Any, rollouts: NDArray[Any], agents: NDArray[np.str_], tasks: NDArray[np.str_]
) -> NDArray[np.float32]:
    """Mean returns in single precision: finite for every pair that was tried, NaN for others."""
    found = _table(returns, rollouts.shape, "returns")
    found[rollouts == 0] = np.nan
    wrong = ~np.isfinite(found) & (rollouts > 0)
    if wrong.any():
        agent, task = np.argwhere(wrong)[0]
        what = "NaN" if np.isnan(found[agent, task]) else "infinity"
        raise ValueError(
            f"returns must be finite numbers where a pair was tried, got {what} for"
            f" {agents[agent]} on {tasks[task]}; pairs never tried must have 0 rollouts"
        )
    return checks.single(np.nan_to_num(found), "returns") + np.where(
        rollouts == 0, np.float32(np.nan), np.float32(0)
    )


def check_precision(returns: NDArray[np.float64]) -> None:
    """Refuse returns that differ on a task, but would be equal in single precision."""
    low, high = np.fmin.reduce(returns, axis=0), np.fmax.reduce(returns, axis=0)
    largest = np.fmax(np.abs(low), np.abs(high))
    with np.errstate(over="ignore", invalid="ignore"):  # infinity is refused by `check_returns`
        differ = high - low > 1e-12 * largest  # means of equal returns differ by rounding
        equal = low.astype(np.float32) == high.astype(np.float32)
    lost = np.flatnonzero(differ & equal & (largest < np.finfo(np.float32).max))
    if lost.size:
        task = lost[0]
        raise ValueError(
            "returns must differ by more than a ten-millionth of their size, got"
            f" {low[task]:.17g} to {high[task]:.17g} on task {task}; subtract what they have in"
            " common, or rescale them"
        )


def check_spreads(
    spreads: Any, rollouts: NDArray[Any], agents: NDArray[np.str_], tasks: NDArray[np.str_]
) -> NDArray[np.float32] | None:
    """Standard deviations over the attempts of pairs, NaN where unknown; None if all are."""
    found = _table(spreads, rollouts.shape, "return_spreads")
    wrong = (found < 0) | np.isinf(found)
    if wrong.any():
        raise ValueError(
            "return_spreads must be standard deviations of at least 0, or NaN where unknown, got"
            f" {found[wrong][0]:g}"
        )
    early = ~np.isnan(found) & (rollouts < 2)
    if early.any():
        agent, task = np.argwhere(early)[0]
        raise ValueError(
            "return_spreads must be NaN where a pair has fewer than 2 rollouts, got"
            f" {found[agent, task]:g} for {agents[agent]} on {tasks[task]} with"
            f" {rollouts[agent, task]}"
        )
    if np.isnan(found).all():
        return None
    return checks.single(np.nan_to_num(found), "return_spreads") + np.where(
        np.isnan(found), np.float32(np.nan), np.float32(0)
    )


def _table(values: Any, shape: tuple[int, ...], what: str) -> NDArray[np.float64]:
    found = checks.real(values, what)
    if found.shape != shape:
        raise ValueError(
            f"{what} must be a table of shape {shape}, got an array of shape {found.shape}"
        )
    return found


def normalised_sums(
    scale: ReturnScale, returns: NDArray[np.float32], rollouts: NDArray[Any]
) -> NDArray[np.float32]:
    """Rollouts times normalised return: what `successes` are if outcomes are returns."""
    shares = np.nan_to_num(scale.normalised(returns))
    return np.minimum(shares * rollouts, rollouts).astype(np.float32)


def check_scale(scale: Any, returns: Any, tasks: int) -> None:
    """Refuse what is no scale of so many tasks, and a scale without returns."""
    if not isinstance(scale, ReturnScale):
        raise ValueError(f"scale must be a ReturnScale or None, got {checks.brief(scale)}")
    if returns is None:
        raise ValueError("scale must be None for outcomes without returns, got a ReturnScale")
    for name in SCALE:
        value = getattr(scale, name)
        if value is not None and value.shape not in ((), (tasks,)):
            raise ValueError(
                f"{name} of the scale must be one number or one for each of the {tasks} tasks, got"
                f" an array of shape {value.shape}"
            )


def check_return_options(returns: Any, **options: Any) -> None:
    """Refuse options that are for returns if results are not."""
    if not isinstance(returns, bool):
        raise ValueError(f"returns must be True or False, got {checks.brief(returns)}")
    given = [name for name, value in options.items() if value is not None]
    if given and not returns:
        raise ValueError(
            f"{given[0]} must be used with returns=True (--returns), got successes or scores"
        )


def pack_scale(scale: ReturnScale | None) -> dict[str, NDArray[np.float64]]:
    """The arrays in which a file has a scale."""
    parts = {} if scale is None else {name: getattr(scale, name) for name in SCALE}
    return {_PREFIX + name: value for name, value in parts.items() if value is not None}


def unpack_scale(arrays: dict[str, Any]) -> dict[str, ReturnScale]:
    """Take the scale out of the arrays of a file, as an argument of `Outcomes`."""
    parts = {name: arrays.pop(_PREFIX + name, None) for name in SCALE}
    return {} if parts["low"] is None else {"scale": ReturnScale(**parts)}


SCALE_ARRAYS = tuple(_PREFIX + name for name in SCALE)

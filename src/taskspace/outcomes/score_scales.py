"""Whether scores that are divided by the highest one are all on one scale, in tables and logs."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks

# Attempts, or fractions among them, after which some score of an agent should exceed 1.
FEWEST_TELLING, FEWEST_FRACTIONS = 20, 5


def check_scales(
    rates: NDArray[np.float64],
    agent: NDArray[np.int64],
    names: Sequence[str],
    most: float,
    *,
    what: str,
    advice: str,
    known: NDArray[np.float64] | None = None,
) -> None:
    """Refuse scores that were divided by `most` though they go from 0 to 1 already.

    Agents none of whose scores exceeds 1, where those of others do, are refused if it is nearly
    certain that they have another scale: their scores are many or fractions, and no other agent has
    any up to 1. Otherwise they may be weak, and the user is told.

    Args:
        rates: The scores divided by `most`, without missing ones.
        agent: The number of the agent of each score.
        names: The names of the agents.
        most: The highest possible score.
        what: What messages call the source of the scores.
        advice: What to do about agents on another scale.
        known: The rates of other agents on this scale, with NaN, if there are any. Every agent that
            does not exceed 1 is then told.
    """
    if most <= 1 or not len(rates):
        return
    one = 1 / most
    largest = np.zeros(len(names))
    np.maximum.at(largest, agent, rates)
    others = np.zeros(0) if known is None else known[~np.isnan(known)]
    highest = most * float(max(largest.max(), others.max(initial=0)))
    if 0 < highest <= 1:
        raise ValueError(
            f"max_score must be the highest possible score, got {most:g} for {what} with scores up"
            f" to {highest:g}; {advice}, or omit max_score (--max-score) if all go from 0 to 1"
        )
    doubtful = (largest > 0) & (largest <= one)
    small, fraction = (rates > 0) & (rates <= one), (rates > 0) & (rates < one)
    telling = (_counts(agent, names) >= FEWEST_TELLING) | (
        _counts(agent[fraction], names) >= FEWEST_FRACTIONS
    )
    certain = doubtful & telling
    if certain.any() and not (
        _any(small & ~doubtful[agent]) or _any((others > 0) & (others <= one))
    ):
        raise ValueError(
            f"the scores of {what} must be on one scale, got scores up to"
            f" {most * largest[certain].max():g} of {_named(names, certain)} and up to {highest:g}"
            f" of others; {advice}"
        )
    told = doubtful if known is not None else certain
    if told.any():
        warnings.warn(
            f"the scores of {_named(names, told)} on {what} do not exceed 1, while those of others"
            f" go up to {highest:g}; all are divided by {most:g}",
            stacklevel=2,
        )


def _counts(agent: NDArray[np.int64], names: Sequence[str]) -> NDArray[np.int64]:
    return np.bincount(agent, minlength=len(names))


def _any(found: NDArray[Any]) -> bool:
    return bool(found.any())


def _named(names: Sequence[str], chosen: NDArray[np.bool_]) -> str:
    numbers = np.flatnonzero(chosen)
    more = f" (and {len(numbers) - 1} more)" if len(numbers) > 1 else ""
    return f"{checks.brief(str(names[numbers[0]]))}{more}"

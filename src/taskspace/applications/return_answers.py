"""Answers and predictions in returns: what goes into and comes out of a predictor of returns.

Inside, a predictor knows normalised returns, from 0 to 1.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.applications.scores import Scores
from taskspace.applications.task_mixtures import one_per_task
from taskspace.models.linear_population import LinearPopulation
from taskspace.models.success.factors import Floats
from taskspace.outcomes.outcomes import Outcomes
from taskspace.outcomes.return_scale import ReturnScale
from taskspace.outcomes.returns import normalised_sums

MARGIN = 0.25  # of the scale of a predictor beyond the returns of known agents, in their ranges
_ROUNDING = 1e-5  # relative; returns are stored in single precision, on a scale
_SEVERAL = 2  # results that are all 0 or 1 may be successes
FARTHEST = 1.0  # how far beyond the known range a return may be, in widths of the range


def quiz_returns(
    results: ArrayLike, quiz: Any, scale: ReturnScale, numbers: NDArray[np.int64] | None
) -> Floats:
    """The normalised returns of a quiz; NaN stands for a skipped answer.

    Args:
        results: The returns, one per quiz task.
        quiz: The quiz tasks.
        scale: The scale of the known tasks.
        numbers: The indices of the quiz tasks among the known ones; None if they are unknown, in
            which case the returns are not compared with a range per task.

    Returns:
        One number from 0 to 1, or NaN, per quiz task.

    Raises:
        ValueError: If there is not one return per task, or if one is far beyond the known range.

    Warns:
        UserWarning: If a return is beyond the known range: it counts as the end of the range. Or if
            it is not the only return that known agents have on a task: it counts as that.

    >>> quiz_returns([-150, np.nan], ["a", "b"], ReturnScale(-200, -100), None)
    array([0.5, nan])
    """
    found = one_per_task(results, quiz)
    if numbers is None and scale.low.ndim:
        return np.where(np.isnan(found), np.nan, 0.5)
    low, high = (np.broadcast_to(end, found.shape) for end in ends(scale, numbers))
    beyond = np.fmax(low - found, found - high)
    _warn_if_unlike_all(found, low, low == high)
    beyond[low == high] = 0  # such a task says nothing, whatever the return
    far = beyond > FARTHEST * (high - low)
    if far.any():
        first = int(far.argmax())
        raise ValueError(
            f"results must be returns that fit those of the known agents, {low[first]:g} to"
            f" {high[first]:g}, got {found[first]:g}"
        )
    if (beyond > 1e-6 * (high - low)).any():
        first = int(np.nanargmax(beyond))
        warnings.warn(
            f"a return of {found[first]:g} is beyond what the known agents let expect,"
            f" {low[first]:g} to {high[first]:g}, and counts as the nearest of these",
            stacklevel=4,
        )
    return scale.normalised(found, numbers)


def _warn_if_unlike_all(found: Floats, known: Floats, constant: NDArray[np.bool_]) -> None:
    """Warn of another return on a task on which all known agents have the same."""
    apart = np.abs(found - known) > _ROUNDING * np.maximum(np.abs(known), np.abs(found))
    other = constant & apart
    if other.any():
        first = int(other.argmax())
        warnings.warn(
            f"all known agents have the return {known[first]:g} on a task of the quiz, on which"
            f" this agent has {found[first]:g}; nothing follows from it for other tasks, and it"
            f" counts as {known[first]:g}",
            stacklevel=5,
        )


def warn_if_successes(results: Floats, known: Floats) -> None:
    """Warn if results look like successes, i.e. are all 0 or 1, and none of the known returns is.

    One result may be 0 or 1 by chance, so at least two are needed.

    Args:
        results: Returns of one agent; NaN for skipped answers.
        known: The returns of the known agents on the same tasks.

    Warns:
        UserWarning: If they look like successes.

    >>> warn_if_successes(np.array([0.0, 1.0]), np.array([[0.0, 30.0], [7.5, 31.0]]))
    """
    given = results[~np.isnan(results)]
    if len(given) < _SEVERAL or not np.isin(given, (0.0, 1.0)).all():
        return
    low, high = float(known.min()), float(known.max())
    near = _ROUNDING * max(high - low, 1.0)  # known returns are stored in single precision
    if min(np.abs(known).min(), np.abs(known - 1).min()) > near:
        warnings.warn(
            f"all {len(given)} results are 0 or 1, like successes, but no known return on these"
            f" tasks is (they go from {low:g} to {high:g}); results must be returns",
            stacklevel=4,
        )


def refuse_returns(scale: ReturnScale | None, requires: str) -> None:
    """Refuse returns where only successes make sense; `requires` is the first part of the message.

    >>> refuse_returns(None, "a short test requires successes")
    """
    if scale is not None:
        raise ValueError(f"{requires}, got returns")


def difficulty_in_words(scale: ReturnScale | None) -> str:
    """What difficulty is, as the rest of a sentence.

    >>> difficulty_in_words(ReturnScale(0, 10, success=4))
    'the share of agents whose expected return is below 4'
    """
    if scale is None:
        return "how often agents fail"
    if scale.best is not None:
        return "the mean normalised regret: how far agents stay below the best return"
    if scale.success is not None:
        least = "its threshold" if scale.success.ndim else f"{float(scale.success):g}"
        return f"the share of agents whose expected return is below {least}"
    return "1 minus the mean normalised return, an ordering within what these agents reached"


def widened(outcomes: Outcomes) -> Outcomes:
    """The same returns on a scale with a margin, within which those of a new agent may lie.

    Nothing is better than a known best return.

    >>> widened(Outcomes.from_returns([[0.0], [8.0]])).scale.high
    array([10.])
    """
    scale = outcomes.scale
    if scale is None or outcomes.returns is None:
        return outcomes
    margin = MARGIN * (scale.high - scale.low)
    high = scale.high if scale.best is not None else scale.high + margin
    wide = replace(scale, low=scale.low - margin, high=high)
    sums = normalised_sums(wide, outcomes.returns, outcomes.rollouts)
    return replace(outcomes, successes=sums, scale=wide)


def margin_of(scale: ReturnScale, wide: ReturnScale) -> tuple[float, float]:
    """The shift and the stretch that turn normalised returns into those on the wider scale.

    They are the same for all tasks; see `widened`.

    >>> margin_of(ReturnScale(0, 8), ReturnScale(-2, 10))
    (0.16666666666666666, 0.6666666666666666)
    """
    width = np.ravel(wide.high - wide.low)
    if not (width > 0).any():
        return 0.0, 1.0
    task = int((width > 0).argmax())
    low, high = (float(np.ravel(end)[task]) for end in (scale.low, scale.high))
    shift = low - float(np.ravel(wide.low)[task])
    return shift / float(width[task]), (high - low) / float(width[task])


def ends(scale: ReturnScale, numbers: NDArray[np.int64] | None) -> tuple[Floats, Floats]:
    """The lowest and the highest return of each task."""
    if numbers is None or not scale.low.ndim:
        return scale.low, scale.high
    return scale.low[numbers], scale.high[numbers]


def overall(scale: ReturnScale) -> ReturnScale:
    """One range that contains those of all tasks, so that means over tasks are means of returns.

    >>> overall(ReturnScale([0, -5], [10, 3])).low
    array(-5.)
    """
    return ReturnScale(scale.low.min(), scale.high.max())


def on_one_scale(population: LinearPopulation, scale: ReturnScale) -> LinearPopulation:
    """The population with the returns of all tasks normalised by one range."""
    if not scale.low.ndim:
        return population
    rates = overall(scale).normalised(scale.returns(population.rates.astype(np.float64)))
    if population.tried is None:
        found = LinearPopulation.from_rates(rates, None, 0)
    else:
        given = np.where(population.tried, rates, np.nan)
        found = LinearPopulation.from_rates(given, rates, 0)
    unit = np.sqrt(found.variances.mean() / population.variances.mean())
    return replace(found, unit=float(unit))


def noise_on_one_scale(
    population: LinearPopulation, scale: ReturnScale, dispersion: float
) -> Floats:
    """The standard deviations (agents, tasks) of attempts, after `on_one_scale`."""
    rates, one = population.rates.astype(np.float64), overall(scale)
    widest = max(float(one.high - one.low), 1e-12)
    found: Floats = np.sqrt(dispersion * rates * (1 - rates)) * (scale.high - scale.low) / widest
    return found


def in_returns(found: Scores, scale: ReturnScale) -> Scores:
    """Scores from 0 to 1 as mean returns."""
    one = overall(scale)
    scores, low, high, plain = map(one.returns, (found.scores, found.low, found.high, found.plain))
    return replace(found, scores=scores, low=low, high=high, plain=plain)


def check_return_width(width: Any, scale: ReturnScale, what: str = "width") -> float:
    """The wanted width of an interval of a mean return, as a fraction of the range of returns."""
    one = overall(scale)
    widest = float(one.high - one.low)
    wide = checks.numbers(width, what)
    if wide.ndim or not wide > 0:
        raise ValueError(f"{what} must be a positive number of returns, got {checks.brief(width)}")
    return min(float(wide) / widest, 1.0) if widest > 0 else 1.0

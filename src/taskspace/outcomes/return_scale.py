"""The scale of returns: what a return is worth, from 0 (the lowest) to 1 (the highest)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.outcomes.rates import mean_rates

Floats = NDArray[np.float64]

_ROUNDING = 1e-6  # relative; returns are stored in single precision


@dataclass(frozen=True, eq=False)
class ReturnScale:
    """The range of the returns of each task, and what difficulty means.

    A normalised return is 0 at `low` and 1 at `high`. Each part is one number, or one per task.
    They are single numbers where tasks have features: such tasks belong to one environment with one
    reward, so that their returns can be compared. Tasks of other tables have a range each.

    Attributes:
        low: The lowest return that an agent reached.
        high: The highest return that an agent reached, or the best return if it is known.
        best: The best possible return, if it is known.
        success: The return from which on a task counts as solved, if there is such a threshold.

    Raises:
        ValueError: If the parts are not numbers of equal shape, if `low` exceeds `high`, or if both
            `best` and `success` are given.

    >>> scale = ReturnScale(low=-200, high=-100)
    >>> scale.normalised([-200, -125])
    array([0.  , 0.75])
    >>> scale.returns([0.5])
    array([-150.])
    """

    low: Floats
    high: Floats
    best: Floats | None = None
    success: Floats | None = None

    def __post_init__(self) -> None:
        for name in ("low", "high", "best", "success"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, checks.numbers(value, name))
        if self.low.ndim > 1 or self.high.shape != self.low.shape:
            raise ValueError(
                "low and high must be two numbers, or one each per task, got arrays of shape"
                f" {self.low.shape} and {self.high.shape}"
            )
        if (self.low > self.high).any():
            raise ValueError("low must be at most high, got a larger number")
        if self.best is not None and self.success is not None:
            raise ValueError(
                "success must be None if best is given, because difficulty has one meaning,"
                f" got {checks.brief(self.success)}"
            )
        for name in ("best", "success"):
            value = getattr(self, name)
            fits = value is None or not value.ndim or value.shape == self.low.shape
            # Under one range, the number of tasks is unknown here.
            if not fits and (value.ndim > 1 or self.low.ndim):
                raise ValueError(
                    f"{name} must be one number or one per task, got an array of shape"
                    f" {value.shape}"
                )

    @classmethod
    def reached(
        cls, returns: Floats, *, shared: bool, best: ArrayLike | None, success: ArrayLike | None
    ) -> ReturnScale:
        """The scale of what agents reached.

        Args:
            returns: The mean returns (agents, tasks), NaN for pairs that were never tried.
            shared: Whether all tasks have one range.
            best: The best possible return or returns, if known.
            success: The threshold of success, if there is one.

        Returns:
            The scale. A task that nobody tried has a range of 0 if it has its own.

        Raises:
            ValueError: If `best` is lower than a return.

        >>> table = np.array([[1.0, 5.0], [3.0, np.nan]])
        >>> ReturnScale.reached(table, shared=False, best=None, success=None).high
        array([3., 5.])
        """
        axis = None if shared else 0
        low = np.nan_to_num(np.fmin.reduce(returns, axis=axis))
        high = np.nan_to_num(np.fmax.reduce(returns, axis=axis))
        if best is None:
            return cls(low, high, None, success)  # type: ignore[arg-type]
        known = checks.numbers(best, "best")
        if known.shape not in ((), (returns.shape[1],)):
            raise ValueError(
                f"best must be one number or one per task, got an array of shape {known.shape}"
            )
        check_best(known, returns)
        top = np.maximum(known.max() if shared else known, high)
        return cls(low, top, known, success)  # type: ignore[arg-type]

    @property
    def rule(self) -> str:
        """What difficulty means: "best", "success" or "order".

        >>> ReturnScale(0, 1, success=0.5).rule
        'success'
        """
        if self.best is not None:
            return "best"
        return "order" if self.success is None else "success"

    def of_tasks(self, chosen: Any) -> ReturnScale:
        """The scale of some of the tasks, by their numbers.

        >>> ReturnScale([0, 1], [5, 6]).of_tasks([1]).low
        array([1.])
        """
        parts = {name: getattr(self, name) for name in ("low", "high", "best", "success")}
        return ReturnScale(
            **{
                name: value[chosen] if value is not None and value.ndim else value
                for name, value in parts.items()
            }
        )

    def normalised(self, returns: ArrayLike, tasks: Any = None) -> Floats:
        """Normalised returns, from 0 to 1; returns beyond the range are clipped, NaN stays NaN.

        Where the range is 0, returns say nothing: they are 0.5, or 1 if all agents reached the
        best return.

        Args:
            returns: Returns, with one entry per task in the last dimension.
            tasks: The numbers of these tasks; all by default.

        Returns:
            The normalised returns, of the same shape.

        >>> ReturnScale([0, 7], [10, 7]).normalised([[5, 7], [20, np.nan]])
        array([[0.5, 0.5],
               [1. , nan]])
        """
        given = checks.real(returns, "returns")
        low, high = self._range(tasks)
        width = high - low
        flat = np.where(np.isnan(given), np.nan, 0.5 if self.best is None else 1.0)
        varies = width > 0
        inside = (given - low) / np.where(varies, width, 1.0)
        return np.where(varies, np.clip(inside, 0.0, 1.0), flat)

    def returns(self, normalised: ArrayLike, tasks: Any = None) -> Floats:
        """Returns from normalised ones, the reverse of `normalised`.

        Args:
            normalised: Normalised returns, with one entry per task in the last dimension.
            tasks: The numbers of these tasks; all by default.

        Returns:
            The returns, of the same shape.

        >>> ReturnScale([0, 7], [10, 8]).returns([[0.5], [1.0]], [0])
        array([[ 5.],
               [10.]])
        """
        low, high = self._range(tasks)
        return low + checks.real(normalised, "normalised returns") * (high - low)

    def difficulty(self, profiles: ArrayLike, tasks: Any = None) -> Floats:
        """The difficulty of tasks, from 0 to 1.

        It is the mean normalised regret if the best return is known, the share of agents whose
        expected return is below the threshold if there is one, and otherwise one minus the mean
        normalised return: an ordering within what these agents reached.

        Args:
            profiles: The expected normalised returns of agents (agents, tasks); NaN if unknown.
            tasks: The numbers of these tasks; all by default.

        Returns:
            One difficulty per task; NaN for a task of which nothing is known.

        >>> profiles = np.array([[0.0, 0.5], [0.5, 1.0]])
        >>> ReturnScale(0, 10).difficulty(profiles)
        array([0.75, 0.25])
        >>> ReturnScale(0, 10, success=4).difficulty(profiles)
        array([0.5, 0. ])
        """
        given = checks.real(profiles, "profiles")
        if self.best is not None:
            high = self._range(tasks)[1]
            best = _chosen(self.best, tasks)
            width = high - self._range(tasks)[0]
            # Under one range, the best return of a task may be less than the highest of all.
            spare = (high - best) / np.where(width > 0, width, 1.0)
            return mean_rates(1.0 - np.minimum(given + spare, 1.0), 0)
        if self.success is None:
            return mean_rates(1.0 - given, 0)
        least = _chosen(self.success, tasks)
        reached = self.returns(given, tasks)
        below = reached < least - _ROUNDING * np.maximum(np.abs(least), np.abs(reached))
        return mean_rates(np.where(np.isnan(given), np.nan, below), 0)

    def _range(self, tasks: Any) -> tuple[Floats, Floats]:
        return _chosen(self.low, tasks), _chosen(self.high, tasks)


def check_best(best: Floats, returns: Floats) -> None:
    """Refuse a best return that is lower than one of the returns, which it is compared with.

    >>> check_best(np.array([3.0, 1.0]), np.array([[2.0, 1.0], [3.0, np.nan]]))
    """
    exceeded = returns > best + _ROUNDING * np.abs(best)
    if exceeded.any():
        raise ValueError(
            "best must be at least as high as every return, got"
            f" {float(np.broadcast_to(best, returns.shape)[exceeded][0]):g} and a return of"
            f" {returns[exceeded][0]:g}"
        )


def _chosen(values: Floats, tasks: Any) -> Floats:
    return values if tasks is None or not values.ndim else values[tasks]

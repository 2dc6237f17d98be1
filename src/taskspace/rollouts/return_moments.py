"""Means and spreads of returns that are added up in parts, wherever they were played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(eq=False)
class ReturnMoments:
    """The number, mean and sum of squared deviations of the returns of some episodes.

    Parts are added in the order of their episodes, so that results are bit-identical wherever they
    were played.

    Attributes:
        number: The number of episodes, of any shape.
        means: Their mean return; 0 without episodes.
        squares: The sum of the squared deviations from the mean.

    >>> one = ReturnMoments.of_episodes(np.array([0, 0, 1]), np.array([1.0, 3.0, 5.0]), 2)
    >>> one.means, one.spreads()
    (array([2., 5.]), array([1.41421356,        nan]))
    >>> both = ReturnMoments.zeros((2,))
    >>> both.add(slice(0, 2), one)
    >>> both.add(slice(0, 2), one)
    >>> both.number, both.means, both.squares
    (array([4, 2]), array([2., 5.]), array([4., 0.]))
    """

    number: NDArray[np.int64]
    means: Floats
    squares: Floats

    @classmethod
    def zeros(cls, shape: tuple[int, ...]) -> ReturnMoments:
        """No episodes yet."""
        return cls(np.zeros(shape, np.int64), np.zeros(shape), np.zeros(shape))

    @classmethod
    def of_episodes(
        cls, task: NDArray[np.int64], returns: Floats, count: int, failed: Any = ()
    ) -> ReturnMoments:
        """The moments of each of `count` tasks, from the task and the return of each episode.

        All episodes of the `failed` tasks are left out.
        """
        number = np.bincount(task, minlength=count)
        number[list(failed)] = 0
        some = np.maximum(number, 1)
        means = np.where(number > 0, np.bincount(task, returns, count) / some, 0.0)
        apart = np.where(number[task] > 0, returns - means[task], 0.0)
        squares = np.asarray(np.bincount(task, np.square(apart), count), np.float64)
        return cls(number, means, squares)

    def add(self, cells: Any, part: ReturnMoments) -> None:
        """Add further episodes to some of the cells."""
        before, more = self.number[cells], part.number
        total = np.maximum(before + more, 1)
        apart = part.means - self.means[cells]
        # Not as a difference of large sums, which would lose digits.
        self.squares[cells] += part.squares + np.square(apart) * before * more / total
        self.means[cells] += apart * (more / total)
        self.number[cells] = before + more

    def spreads(self) -> Floats:
        """The standard deviation of returns (with n - 1); NaN for fewer than two episodes."""
        several = self.number > 1
        variance = self.squares / np.where(several, self.number - 1, 1)
        return np.where(several, np.sqrt(variance), np.nan)

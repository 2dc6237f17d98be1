"""What a choice of tasks must keep: at least so many tasks per label, and no two near-copies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.models.linear_population import Numbers


@dataclass(frozen=True, eq=False)
class Limits:
    """Limits of a choice of tasks, which are numbered."""

    labels: Numbers  # the number of each task's label; -1 for a task without one
    least: int = 0  # tasks per label, or all tasks of a label that has fewer
    copies: Mapping[int, list[int]] = field(default_factory=dict)  # near-copies of a task

    @property
    def sizes(self) -> Numbers:
        """The number of tasks of each label."""
        return np.bincount(self.labels[self.labels >= 0], minlength=1)

    @property
    def least_per_label(self) -> Numbers:
        """The least number of tasks of each label."""
        return np.minimum(self.sizes, self.least)

    def shares(self, k: int) -> list[int]:
        """How many of k tasks each label gets: at least the limit, else in proportion to its size.

        >>> Limits(np.array([0] * 8 + [1] * 2), least=1).shares(6)
        [5, 1]
        """
        sizes, found = self.sizes, self.least_per_label
        for _ in range(min(k, int(sizes.sum())) - int(found.sum())):
            lacking = np.where(found < sizes, k * sizes / sizes.sum() - found, -np.inf)
            found[lacking.argmax()] += 1
        counts: list[int] = found.tolist()
        return counts


class Room:
    """A growing choice of `k` tasks, and which tasks it may take next.

    >>> room = Room(2, Limits(np.array([0, 0, 0, 1]), least=1))
    >>> room.take(np.array([0.9, 0.8, 0.7, 0.1])), room.take(np.array([0.9, 0.8, 0.7, 0.1]))
    (0, 3)
    """

    def __init__(self, k: int, limits: Limits) -> None:
        self.chosen: list[int] = []
        self._k, self._limits = k, limits
        self._left = np.ones(len(limits.labels), np.bool_)
        self._is_copy = np.zeros(len(limits.labels), np.bool_)
        self._owed = limits.least_per_label

    def take(self, scores: NDArray[Any]) -> int:
        """Choose the allowed task with the highest score, and return it."""
        allowed = self._left
        if 0 < self._k - len(self.chosen) <= self._owed.sum():  # all the rest is owed to labels
            allowed = allowed & np.append(self._owed > 0, False)[self._limits.labels]
        if (allowed & ~self._is_copy).any():  # near-copies are a last resort
            allowed = allowed & ~self._is_copy
        task = int(np.where(allowed, scores, -np.inf).argmax())
        if not allowed[task]:  # all allowed tasks have the score -inf
            task = int(allowed.argmax())
        self.chosen.append(task)
        self._left[task] = False
        self._is_copy[self._limits.copies.get(task, [])] = True
        label = self._limits.labels[task]
        if label >= 0:
            self._owed[label] = max(self._owed[label] - 1, 0)
        return task

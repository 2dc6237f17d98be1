"""Random draws of tasks by weights that may change at any time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.curriculum.same_tasks import Fingerprint, fingerprint


class TaskDraws:
    """Draws positions of tasks; at first all are equally likely.

    >>> draws = TaskDraws(3, seed=0)
    >>> draws.set_weights([0, 1, 0])
    >>> draws.draw(4).tolist()
    [1, 1, 1, 1]
    """

    def __init__(self, count: int, seed: int | None) -> None:
        self.count = count
        self.reseed(seed)
        self.set_weights(np.ones(count))

    def reseed(self, seed: int | None) -> None:
        """Begin a new stream of random numbers."""
        self._rng = np.random.default_rng(checks.seed(seed))

    def set_weights(self, weights: Any) -> None:
        """Draw tasks in proportion to these weights from now on."""
        found = checks.numbers(weights, "weights")
        if found.shape != (self.count,) or found.min() < 0 or not found.any():
            raise ValueError(
                f"weights must be {self.count} numbers of at least 0, one per task and not all 0,"
                f" got {checks.brief(weights)} of shape {found.shape}"
            )
        self._cumulative = np.cumsum(found / found.sum())

    def draw(self, n: int) -> NDArray[np.int64]:
        """The positions of `n` tasks."""
        drawn = np.searchsorted(self._cumulative, self._rng.random(n), "right")
        return np.minimum(drawn, self.count - 1)


class DrawsTasks:
    """What `TaskSampler` and `VectorTaskSampler` share: draws by weights that a curriculum sets."""

    tasks: Any
    _draws: TaskDraws

    def set_task_weights(self, weights: Any) -> None:
        """Draw tasks in proportion to these weights from the next episodes on.

        Args:
            weights: One number of at least 0 per task.

        Raises:
            ValueError: If they are invalid.
        """
        self._draws.set_weights(weights)

    def task_fingerprint(self) -> Fingerprint | None:
        """Return what stands for the tasks, by which a curriculum is compared with them.

        Returns:
            The form, the number and a digest of the tasks; None if they are neither names nor
            rows of numbers.
        """
        return fingerprint(self.tasks)

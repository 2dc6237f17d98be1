"""The history of a curriculum: which tasks were tried and solved, over time, in little memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

INTERVALS = 32  # most intervals; when there are more, neighbours are merged
FIRST_LENGTH = 1000  # episodes per interval at first, at least
TASKS_PER_EPISODE = 4  # with many tasks, an interval takes longer and has more episodes
RECORD = ("episodes", "mean_p", "uniform_success", "share", "memory")


class History:
    """Attempts and successes per task in intervals of equal numbers of episodes.

    Attributes:
        length: The number of episodes per interval.
        episodes: The number of episodes so far.
        records: One row per update with the columns `RECORD`.

    >>> history = History(3)
    >>> history.add(np.array([0, 0, 2]), np.array([1.0, 0.0, 1.0]))
    >>> history.attempts.tolist(), history.successes.tolist()
    ([[2, 0, 1]], [[1, 0, 1]])
    """

    def __init__(self, count: int) -> None:
        self.count, self.episodes = count, 0
        self.length = max(FIRST_LENGTH, count // TASKS_PER_EPISODE)
        self._tables = np.zeros((2, INTERVALS, count), np.int32)
        self._opened = 0
        self.records: list[tuple[float, ...]] = []

    @property
    def attempts(self) -> NDArray[np.int32]:
        """Attempts (intervals, tasks)."""
        return self._tables[0, : self._opened]

    @property
    def successes(self) -> NDArray[np.int32]:
        """Successes (intervals, tasks)."""
        return self._tables[1, : self._opened]

    def add(self, tasks: NDArray[np.int64], successes: NDArray[np.float64]) -> None:
        """Add episodes in order."""
        while len(tasks):
            room = self.length * self._opened - self.episodes
            if not room:
                self._open_interval()
                continue
            some, won = tasks[:room], successes[:room]
            self.attempts[-1] += np.bincount(some, minlength=self.count).astype(np.int32)
            solved = some[won > 0]
            self.successes[-1] += np.bincount(solved, minlength=self.count).astype(np.int32)
            self.episodes += len(some)
            tasks, successes = tasks[room:], successes[room:]

    def _open_interval(self) -> None:
        if self._opened == INTERVALS:
            self._opened //= 2
            merged = self._tables.reshape(2, self._opened, 2, self.count).sum(2, dtype=np.int32)
            self._tables[:, : self._opened] = merged
            self._tables[:, self._opened :] = 0
            self.length *= 2
        self._opened += 1

    def record(self, *values: float) -> None:
        """Add a row with the columns `RECORD`; of two old rows, one is dropped when many."""
        self.records.append(values)
        if len(self.records) > 2000:
            self.records = self.records[:1000:2] + self.records[1000:]

    def as_arrays(self) -> dict[str, NDArray[np.generic]]:
        """The history as arrays, for a file."""
        records = np.array(self.records, np.float64).reshape(-1, len(RECORD))
        return {
            "attempts": self.attempts, "successes": self.successes, "records": records,
            "counts": np.array([self.length, self.episodes]),
        }  # fmt: skip

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[np.generic]]) -> History:
        """The history that `as_arrays` described."""
        found = cls(arrays["attempts"].shape[1])
        found._opened = len(arrays["attempts"])
        found.attempts[:] = arrays["attempts"]
        found.successes[:] = arrays["successes"]
        found.length, found.episodes = (int(number) for number in arrays["counts"])
        found.records = [tuple(row) for row in arrays["records"].tolist()]
        return found

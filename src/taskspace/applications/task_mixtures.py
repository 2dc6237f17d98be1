"""Tasks as mixtures of tasks that agents have tried: the task itself, or its neighbours."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.outcomes import task_names
from taskspace.outcomes.feature_rows import in_order

# Number of tried tasks that stand for a new one. Measured on MultiKeyNav and CartPoleVar: 4 to 32
# are about equally good, with weights that fall to 1 / e at the mean squared distance.
NEIGHBOURS = 8


class Embedder(Protocol):
    """Anything that maps tasks to vectors."""

    def transform(self, tasks: Any, /) -> ArrayLike:
        """One row per task."""


@dataclass(frozen=True, eq=False)
class TaskMixture:
    """Tasks as mixtures of known tasks; a known task is itself with a share of 1."""

    numbers: NDArray[np.int64]  # (tasks, parts)
    shares: NDArray[np.float64]  # (tasks, parts)

    @classmethod
    def known(cls, numbers: ArrayLike) -> TaskMixture:
        """Known tasks, by their indices."""
        column = np.asarray(numbers, np.int64)[:, None]
        return cls(column, np.ones(column.shape))

    @classmethod
    def near(
        cls, vectors: NDArray[np.float64], tried: Any, numbers: NDArray[np.int64]
    ) -> TaskMixture:
        """Tasks with these vectors, as mixtures of their neighbours.

        `tried` is a `cKDTree` of the known tasks; `numbers` has the index of each task that is
        known itself, otherwise -1.
        """
        parts = range(1, min(NEIGHBOURS, tried.n) + 1)
        distances, found = tried.query(vectors, k=list(parts))
        squares = distances**2
        scale = np.maximum(squares.mean(1, keepdims=True), np.finfo(float).tiny)
        weights = np.exp(-squares / scale)
        mixture = cls(found.astype(np.int64), weights / weights.sum(1, keepdims=True))
        seen = numbers >= 0
        mixture.numbers[seen, 0] = numbers[seen]
        mixture.shares[seen] = np.eye(1, mixture.shares.shape[1])
        return mixture

    def of(self, chosen: NDArray[np.bool_]) -> TaskMixture:
        """Some of the tasks."""
        return TaskMixture(self.numbers[chosen], self.shares[chosen])


@dataclass(frozen=True, eq=False)
class KnownTasks:
    """Tasks that can be found by name, position or features.

    >>> KnownTasks(np.array(["easy", "hard"]), None).find(["hard", "easy", "hard"], "tasks")[0]
    array([1, 0, 1])
    """

    names: NDArray[np.str_]
    features: NDArray[Any] | None
    feature_names: tuple[str, ...] = ()

    def find(self, tasks: Any, what: str) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """The index of each task, or -1 if it is unknown; and the tasks as an array.

        `what` is what error messages call the tasks.
        """
        tasks = in_order(tasks, self.feature_names, what)
        checks.listed(tasks, what)
        array = checks.array(tasks, what)
        if array.ndim == 1:
            return task_names.find(self._numbers, tasks, what), array
        if array.ndim != 2 or array.dtype.kind not in "biuf":
            raise ValueError(
                f"{what} must be names or positions of known tasks, or one row of features per"
                f" task, got an array of shape {array.shape} and type {array.dtype}"
            )
        return self._by_features(array, what), array

    def numbers(self, tasks: Any, what: str) -> NDArray[np.int64]:
        """The index of each task; unknown tasks are refused."""
        numbers, given = self.find(tasks, what)
        self.refuse_new(numbers, given, what)
        return numbers

    def _by_features(self, rows: NDArray[Any], what: str) -> NDArray[np.int64]:
        features = self.features
        if features is None:
            raise ValueError(
                f"{what} must be names or positions, got rows of features; the known tasks are"
                " identified by name alone"
            )
        if rows.shape[1] != features.shape[1]:
            raise ValueError(f"{what} must have {features.shape[1]} features, got {rows.shape[1]}")
        wanted = rows.astype(features.dtype) + features.dtype.type(0)
        exact = (wanted == rows).all(1)
        found = [
            self._rows.get(row.tobytes(), -1) if same else -1
            for row, same in zip(wanted, exact, strict=True)
        ]
        return np.array(found, np.int64)

    def refuse_new(self, numbers: NDArray[np.int64], tasks: NDArray[Any], what: str) -> None:
        """Raise an error if a task is unknown; the arguments are the results of `find`."""
        if (numbers >= 0).all():
            return
        first = int(np.argmin(numbers))
        if tasks.ndim == 1:
            raise ValueError(
                f"{what} must be known tasks, got the task {checks.brief(tasks.tolist()[first])};"
                f" there are {len(self.names)} known tasks"
            )
        raise ValueError(
            f"{what} must be known tasks, got a new task in {checks.row(first)}; pass an embedder"
            " to find similar tasks"
        )

    @functools.cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names.tolist())}

    @functools.cached_property
    def _rows(self) -> dict[bytes, int]:
        """The index of the first task with these features, as bytes."""
        assert self.features is not None
        plain = self.features + self.features.dtype.type(0)  # turns -0.0 into 0.0
        return {row.tobytes(): number for number, row in reversed([*enumerate(plain)])}


def vectors_of(embedder: Any, tasks: Any, what: str) -> NDArray[np.float64]:
    """The vectors of tasks, one row per task; other results of the embedder are refused.

    If the distances between vectors mean nothing, the embedder has `points` whose distances do.
    """
    check_embedder(embedder)
    place = getattr(embedder, "points", None) or embedder.transform
    vectors = checks.numbers(place(tasks), f"the vectors of {what}")
    if vectors.ndim != 2 or len(vectors) != len(tasks):
        raise ValueError(
            f"the vectors of {what} must be one row per task, got an array of shape {vectors.shape}"
            f" for {len(tasks)} tasks from the embedder"
        )
    return vectors


def check_embedder(embedder: Any) -> None:
    """Refuse what cannot map tasks to vectors."""
    if isinstance(embedder, type) or not hasattr(embedder, "transform"):
        raise ValueError(f"embedder must be a fitted map, got {checks.brief(embedder)}")


def quiz_results(results: ArrayLike, quiz: Any) -> NDArray[np.float64]:
    """Check the results on a quiz; NaN stands for a skipped answer."""
    found = one_per_task(results, quiz)
    outside = found[(found < 0) | (found > 1)]
    if len(outside):
        raise ValueError(f"results must be 0, 1 or success rates, got {outside[0]:g}")
    return found


def one_per_task(results: ArrayLike, quiz: Any) -> NDArray[np.float64]:
    """Check that results are one number per quiz task; NaN stands for a skipped answer."""
    count = checks.listed(quiz, "quiz")
    found = checks.real(results, "results")
    if found.ndim != 1:
        raise ValueError(
            f"results must be one number per quiz task, got an array of shape {found.shape}"
        )
    if len(found) != count:
        raise ValueError(f"results must be one per quiz task, got {len(found)} for {count} tasks")
    _check_index(results, quiz)
    return found


def _check_index(results: Any, quiz: Any) -> None:
    """Refuse a Series that names its tasks in another order than the quiz."""
    if not (hasattr(results, "index") and hasattr(results, "to_frame")):
        return
    names = list(results.index)
    if all(isinstance(name, str) for name in names) and names != list(quiz):
        raise ValueError(
            f"results must be in the order of the quiz, got a Series of {checks.brief(names)}"
        )

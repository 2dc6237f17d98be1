"""Any task in terms of tasks that agents have tried: itself, or a mixture of those near it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.outcomes import Outcomes

# Of tried tasks that a new one is like. Measured on MultiKeyNav and CartPoleVar: 4 to 32 are about
# as good as one another, with weights that fall to 1 / e at the mean squared distance.
NEIGHBOURS = 8


class Embedder(Protocol):
    """Anything that gives tasks vectors."""

    def transform(self, tasks: Any, /) -> ArrayLike:
        """A row for each task."""


@dataclass(frozen=True, eq=False)
class Mix:
    """Tasks as mixtures of known ones; a known task is itself with a share of 1."""

    numbers: NDArray[np.int64]  # (tasks, parts)
    shares: NDArray[np.float64]  # (tasks, parts)

    @classmethod
    def known(cls, numbers: ArrayLike) -> Mix:
        """Tasks of the outcomes, by their numbers."""
        column = np.asarray(numbers, np.int64)[:, None]
        return cls(column, np.ones(column.shape))


def mix_of(tasks: Any, outcomes: Outcomes, embedder: Embedder | None, what: str) -> Mix:
    """Find tasks by name, by number or by their features; new ones among those near on the map.

    >>> outcomes = Outcomes([[1, 0]], 1, tasks=["easy", "hard"])
    >>> mix_of(["hard", "easy", "hard"], outcomes, None, "tasks").numbers.ravel()
    array([1, 0, 1])
    """
    array = checks.array(tasks, what)
    if array.ndim == 1 and array.dtype.kind in "UO":
        return Mix.known(_by_name(array, outcomes, what))
    if array.ndim == 1 and array.dtype.kind in "iu":
        return Mix.known(_by_number(array, outcomes, what))
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise ValueError(
            f"{what} must be names or numbers of tasks in the outcomes, or a row of features each;"
            f" got an array of shape {array.shape} and kind {array.dtype}"
        )
    return _by_features(array, tasks, outcomes, embedder, what)


def _by_name(names: NDArray[Any], outcomes: Outcomes, what: str) -> NDArray[np.int64]:
    places = {name: place for place, name in enumerate(outcomes.tasks.tolist())}
    unknown = [name for name in names.tolist() if name not in places]
    if unknown:
        raise ValueError(f"{what}: there is no task {unknown[0]!r} in these outcomes")
    return np.array([places[name] for name in names.tolist()], np.int64)


def _by_number(numbers: NDArray[Any], outcomes: Outcomes, what: str) -> NDArray[np.int64]:
    outside = (numbers < 0) | (numbers >= outcomes.n_tasks)
    if outside.any():
        raise ValueError(
            f"{what}: there is no task number {numbers[outside][0]}; these outcomes have tasks"
            f" 0 to {outcomes.n_tasks - 1}"
        )
    return numbers.astype(np.int64)


def _by_features(
    rows: NDArray[Any], tasks: Any, outcomes: Outcomes, embedder: Embedder | None, what: str
) -> Mix:
    from scipy.spatial import cKDTree

    if outcomes.features is None:
        raise ValueError(f"{what} are rows of features, but these outcomes hold no features")
    numbers = same_rows(rows, outcomes.features, by_bytes(outcomes.features))
    if (numbers >= 0).all():
        return Mix.known(numbers)
    if embedder is None:
        raise ValueError(
            f"{what}: row {int(np.argmin(numbers))} is no task of these outcomes; an embedder is"
            " needed to find tasks like it"
        )
    tried = vectors_of(embedder, outcomes.features, "the tasks of the outcomes")
    vectors = vectors_of(embedder, tasks, what)
    mix = near(vectors, cKDTree(tried))
    seen = numbers >= 0
    mix.numbers[seen, 0] = numbers[seen]
    mix.shares[seen] = np.eye(1, mix.shares.shape[1])
    return mix


def by_bytes(features: NDArray[Any]) -> dict[bytes, int]:
    """The number of the first task with these features, as bytes."""
    plain = features + features.dtype.type(0)  # which makes -0.0 the same bytes as 0.0
    return {row.tobytes(): number for number, row in reversed([*enumerate(plain)])}


def same_rows(
    rows: NDArray[Any], features: NDArray[Any], known: Mapping[bytes, int]
) -> NDArray[np.int64]:
    """The number of the task with exactly these features, or -1; `known` is `by_bytes` of them."""
    wanted = rows.astype(features.dtype) + features.dtype.type(0)
    exact = (wanted == rows).all(1)
    found = [
        known.get(row.tobytes(), -1) if same else -1
        for row, same in zip(wanted, exact, strict=True)
    ]
    return np.array(found, np.int64)


def vectors_of(embedder: Embedder, tasks: Any, what: str) -> NDArray[np.float64]:
    """The vectors of tasks, a row each, or one sentence on what is wrong with them."""
    vectors = checks.numbers(embedder.transform(tasks), f"the vectors of {what}")
    if vectors.ndim != 2 or len(vectors) != len(tasks):
        raise ValueError(
            f"the embedder must give {what} a row each; it gave an array of shape {vectors.shape}"
            f" for {len(tasks)} tasks"
        )
    return vectors


def near(vectors: NDArray[np.float64], tried: Any) -> Mix:
    """Tasks with these vectors, in terms of those near them; `tried` is a `cKDTree`."""
    parts = range(1, min(NEIGHBOURS, tried.n) + 1)
    distances, numbers = tried.query(vectors, k=list(parts))
    squares = distances**2
    scale = np.maximum(squares.mean(1, keepdims=True), np.finfo(float).tiny)
    weights = np.exp(-squares / scale)
    return Mix(numbers.astype(np.int64), weights / weights.sum(1, keepdims=True))

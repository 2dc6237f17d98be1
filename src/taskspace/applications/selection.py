"""`select`: which of several tasks is most like a given one, and harder or easier if so wished."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks

if TYPE_CHECKING:
    from taskspace.models.embedding.estimator import TaskEmbedder

# The same task in two rows may come out of the network with lengths that differ by rounding.
ROUNDING = 1e-9


def select(
    embedder: TaskEmbedder,
    reference: ArrayLike,
    options: ArrayLike,
    *,
    k: int | None = None,
    harder: bool = False,
    easier: bool = False,
) -> NDArray[np.int64]:
    """Which options are most like the reference task: their indices, best first, at most `k`.

    Similarity is the inner product of the vectors. With `harder` only options count whose vector
    is longer than the reference's, with `easier` only those with a shorter one; if there is no
    such option, the answer is empty. Tasks are rows of features, or names where the embedder
    knows tasks by their names.

    >>> import taskspace as ts
    >>> env, embedder = ts.make("MultiKeyNav"), ts.load_pretrained("MultiKeyNav")
    >>> reference, *options = env.sample_tasks(50, seed=0)
    >>> best = select(embedder, reference, options, k=3, harder=True)
    >>> embedder.difficulty([options[i] for i in best]) > embedder.difficulty(reference)
    array([ True,  True,  True])
    """
    if harder and easier:
        raise ValueError("no task is both harder and easier; ask for one of the two")
    if not hasattr(embedder, "transform"):
        raise ValueError(f"embedder must be a fitted TaskEmbedder, not {embedder!r}")
    most = None if k is None else checks.whole(k, "k", 1)
    vectors = embedder.transform(_rows(reference, options))
    return best_first(vectors[0], vectors[1:], harder=harder, easier=easier)[:most]


def best_first(
    reference: NDArray[np.float64], vectors: NDArray[np.float64], *, harder: bool, easier: bool
) -> NDArray[np.int64]:
    """The same for vectors: which of them are most like that of the reference.

    >>> best_first(np.array([1.0, 0.0]), np.eye(2) * 2, harder=True, easier=False)
    array([0, 1])
    """
    if harder and easier:
        raise ValueError("no task is both harder and easier; ask for one of the two")
    length, lengths = np.linalg.norm(reference), np.linalg.norm(vectors, axis=1)
    fits = np.ones(len(lengths), np.bool_)
    if harder:
        fits = lengths > length * (1 + ROUNDING)
    elif easier:
        fits = lengths < length * (1 - ROUNDING)
    order = np.argsort(-(vectors @ reference), kind="stable")
    return order[fits[order]]


def _rows(reference: Any, options: Any) -> NDArray[Any]:
    """The reference and then the options, as one table, or as one list of names."""
    if np.asarray(reference).dtype.kind == "U":
        return _names(np.atleast_1d(reference), np.asarray(options))
    task, table = checks.numbers(reference, "reference"), checks.numbers(options, "options")
    if task.ndim == 2 and len(task) == 1:
        task = task[0]
    if task.ndim != 1:
        raise ValueError(f"reference must be one task, not an array of shape {task.shape}")
    if table.ndim != 2 or not len(table):
        raise ValueError(
            "options must be a table with a row for each task, at least one;"
            f" got an array of shape {table.shape}"
        )
    if table.shape[1] != len(task):
        raise ValueError(f"the reference has {len(task)} numbers, the options {table.shape[1]}")
    return np.vstack([task, table])


def _names(reference: NDArray[Any], options: NDArray[Any]) -> NDArray[np.str_]:
    if len(reference) != 1:
        raise ValueError(f"reference must be one task, not {len(reference)}")
    if options.ndim != 1 or options.dtype.kind != "U" or not len(options):
        raise ValueError("options must be a list of names of tasks, as the reference is one")
    return np.concatenate([reference, options])

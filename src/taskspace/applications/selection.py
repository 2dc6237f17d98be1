"""`select`: the tasks that are most similar to a reference task, optionally harder or easier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks

if TYPE_CHECKING:
    from taskspace.models.embedding.estimator import TaskEmbedder

ROUNDING = 1e-9  # relative; lengths of equal tasks may differ by rounding in the network
BOTH = "only one of harder and easier can be True, got both"


def select(
    embedder: TaskEmbedder,
    reference: ArrayLike,
    options: ArrayLike,
    *,
    k: int | None = None,
    harder: bool = False,
    easier: bool = False,
) -> NDArray[np.int64]:
    """Select the options that are most similar to a reference task.

    Similarity is the inner product of the vectors, and the longer a vector, the harder the task.

    Args:
        embedder: A fitted map of the tasks.
        reference: The reference task: a row of features, or a name if the embedder was fitted
            without features.
        options: The tasks to choose from, in the same form.
        k: The largest number of tasks to select; all by default.
        harder: Whether to select only tasks that are harder than the reference.
        easier: Whether to select only tasks that are easier than the reference.

    Returns:
        The indices of the selected options, most similar first. The array is empty if no option is
        harder or easier.

    Raises:
        ValueError: If both `harder` and `easier` are set, or if an argument has the wrong form.

    >>> import taskspace as ts
    >>> env, embedder = ts.make("MultiKeyNav"), ts.load_pretrained("MultiKeyNav")
    >>> reference, *options = env.sample_tasks(50, seed=0)
    >>> best = select(embedder, reference, options, k=3, harder=True)
    >>> embedder.difficulty([options[i] for i in best]) > embedder.difficulty(reference)
    array([ True,  True,  True])
    """
    if harder and easier:
        raise ValueError(BOTH)
    if not hasattr(embedder, "transform"):
        raise ValueError(f"embedder must be a fitted TaskEmbedder, got {embedder!r}")
    most = None if k is None else checks.whole(k, "k", 1)
    vectors = embedder.transform(_rows(reference, options))
    return best_first(vectors[0], vectors[1:], harder=harder, easier=easier)[:most]


def best_first(
    reference: NDArray[np.float64], vectors: NDArray[np.float64], *, harder: bool, easier: bool
) -> NDArray[np.int64]:
    """Order vectors by their similarity to a reference vector, most similar first.

    >>> best_first(np.array([1.0, 0.0]), np.eye(2) * 2, harder=True, easier=False)
    array([0, 1])
    """
    if harder and easier:
        raise ValueError(BOTH)
    length, lengths = np.linalg.norm(reference), np.linalg.norm(vectors, axis=1)
    fits = np.ones(len(lengths), np.bool_)
    if harder:
        fits = lengths > length * (1 + ROUNDING)
    elif easier:
        fits = lengths < length * (1 - ROUNDING)
    order = np.argsort(-(vectors @ reference), kind="stable")
    return order[fits[order]]


def _rows(reference: Any, options: Any) -> NDArray[Any]:
    """The reference and the options, in this order, as one table or one list of names."""
    if np.asarray(reference).dtype.kind == "U":
        return _names(np.atleast_1d(reference), np.asarray(options))
    task, table = checks.numbers(reference, "reference"), checks.numbers(options, "options")
    if task.ndim == 2 and len(task) == 1:
        task = task[0]
    if task.ndim != 1:
        raise ValueError(f"reference must be one task, got an array of shape {task.shape}")
    if table.ndim != 2 or not len(table):
        raise ValueError(
            "options must be a table with one row per task and at least one task,"
            f" got an array of shape {table.shape}"
        )
    if table.shape[1] != len(task):
        raise ValueError(
            f"options must have {len(task)} features like the reference, got {table.shape[1]}"
        )
    return np.vstack([task, table])


def _names(reference: NDArray[Any], options: NDArray[Any]) -> NDArray[np.str_]:
    if len(reference) != 1:
        raise ValueError(f"reference must be one task, got {len(reference)}")
    if options.ndim != 1 or options.dtype.kind != "U" or not len(options):
        raise ValueError(
            "options must be a list of task names like the reference,"
            f" got an array of shape {options.shape} and type {options.dtype}"
        )
    return np.concatenate([reference, options])

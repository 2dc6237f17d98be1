"""`TaskIndex`: finds the most similar and the hardest of many tasks in milliseconds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.applications.selection import fits
from taskspace.applications.task_mixtures import check_embedder

if TYPE_CHECKING:
    from taskspace.models.embedding.base import Embedding

_BLOCK = 1024  # tasks per block; the search first compares the best score of each block


class TaskIndex:
    """Index of the vectors of many tasks, for fast searches.

    `similar` is exact: every inner product is computed, in single precision.

    Args:
        vectors: The vectors of the tasks (tasks, dimensions).
        names: The names of the tasks; "0", "1" and so on by default.
        difficulty: The difficulty of each task; by default the length of its vector, as in the
            paper's maps.

    Attributes:
        vectors: The vectors in single precision.
        difficulty: The difficulty of each task.
        names: The names of the tasks.

    Raises:
        ValueError: If `vectors` is not a table of finite numbers with at least one row, or if the
            number of names or of difficulties differs from the number of tasks.

    >>> vectors, names = [[1.0, 0.0], [3.0, 0.0], [0.0, 2.0]], ["a", "b", "c"]
    >>> index = TaskIndex(vectors, names, difficulty=[0.9, 0.2, 0.5])
    >>> index.similar([1.0, 0.5], k=2)
    (array([1, 0]), array([3., 1.], dtype=float32))
    >>> index.similar([1.0, 0.5], k=2, harder_than=0.4)
    (array([0, 2]), array([1., 1.], dtype=float32))
    >>> index.names[index.hardest(k=1)]
    array(['a'], dtype='<U1')
    """

    def __init__(
        self,
        vectors: ArrayLike,
        names: Sequence[str] | NDArray[np.str_] | None = None,
        *,
        difficulty: ArrayLike | None = None,
    ) -> None:
        table = checks.numbers(vectors, "vectors")
        if table.ndim != 2 or not table.size:
            raise ValueError(
                "vectors must be a table with one row per task and at least one task,"
                f" got an array of shape {table.shape}"
            )
        # Column by column, BLAS reads them about twice as fast as row by row.
        self.vectors = np.asfortranarray(checks.single(table, "vectors"))
        if difficulty is None:
            difficulty = np.linalg.norm(table, axis=1)
        self.difficulty = checks.numbers(difficulty, "difficulty")
        if self.difficulty.shape != (len(table),):
            raise ValueError(
                f"difficulty must be one number per task, got {self.difficulty.size} numbers for"
                f" {len(table)} tasks"
            )
        self.names = np.arange(len(table)).astype(np.str_) if names is None else np.asarray(names)
        if self.names.shape != (len(table),):
            raise ValueError(
                f"names must be one per task, got {self.names.size} names for {len(table)} tasks"
            )

    @classmethod
    def of(
        cls, embedder: Embedding, tasks: Any, names: Sequence[str] | NDArray[np.str_] | None = None
    ) -> TaskIndex:
        """Embed tasks and build their index.

        Args:
            embedder: A fitted map of the tasks.
            tasks: The tasks, as the embedder takes them.
            names: The names of the tasks; "0", "1" and so on by default.

        Returns:
            The index of these tasks.

        Raises:
            ValueError: If `embedder` is not a map, or if the tasks have the wrong form.
        """
        check_embedder(embedder)
        return cls(
            np.asarray(embedder.transform(tasks)), names, difficulty=embedder.difficulty(tasks)
        )

    def __len__(self) -> int:
        return len(self.vectors)

    def similar(
        self,
        vector: ArrayLike,
        k: int = 10,
        *,
        harder_than: float | None = None,
        easier_than: float | None = None,
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Find the tasks that are most similar to the task with a given vector.

        Args:
            vector: The vector of the reference task.
            k: The largest number of tasks to return.
            harder_than: Search only tasks with a higher difficulty than this.
            easier_than: Search only tasks with a lower difficulty than this.

        Returns:
            The indices of the tasks, most similar first, and their similarities. There are fewer
            than `k` if too few tasks are hard or easy enough.

        Raises:
            ValueError: If `vector` or `k` is invalid.
        """
        most = checks.whole(k, "k", 1)
        given = checks.single(checks.numbers(vector, "vector"), "vector")
        bounds = {"harder_than": harder_than, "easier_than": easier_than}
        for name, bound in bounds.items():
            if bound is not None:
                checks.number(bound, name)
        if given.shape != self.vectors.shape[1:]:
            raise ValueError(
                f"vector must have {self.vectors.shape[1]} numbers,"
                f" got an array of shape {given.shape}"
            )
        scores = self.vectors @ given
        scores[~fits(self.difficulty, harder_than, easier_than)] = -np.inf
        found = largest(scores, most)
        found = found[scores[found] > -np.inf]
        return found, scores[found]

    def hardest(self, k: int = 10) -> NDArray[np.int64]:
        """Find the tasks with the highest difficulties.

        Args:
            k: The largest number of tasks to return.

        Returns:
            The indices of the tasks, hardest first.

        Raises:
            ValueError: If `k` is not a positive integer.
        """
        return largest(self.difficulty, checks.whole(k, "k", 1))


def largest(scores: NDArray[np.floating], k: int) -> NDArray[np.int64]:
    """Indices of the `k` largest scores in descending order; ties keep their original order.

    The k largest scores lie in the k blocks with the largest maxima, so only these are sorted.

    >>> largest(np.array([1.0, 5.0, 2.0, 5.0], np.float32), 3)
    array([1, 3, 2])
    """
    whole = len(scores) // _BLOCK * _BLOCK
    blocks = scores[:whole].reshape(-1, _BLOCK)
    if len(blocks) <= k:
        candidates = np.arange(len(scores))
    else:
        # All blocks that reach the k-th largest maximum, so that no tie is lost.
        maxima = blocks.max(1)
        bound = np.partition(maxima, len(maxima) - k)[len(maxima) - k]
        chosen = np.flatnonzero(maxima >= bound)
        candidates = (chosen[:, None] * _BLOCK + np.arange(_BLOCK)).ravel()
        candidates = np.concatenate([candidates, np.arange(whole, len(scores))])
        candidates = candidates[scores[candidates] >= bound]
    order = np.argsort(-scores[candidates], kind="stable")[:k]
    found: NDArray[np.int64] = candidates[order]
    return found

"""`TaskIndex`: the most similar and the hardest of many tasks, found in milliseconds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.applications.selection import ROUNDING

if TYPE_CHECKING:
    from taskspace.models.embedding.base import Embedding

_BLOCK = 1024  # tasks, of which only the best one is looked at first


class TaskIndex:
    """Vectors of many tasks, made once, to ask about again and again.

    `similar` is exact: every inner product is computed, in single precision.

    >>> index = TaskIndex([[1.0, 0.0], [3.0, 0.0], [0.0, 2.0]], names=["a", "b", "c"])
    >>> index.similar([1.0, 0.5], k=2)
    (array([1, 0]), array([3., 1.], dtype=float32))
    >>> index.names[index.hardest(k=1)]
    array(['b'], dtype='<U1')
    """

    def __init__(
        self, vectors: ArrayLike, names: Sequence[str] | NDArray[np.str_] | None = None
    ) -> None:
        table = checks.numbers(vectors, "vectors")
        if table.ndim != 2 or not table.size:
            raise ValueError(
                "vectors must be a table with a row for each task, at least one;"
                f" got an array of shape {table.shape}"
            )
        # Column by column, BLAS reads them about twice as fast as row by row.
        self.vectors = np.asfortranarray(table, np.float32)
        self.lengths = np.linalg.norm(self.vectors, axis=1)
        self.names = np.arange(len(table)).astype(np.str_) if names is None else np.asarray(names)
        if self.names.shape != (len(table),):
            raise ValueError(f"{self.names.size} names for {len(table)} tasks")

    @classmethod
    def of(
        cls, embedder: Embedding, tasks: Any, names: Sequence[str] | NDArray[np.str_] | None = None
    ) -> TaskIndex:
        """The index of these tasks, embedded here."""
        return cls(embedder.transform(tasks), names)

    def __len__(self) -> int:
        return len(self.vectors)

    def similar(
        self, vector: ArrayLike, k: int = 10, *, harder: bool = False, easier: bool = False
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The `k` tasks most like the one with this vector, best first, and their similarities.

        Only those with longer vectors count with `harder`, only those with shorter ones with
        `easier`; there may be fewer than `k`.
        """
        if harder and easier:
            raise ValueError("no task is both harder and easier; ask for one of the two")
        most = checks.whole(k, "k", 1)
        given = checks.numbers(vector, "vector").astype(np.float32)
        if given.shape != self.vectors.shape[1:]:
            raise ValueError(
                f"vector must hold {self.vectors.shape[1]} numbers, not an array of {given.shape}"
            )
        scores = self.vectors @ given
        length = float(np.linalg.norm(given))
        if harder:
            scores[self.lengths <= length * (1 + ROUNDING)] = -np.inf
        elif easier:
            scores[self.lengths >= length * (1 - ROUNDING)] = -np.inf
        found = largest(scores, most)
        found = found[scores[found] > -np.inf]
        return found, scores[found]

    def hardest(self, k: int = 10) -> NDArray[np.int64]:
        """The `k` tasks with the longest vectors, the hardest first."""
        return largest(self.lengths, checks.whole(k, "k", 1))


def largest(scores: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    """Where the `k` largest scores are, in falling order; of equal ones the first comes first.

    The k largest lie in the k blocks with the largest maxima, so that only these are sorted.

    >>> largest(np.array([1.0, 5.0, 2.0, 5.0], np.float32), 3)
    array([1, 3, 2])
    """
    whole = len(scores) // _BLOCK * _BLOCK
    blocks = scores[:whole].reshape(-1, _BLOCK)
    if len(blocks) <= k:
        candidates = np.arange(len(scores))
    else:
        # The k-th largest maximum; every block that reaches it, for the sake of equal scores.
        maxima = blocks.max(1)
        bound = np.partition(maxima, len(maxima) - k)[len(maxima) - k]
        chosen = np.flatnonzero(maxima >= bound)
        candidates = (chosen[:, None] * _BLOCK + np.arange(_BLOCK)).ravel()
        candidates = np.concatenate([candidates, np.arange(whole, len(scores))])
        candidates = candidates[scores[candidates] >= bound]
    order = np.argsort(-scores[candidates], kind="stable")[:k]
    found: NDArray[np.int64] = candidates[order]
    return found

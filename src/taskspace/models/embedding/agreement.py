"""Do two maps tell the same story? For embedders that differ in their seeds, say."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.models.embedding.axes import best_rotation, unit

PAIRS = 100_000  # of tasks that are compared at the most


class Embedder(Protocol):
    """Anything that gives tasks vectors."""

    def transform(self, tasks: Any, /) -> ArrayLike:
        """A row for each task."""


def agreement(first: Embedder, second: Embedder, tasks: Any) -> dict[str, float]:
    """How far two embedders agree on these tasks; 1 is the most everywhere.

    `similarity` and `difficulty` are rank correlations (Spearman's) of what the two say about
    pairs of tasks (a sample where they are many) and about tasks. `cosine` is the mean cosine
    between a task's two vectors as they are: whether two pictures would look alike, which the
    canonical axes of `TaskEmbedder` are for. `best_cosine` is that after the best rotation.

    >>> import numpy as np, taskspace as ts
    >>> rng = np.random.default_rng(0)
    >>> skills, levels = rng.uniform(size=(30, 2)), rng.uniform(size=(60, 2))
    >>> outcomes = ts.Outcomes(5 * np.all(skills[:, None] > levels, axis=2), 5)
    >>> one, other = (
    ...     ts.TaskEmbedder(2, steps=250, random_state=seed).fit(outcomes) for seed in (0, 1)
    ... )
    >>> found = agreement(one, other, outcomes.tasks)
    >>> found["similarity"] > 0.9 and found["best_cosine"] > 0.9
    True
    """
    a, b = first.transform(tasks), second.transform(tasks)
    return compare_vectors(a, b, np.random.default_rng(0))


def compare_vectors(a: ArrayLike, b: ArrayLike, rng: np.random.Generator) -> dict[str, float]:
    """The same for two sets of vectors, row by row of the same tasks.

    They may differ in their dimensions. A rank correlation is NaN where one side sees no
    differences, and a vector of length 0 has cosine 0 with all.

    >>> rng = np.random.default_rng(0)
    >>> a = rng.normal(size=(50, 2)) + [3, 1]
    >>> quarter = np.array([[0.0, 1.0], [-1.0, 0.0]])
    >>> {name: round(value, 6) for name, value in compare_vectors(a, a @ quarter, rng).items()}
    {'similarity': 1.0, 'difficulty': 1.0, 'cosine': 0.0, 'best_cosine': 1.0}
    """
    one, other = _of_one_size(_table(a), _table(b))
    i, j = _some_pairs(len(one), rng)
    return {
        "similarity": _rank_correlation((one[i] * one[j]).sum(1), (other[i] * other[j]).sum(1)),
        "difficulty": _rank_correlation(np.linalg.norm(one, axis=1), np.linalg.norm(other, axis=1)),
        "cosine": _mean_cosine(one, other),
        "best_cosine": _mean_cosine(one @ best_rotation(one, other), other),
    }


def _table(vectors: ArrayLike) -> NDArray[np.float64]:
    table = checks.numbers(vectors, "vectors")
    if table.ndim != 2 or len(table) < 3:
        raise ValueError(f"expected vectors of at least 3 tasks, not an array {table.shape}")
    return table


def _of_one_size(a: NDArray[np.float64], b: NDArray[np.float64]) -> Any:
    """Both with as many columns: 0 in those that one has not."""
    if len(a) != len(b):
        raise ValueError(f"expected vectors of the same tasks; there are {len(a)} and {len(b)}")
    size = max(a.shape[1], b.shape[1])
    return (np.pad(v, ((0, 0), (0, size - v.shape[1]))) for v in (a, b))


def _some_pairs(n: int, rng: np.random.Generator) -> Any:
    """All pairs of different tasks, or a sample of them."""
    if n * (n - 1) // 2 <= PAIRS:
        return np.triu_indices(n, 1)
    i = rng.integers(0, n, PAIRS)
    return i, (i + rng.integers(1, n, PAIRS)) % n


def _rank_correlation(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    from scipy.stats import rankdata

    ranks = [rankdata(values) for values in (a, b)]
    if min(np.ptp(r) for r in ranks) == 0:
        return float("nan")
    return float(np.corrcoef(*ranks)[0, 1])


def _mean_cosine(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    return float((unit(a) * unit(b)).sum(1).mean())

"""Agreement of two maps, e.g. of embedders that were fitted with different seeds."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.models.embedding.axes import best_rotation
from taskspace.models.embedding.spectral import unit

PAIRS = 100_000  # pairs of tasks that are compared at most


class Embedder(Protocol):
    """Anything that maps tasks to vectors and knows their difficulty."""

    def transform(self, tasks: Any, /) -> ArrayLike:
        """One row per task."""

    def difficulty(self, tasks: Any, /) -> NDArray[np.float64]:
        """One number per task."""


def agreement(first: Embedder, second: Embedder, tasks: Any) -> dict[str, float]:
    """Measure how well two embedders agree on tasks.

    Args:
        first: A fitted embedder.
        second: Another fitted embedder, which may have other dimensions.
        tasks: The tasks, at least three.

    Returns:
        A dictionary of four measures, of which 1 is the best. `similarity` and `difficulty` are
        Spearman's rank correlations of the similarities of pairs of tasks (a sample if there are
        many) and of the difficulties. `cosine` is the mean cosine between the two vectors of a
        task, which shows whether two plots look the same; the canonical axes of both types of maps
        serve this purpose. `best_cosine` is the mean cosine after the best rotation.

    Raises:
        ValueError: If there are fewer than three tasks, or if an embedder is not one.

    >>> import numpy as np, taskspace as ts
    >>> rng = np.random.default_rng(0)
    >>> skills, levels = rng.uniform(size=(30, 2)), rng.uniform(size=(60, 2))
    >>> outcomes = ts.Outcomes(5 * np.all(skills[:, None] > levels, axis=2), 5)
    >>> one, other = (
    ...     ts.OrdinalEmbedder(2, steps=250, random_state=seed).fit(outcomes) for seed in (0, 1)
    ... )
    >>> found = agreement(one, other, outcomes.tasks)
    >>> found["similarity"] > 0.9 and found["best_cosine"] > 0.9
    True
    """
    for what, embedder in (("first", first), ("second", second)):
        if not (hasattr(embedder, "transform") and hasattr(embedder, "difficulty")):
            raise ValueError(f"{what} must be a fitted embedder, got {checks.brief(embedder)}")
    a, b = (np.asarray(each.transform(tasks)) for each in (first, second))
    difficulties = first.difficulty(tasks), second.difficulty(tasks)
    found = compare_vectors(a, b, np.random.default_rng(0))
    return {"difficulty": rank_correlation(*difficulties), **found}


def compare_vectors(a: ArrayLike, b: ArrayLike, rng: np.random.Generator) -> dict[str, float]:
    """The measures of `agreement`, except difficulty, for two tables of vectors of the same tasks.

    The tables may differ in their dimensions. A rank correlation is NaN if all values of one side
    are equal, and the cosine with a vector of length 0 is 0.

    >>> rng = np.random.default_rng(0)
    >>> a = rng.normal(size=(50, 2)) + [3, 1]
    >>> quarter = np.array([[0.0, 1.0], [-1.0, 0.0]])
    >>> {name: round(value, 6) for name, value in compare_vectors(a, a @ quarter, rng).items()}
    {'similarity': 1.0, 'cosine': 0.0, 'best_cosine': 1.0}
    """
    one, other = _of_one_size(_table(a), _table(b))
    i, j = _some_pairs(len(one), rng)
    return {
        "similarity": rank_correlation((one[i] * one[j]).sum(1), (other[i] * other[j]).sum(1)),
        "cosine": _mean_cosine(one, other),
        "best_cosine": _mean_cosine(one @ best_rotation(one, other), other),
    }


def _table(vectors: ArrayLike) -> NDArray[np.float64]:
    table = checks.numbers(vectors, "vectors")
    if table.ndim != 2 or len(table) < 3:
        raise ValueError(
            "vectors must be a table with one row per task and at least 3 tasks,"
            f" got an array of shape {table.shape}"
        )
    return table


def _of_one_size(a: NDArray[np.float64], b: NDArray[np.float64]) -> Any:
    """Pad the narrower table with columns of 0."""
    if len(a) != len(b):
        raise ValueError(f"vectors must be of the same tasks, got {len(a)} and {len(b)} rows")
    size = max(a.shape[1], b.shape[1])
    return (np.pad(v, ((0, 0), (0, size - v.shape[1]))) for v in (a, b))


def _some_pairs(n: int, rng: np.random.Generator) -> Any:
    """All pairs of different tasks, or a random sample of PAIRS pairs."""
    if n * (n - 1) // 2 <= PAIRS:
        return np.triu_indices(n, 1)
    i = rng.integers(0, n, PAIRS)
    return i, (i + rng.integers(1, n, PAIRS)) % n


def rank_correlation(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Spearman's correlation; NaN, without a warning of SciPy, if one of the two is constant."""
    from scipy.stats import rankdata

    ranks = [rankdata(values) for values in (a, b)]
    if min(np.ptp(r) for r in ranks) == 0:
        return float("nan")
    return float(np.corrcoef(*ranks)[0, 1])


def _mean_cosine(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    return float((unit(a) * unit(b)).sum(1).mean())

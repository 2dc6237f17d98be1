"""Exact search among vectors, against sorting everything."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.applications.search import TaskIndex, largest


@pytest.mark.parametrize("count", [1, 7, 1024, 5000, 20_000])
@pytest.mark.parametrize("k", [1, 3, 50])
def test_the_largest_are_those_of_a_full_sort(count: int, k: int) -> None:
    rng = np.random.default_rng(count)
    for scores in (
        rng.standard_normal(count).astype(np.float32),
        rng.integers(0, 5, count).astype(np.float32),  # many equal ones: the first come first
        np.full(count, -np.inf, np.float32),
    ):
        expected = np.argsort(-scores, kind="stable")[:k]
        np.testing.assert_array_equal(largest(scores, k), expected)


def test_similar_tasks_are_those_with_the_largest_inner_products() -> None:
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((4000, 5)).astype(np.float32)
    index = TaskIndex(vectors)
    found, scores = index.similar(vectors[7], k=6)
    expected = np.argsort(-(vectors @ vectors[7]))[:6]
    assert set(found) == set(expected)
    assert (np.diff(scores) <= 0).all()


@pytest.mark.parametrize("harder", [True, False])
def test_harder_and_easier_ones(harder: bool) -> None:
    index = TaskIndex([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [0.5, 0.0]], names=list("abcd"))
    found, _ = index.similar([2.0, 0.0], k=3, harder=harder, easier=not harder)
    assert index.names[found].tolist() == (["c"] if harder else ["a", "d"])


def test_the_hardest() -> None:
    assert TaskIndex([[1.0], [-3.0], [2.0]]).hardest(k=2).tolist() == [1, 2]


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="at least one"):
        TaskIndex(np.zeros((0, 2)))
    with pytest.raises(ValueError, match="names"):
        TaskIndex([[1.0]], names=["a", "b"])
    index = TaskIndex([[1.0, 2.0]])
    with pytest.raises(ValueError, match=r"vector.*2"):
        index.similar([1.0])
    with pytest.raises(ValueError, match="both harder and easier"):
        index.similar([1.0, 2.0], harder=True, easier=True)
    with pytest.raises(ValueError, match=r"^k "):
        index.similar([1.0, 2.0], k=0)

"""Exact search among vectors, against sorting everything."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.applications.search import TaskIndex, largest
from tests.messages import says


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


def test_harder_and_easier_ones() -> None:
    index = TaskIndex(
        [[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [0.5, 0.0]], list("abcd"), difficulty=[4, 1, 2, 3]
    )

    def found(**wish: float) -> list[str]:
        return index.names[index.similar([2.0, 0.0], k=3, **wish)[0]].tolist()  # type: ignore[arg-type]

    assert found() == ["c", "b", "a"]
    assert found(harder_than=1) == ["c", "a", "d"]
    assert found(easier_than=4) == ["c", "b", "d"]
    assert found(harder_than=1, easier_than=3) == ["c"]
    assert found(harder_than=4) == []


def test_the_hardest() -> None:
    vectors = [[1.0], [-3.0], [2.0]]
    assert TaskIndex(vectors).hardest(k=2).tolist() == [1, 2]  # by length
    assert TaskIndex(vectors, difficulty=[0.9, 0.1, 0.5]).hardest(k=2).tolist() == [0, 2]


@pytest.mark.parametrize("kind", [ts.OrdinalEmbedder, ts.TaskEmbedder])
def test_the_index_of_a_map_has_its_vectors_and_difficulties(kind: Any) -> None:
    solved = np.random.default_rng(0).normal(size=(40, 1)) > np.linspace(-1, 1, 12)
    options = {"steps": 20} if kind is ts.OrdinalEmbedder else {}
    embedder = kind(2, random_state=0, **options).fit(ts.Outcomes(1 * solved, np.array(1)))
    names = ["task-3", "task-7", "task-0"]
    index = TaskIndex.of(embedder, names, ["x", "y", "z"])
    np.testing.assert_allclose(index.vectors, embedder.transform(names), rtol=1e-6)
    np.testing.assert_array_equal(index.difficulty, embedder.difficulty(names))
    assert index.names.tolist() == ["x", "y", "z"]
    assert len(index) == 3


def test_bad_input() -> None:
    with pytest.raises(ValueError, match=says("vectors (0, 2)")):
        TaskIndex(np.zeros((0, 2)))
    with pytest.raises(ValueError, match=says("names 2 1")):
        TaskIndex([[1.0]], names=["a", "b"])
    with pytest.raises(ValueError, match=says("difficulty 2 1")):
        TaskIndex([[1.0]], difficulty=[1, 2])
    with pytest.raises(ValueError, match=says("difficulty finite")):
        TaskIndex([[1.0]], difficulty=[np.nan])
    index = TaskIndex([[1.0, 2.0]])
    with pytest.raises(ValueError, match=says("vector 2 (1,)")):
        index.similar([1.0])
    with pytest.raises(ValueError, match=says("k 0")):
        index.similar([1.0, 2.0], k=0)

"""Agreement of two maps: closed forms, what it must not depend on, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

from taskspace.models.embedding.agreement import PAIRS, agreement, compare_vectors
from tests.messages import says


def compare(a: Any, b: Any) -> dict[str, float]:
    return compare_vectors(a, b, np.random.default_rng(0))


def some_vectors(n: int = 80, size: int = 3, seed: int = 0) -> Any:
    return np.random.default_rng(seed).gamma(2.0, size=(n, size)) * np.arange(1, size + 1)


def some_rotation(size: int) -> Any:
    return np.linalg.qr(np.random.default_rng(5).normal(size=(size, size)))[0]


def test_a_rotated_and_stretched_map_is_the_same_map() -> None:
    vectors = some_vectors()
    rotation = some_rotation(3)
    found = compare(vectors, 7 * vectors @ rotation)
    assert list(found) == ["similarity", "cosine", "best_cosine"]
    directions = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    as_they_are = float((directions * (directions @ rotation)).sum(1).mean())
    assert list(found.values()) == pytest.approx([1.0, as_they_are, 1.0])
    assert as_they_are < 0.9


def test_a_dimension_of_zeros_changes_nothing() -> None:
    vectors = some_vectors()
    wider = np.column_stack([vectors, np.zeros(80)])
    assert list(compare(vectors, wider).values()) == pytest.approx([1.0] * 3)


def test_the_rank_correlation_is_that_of_all_pairs() -> None:
    a, b = some_vectors(), some_vectors(seed=1)
    pairs = np.triu_indices(80, 1)
    found = compare(a, b)
    expected = spearmanr((a @ a.T)[pairs], (b @ b.T)[pairs]).statistic
    assert found["similarity"] == pytest.approx(expected)


def test_many_tasks_are_compared_by_a_sample() -> None:
    a, b = some_vectors(600, 2), some_vectors(600, 2) + some_vectors(600, 2, seed=1)
    pairs = np.triu_indices(600, 1)
    assert len(pairs[0]) > PAIRS
    found = compare(a, b)
    expected = spearmanr((a @ a.T)[pairs], (b @ b.T)[pairs]).statistic
    assert found["similarity"] == pytest.approx(expected, abs=0.01)
    assert found == compare(a, b)


def test_unrelated_maps_do_not_agree() -> None:
    rng = np.random.default_rng(0)
    found = compare(rng.normal(size=(500, 3)), rng.normal(size=(500, 3)))
    assert max(abs(value) for value in found.values()) < 0.15


def test_maps_that_tell_nothing_have_no_rank_correlation() -> None:
    found = compare(np.ones((10, 2)), some_vectors(10, 2))
    assert np.isnan(found["similarity"])
    assert compare(np.zeros((10, 2)), some_vectors(10, 2))["cosine"] == 0


class Known:
    """A map of tasks that are numbers, with vectors and difficulties of its own."""

    def __init__(self, vectors: Any, difficulty: Any) -> None:
        self.vectors, self.hard = vectors, np.asarray(difficulty, np.float64)

    def transform(self, tasks: Any) -> Any:
        return self.vectors[tasks]

    def difficulty(self, tasks: Any) -> Any:
        return self.hard[tasks]


def test_embedders_are_compared_on_tasks() -> None:
    rng, tasks = np.random.default_rng(0), np.arange(50)
    one = Known(some_vectors(), rng.random(80))
    other = Known(some_vectors(seed=1), rng.random(80))
    assert list(agreement(one, one, tasks).values()) == pytest.approx([1.0] * 4)
    found = agreement(one, other, tasks)
    order = spearmanr(one.hard[tasks], other.hard[tasks]).statistic
    assert found.pop("difficulty") == pytest.approx(order)  # not that of the lengths
    assert found == compare(one.vectors[tasks], other.vectors[tasks])
    assert found["similarity"] < 0.9


def test_equal_difficulties_have_no_rank_correlation() -> None:
    flat = Known(some_vectors(), np.ones(80))
    assert np.isnan(agreement(flat, flat, np.arange(80))["difficulty"])


@pytest.mark.parametrize(
    ("a", "b", "tokens"),
    [
        (np.ones((4, 2)), np.ones((5, 2)), "vectors 4 5"),
        (np.ones((2, 2)), np.ones((2, 2)), "vectors 3 (2, 2)"),
        (np.ones(4), np.ones(4), "vectors 3 (4,)"),
        (np.full((4, 2), np.nan), np.ones((4, 2)), "vectors finite"),
    ],
)
def test_bad_vectors_are_refused(a: Any, b: Any, tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        compare(a, b)


def test_what_is_no_embedder_is_refused() -> None:
    known, nothing = Known(some_vectors(), np.ones(80)), None
    with pytest.raises(ValueError, match=says("first None")):
        agreement(nothing, known, np.arange(80))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=says("second None")):
        agreement(known, nothing, np.arange(80))  # type: ignore[arg-type]

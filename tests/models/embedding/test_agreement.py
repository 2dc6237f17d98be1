"""Agreement of two maps: closed forms, what it must not depend on, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

import taskspace as ts
from taskspace.models.embedding.agreement import PAIRS, agreement, compare_vectors
from taskspace.models.embedding.random_model import RandomModel
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
    assert list(found) == ["similarity", "difficulty", "cosine", "best_cosine"]
    directions = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    as_they_are = float((directions * (directions @ rotation)).sum(1).mean())
    assert list(found.values()) == pytest.approx([1.0, 1.0, as_they_are, 1.0])
    assert as_they_are < 0.9


def test_a_dimension_of_zeros_changes_nothing() -> None:
    vectors = some_vectors()
    wider = np.column_stack([vectors, np.zeros(80)])
    assert list(compare(vectors, wider).values()) == pytest.approx([1.0] * 4)


def test_rank_correlations_are_those_of_all_pairs_and_lengths() -> None:
    a, b = some_vectors(), some_vectors(seed=1)
    pairs = np.triu_indices(80, 1)
    found = compare(a, b)
    expected = spearmanr((a @ a.T)[pairs], (b @ b.T)[pairs]).statistic
    assert found["similarity"] == pytest.approx(expected)
    lengths = (np.sqrt((v**2).sum(1)) for v in (a, b))
    assert found["difficulty"] == pytest.approx(spearmanr(*lengths).statistic)


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
    assert np.isnan(found["difficulty"])
    assert compare(np.zeros((10, 2)), some_vectors(10, 2))["cosine"] == 0


def test_embedders_are_compared_on_tasks() -> None:
    tasks = ts.make("MultiKeyNav").sample_tasks(100, seed=0)
    one, other = (RandomModel(4, random_state=seed).fit(tasks) for seed in (0, 1))
    assert list(agreement(one, one, tasks).values()) == pytest.approx([1.0] * 4)
    found = agreement(one, other, tasks)
    assert found == compare(one.transform(tasks), other.transform(tasks))
    assert found["similarity"] < 0.9


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

"""Eigenvectors of similarities: known matrices, signs, and numbers of dimensions."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from taskspace.models.embedding.spectral import (
    ENOUGH,
    canonical_rotation,
    eigen,
    enough_dimensions,
    kept,
)


def test_eigenvalues_are_sorted_and_only_positive_ones_count() -> None:
    values, vectors = eigen(np.diag([2.0, -7.0, 5.0, 0.0]))
    np.testing.assert_allclose(values, [5, 2])
    np.testing.assert_allclose(vectors, [[0, 1], [0, 0], [1, 0], [0, 0]], atol=1e-12)


def test_a_gram_matrix_is_found_again() -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(30, 4))
    values, vectors = eigen(points @ points.T)
    assert len(values) == 4
    np.testing.assert_allclose((vectors * values) @ vectors.T, points @ points.T, atol=1e-9)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(4), atol=1e-12)


def skills(rng: np.random.Generator, tasks: int = 60) -> NDArray[np.float64]:
    """Vectors of tasks that need one of three skills, and others only a little."""
    own = rng.integers(0, 3, tasks)
    return np.eye(3)[own] * rng.uniform(0.5, [1.0, 1.5, 2.0], (tasks, 3)) + rng.normal(
        0, 0.03, (tasks, 3)
    )


def test_the_rotation_is_orthogonal_and_finds_the_skills_again() -> None:
    rng = np.random.default_rng(1)
    vectors = skills(rng)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    rotation = canonical_rotation(vectors @ turn)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-9)
    found = vectors @ turn @ rotation
    assert (np.diff((found**2).sum(0)) < 0).all()
    assert ((found**3).sum(0) > 0).all()
    order = np.argsort(-(vectors**2).sum(0))
    np.testing.assert_allclose(found, vectors[:, order], atol=0.1)


def test_the_axes_do_not_depend_on_the_order_of_the_tasks_or_on_a_rotation() -> None:
    rng = np.random.default_rng(2)
    vectors, order = skills(rng), rng.permutation(60)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    one, other = vectors, vectors[order] @ turn
    one, other = one @ canonical_rotation(one), other @ canonical_rotation(other)
    np.testing.assert_allclose(other, one[order], atol=1e-3)


def test_similarities_without_a_positive_eigenvalue_have_no_axes() -> None:
    for matrix in (np.zeros((3, 3)), -np.eye(3), 1e-15 * np.eye(3)):  # the last is rounding
        values, vectors = eigen(matrix)
        assert (len(values), vectors.shape) == (0, (3, 0))


def test_single_precision_is_decomposed_in_double() -> None:
    values, vectors = eigen(np.eye(2, dtype=np.float32))
    assert values.dtype == vectors.dtype == np.float64


@pytest.mark.parametrize(("size", "fraction"), [(0, 0.0), (1, 0.5), (2, 0.8), (3, 1.0), (9, 1.0)])
def test_what_is_kept_is_a_fraction_of_the_sum(size: int, fraction: float) -> None:
    assert kept(np.array([5.0, 3.0, 2.0]), size) == pytest.approx(fraction)


def test_of_nothing_everything_is_kept() -> None:
    assert kept(np.zeros(0), 1) == kept(np.zeros(3), 1) == 1.0


@pytest.mark.parametrize(("fraction", "size"), [(0.1, 1), (0.5, 1), (0.51, 2), (0.8, 2), (1.0, 3)])
def test_enough_dimensions_are_the_fewest_that_keep_the_fraction(
    fraction: float, size: int
) -> None:
    assert enough_dimensions(np.array([5.0, 3.0, 2.0]), fraction) == size


def test_enough_is_at_least_one() -> None:
    assert enough_dimensions(np.zeros(0)) == enough_dimensions(np.zeros(2)) == 1
    values = np.full(100, 1.0)
    assert enough_dimensions(values) == round(100 * ENOUGH)

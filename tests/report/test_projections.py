"""Projections to two dimensions: those of t-SNE and PCA, and where new tasks belong."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.report import projections
from taskspace.report.projections import LINE, PCA, TSNE, Axes, project


def test_tasks_beyond_those_that_tsne_places_lie_among_their_like(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(projections, "MOST_PLACED", 60)
    rng = np.random.default_rng(0)
    centres = 10 * np.eye(3)[np.arange(300) % 3]
    found = project((centres + rng.normal(size=(300, 3))).astype(np.float32))[TSNE]
    near = np.linalg.norm(found[:, None] - found, axis=2) + np.diag(np.full(300, np.inf))
    assert (near.argmin(1) % 3 == np.arange(300) % 3).all()


@pytest.mark.parametrize("count", [3, 5])
def test_projections_of_a_few_tasks(count: int) -> None:
    vectors = np.random.default_rng(0).normal(size=(count, 2)).astype(np.float32)
    found = project(vectors)
    assert list(found) == [TSNE, PCA]
    assert all(np.isfinite(points).all() for points in found.values())


def test_tasks_at_one_point_are_drawn_at_one_point() -> None:
    for vectors in (np.ones((12, 3), np.float32), np.full((3, 2), 1e30, np.float32)):
        for points in project(vectors).values():
            np.testing.assert_allclose(points, points[:1].repeat(len(points), 0))


def test_one_dimension_is_a_line() -> None:
    vectors = np.linspace(0, 3, 20)[:, None]
    (name, points), *_ = project(vectors).items()
    assert name == LINE
    np.testing.assert_allclose(points[:, 0], vectors[:, 0], rtol=1e-6)
    assert len(set(points[:, 1].tolist())) == 20


def test_principal_axes_are_those_of_scikit_learn() -> None:
    from sklearn.decomposition import PCA as Reference

    vectors = np.random.default_rng(0).normal(size=(50, 4)) * [4, 3, 2, 1]
    ours, theirs = Axes.of(vectors).project(vectors), Reference(2).fit_transform(vectors)
    np.testing.assert_allclose(np.abs(ours), np.abs(theirs), atol=1e-9)

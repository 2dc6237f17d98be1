"""Names of clusters on a map: near their points, not on them, and never on each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from taskspace.report import plots
from taskspace.report.plots.names import places

BOUNDS = np.array([[0.0, 0.0], [400.0, 300.0]])


def overlap(first: Any, second: Any, size: tuple[float, float]) -> bool:
    return bool((np.abs(np.subtract(first, second)) < size).all())


@pytest.mark.parametrize("seed", range(5))
def test_names_neither_overlap_nor_leave_the_map(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.uniform((20, 20), (380, 280), (60, 2))
    clusters = np.array_split(np.arange(60), 12)
    found = [place for place in places(points, clusters, [(70, 14)] * 12, BOUNDS) if place]
    assert len(found) >= 8
    for number, place in enumerate(found):
        assert (np.array(place) >= (35, 7)).all()
        assert (np.array(place) <= (365, 293)).all()
        assert not any(overlap(place, other, (70, 14)) for other in found[:number])


def test_a_name_hides_no_point_of_a_small_map() -> None:
    points = np.array([[100.0, 100.0], [104.0, 100.0], [300.0, 200.0], [304.0, 200.0]])
    for place in places(points, [np.array([0, 1]), np.array([2, 3])], [(60, 12)] * 2, BOUNDS):
        assert place is not None
        assert not any(overlap(place, point, (30, 6)) for point in points)


def test_of_two_names_in_one_place_the_smaller_cluster_has_none() -> None:
    tiny = np.array([[0.0, 0.0], [90.0, 20.0]])
    points = np.full((5, 2), (45.0, 10.0))
    found = places(points, [np.array([0]), np.array([1, 2, 3, 4])], [(80, 18)] * 2, tiny)
    assert found[0] is None
    assert found[1] is not None


def test_the_map_has_names_and_the_legend_only_those_without_a_place() -> None:
    points = np.array([[0.0, 0.0], [0.1, 0.0], [1.0, 1.0], [1.1, 1.0]])
    ax = plots.plot_map(points, clusters=[0, 0, 1, 1], cluster_names=["a", "b"], place_names=True)
    assert {text.get_text() for text in ax.texts} == {"a", "b"}
    assert ax.get_legend() is None
    long = "a name that is as wide as the whole map and leaves no place for another one at all" * 2
    same = np.zeros((5, 2))
    ax = plots.plot_map(
        same, clusters=[0, 0, 0, 1, 1], cluster_names=[long, long + "b"], place_names=True
    )
    assert len(ax.texts) >= 1

"""The maps of the paper: what is shown of them, and panels side by side."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from taskspace.paper import drawing
from taskspace.paper.study import Study
from taskspace.report.projections import LINE, PCA, TSNE

RNG = np.random.default_rng(0)


@pytest.mark.slow
def test_the_view_of_a_map_is_kept(study: Study) -> None:
    made = study.map_of("MultiKeyNav")
    one = drawing.view_of(study, made)
    other = drawing.view_of(study, made.variant(embedder=object()))
    assert {"tasks", "difficulty", TSNE, PCA} == set(one)
    np.testing.assert_array_equal(one[TSNE], other[TSNE])


def panel(title: str, clusters: int) -> drawing.Panel:
    points, difficulty = RNG.normal(size=(60, 2)), RNG.uniform(1, 2, 60)
    names = [f"cluster {i}" for i in range(clusters)]
    return drawing.Panel(title, points, difficulty, np.arange(60) % clusters, names)


@pytest.mark.parametrize("count", [1, 4, 5])
def test_panels_have_their_letters_and_their_legends_beside_them(count: int) -> None:
    figure = drawing.draw_panels([panel("map", i + 2) for i in range(count)])
    assert isinstance(figure, Figure)
    figure.draw_without_rendering()
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert titles == [f"({letter}) map" for letter in "abcde"[:count]]
    inside = [ax.get_window_extent() for ax in figure.axes]
    for ax in figure.axes:
        legends = [child for child in ax.get_children() if type(child).__name__ == "Legend"]
        assert len(legends) == 2
        for legend in legends:
            box = legend.get_window_extent()
            assert box.x1 <= figure.bbox.x1
            assert not any(box.overlaps(other) for other in inside)


def test_a_map_of_one_dimension_has_one_projection() -> None:
    points = RNG.normal(size=(4, 2))
    flat, line = {TSNE: points, PCA: -points}, {LINE: 2 * points}
    np.testing.assert_array_equal(drawing.coordinates(flat), points)
    np.testing.assert_array_equal(drawing.coordinates(flat, PCA), -points)
    for kind in (TSNE, PCA):
        np.testing.assert_array_equal(drawing.coordinates(line, kind), 2 * points)

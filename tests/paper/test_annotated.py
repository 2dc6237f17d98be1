"""The annotated maps: where tasks are drawn, which, and what leads to them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.transforms import Bbox

import taskspace as ts
from taskspace.paper import annotated
from taskspace.paper.study import Study
from taskspace.report.projections import TSNE

pytestmark = pytest.mark.slow

RNG = np.random.default_rng(0)


def boxes_of(count: int) -> tuple[Bbox, list[Bbox]]:
    """The page, and the boxes of the map and of tasks."""
    size, middle, boxes = annotated.layout(count)
    return Bbox.from_bounds(0, 0, *size), [Bbox.from_bounds(*box) for box in (middle, *boxes)]


@pytest.mark.parametrize("count", range(1, 16))
def test_boxes_lie_on_the_page_and_apart(count: int) -> None:
    page, boxes = boxes_of(count)
    assert len(boxes) == 1 + count
    for one, other in itertools.combinations(boxes, 2):
        assert not one.overlaps(other)
    corners = np.array([box.extents for box in boxes])
    assert (corners >= -1e-9).all()
    assert (corners[:, 2:] <= np.asarray(page.max) + 1e-9).all()


def test_the_example_is_the_member_nearest_to_the_middle() -> None:
    points = np.array([[0.0, 0], [1, 0], [2, 0], [9, 9]])
    assert annotated.central(points, np.array([True, True, True, False])) == 1
    assert annotated.central(points, np.array([False, False, False, True])) == 3


def test_no_other_choice_of_boxes_has_shorter_lines() -> None:
    _, _, boxes = annotated.layout(5)
    targets = RNG.uniform(0, 8, size=(5, 2))

    def length(chosen: list[annotated.Box]) -> float:
        gaps = []
        for (x, y, width, height), (px, py) in zip(chosen, targets, strict=True):
            gaps.append(np.hypot(max(x - px, 0, px - x - width), max(y - py, 0, py - y - height)))
        return float(np.sum(gaps))

    best = min(length(list(order)) for order in itertools.permutations(boxes))
    chosen = annotated.assign(boxes, targets)
    assert sorted(chosen) == sorted(boxes)
    assert length(chosen) == pytest.approx(best)


@pytest.mark.parametrize("name", ["CartPoleVar", "PointMass", "BasicKarel"])
def test_each_cluster_has_a_task_and_a_line_that_ends_there(name: str) -> None:
    env = ts.make(name)
    tasks = env.sample_tasks(60, seed=0)
    points = RNG.normal(size=(60, 2))
    figure = annotated.annotate(env, {"tasks": tasks, "difficulty": np.ones(60), TSNE: points})
    count = len(np.unique(env.clusters(tasks)))
    ax, *drawn = figure.axes
    frames = [artist for artist in figure.artists if isinstance(artist, Rectangle)]
    lines = [artist for artist in figure.artists if isinstance(artist, Line2D)]
    assert len(drawn) == count == len(frames)
    assert ax.get_legend() is None
    figure.draw_without_rendering()
    places = ax.transData.transform(points)
    ends = [line.get_transform().transform(line.get_xydata())[-1] for line in lines]
    for end in ends:
        assert np.linalg.norm(places - end, axis=1).min() < 0.01
    assert len(ends) == 2 * count


def test_the_small_study_has_a_picture_for_each_environment(study: Study) -> None:
    result = annotated.reproduce(study)
    (picture,) = result.pictures
    assert picture.name == "annotated-multikeynav.png"
    assert picture.exists()

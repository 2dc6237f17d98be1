"""Appendix "Annotated Visualization": the maps with a drawn task for each cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from taskspace import plots
from taskspace.envs.base import Environment
from taskspace.paper.drawing import View, view_of
from taskspace.paper.study import ENVIRONMENTS, Result, Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
Box = tuple[float, float, float, float]  # left, bottom, width, height, in inches
WIDE, HIGH, GAP = 2.8, 2.0, 0.25  # of a drawn task


def reproduce(study: Study) -> Result:
    """A picture for each environment, of the map of seed 0."""
    pictures = {}
    for name in study.chosen(ENVIRONMENTS):
        made = study.map_of(name)
        figure = annotate(made.env, view_of(study, made))
        caption = f"The map of {name} with the task in the middle of each cluster."
        pictures[study.draw(f"annotated-{name.lower()}", figure)] = caption
    return Result("annotated", "The maps with example tasks", pictures=pictures)


def annotate(env: Environment, view: View) -> Figure:
    """Draw the map and, around it, a task of each cluster with a line to its place."""
    from matplotlib.figure import Figure

    points, clusters = view["tsne"], env.clusters(view["tasks"])
    found = np.unique(clusters)
    size, middle, boxes = layout(len(found))
    figure = Figure(figsize=size)
    ax = _add_axes(figure, middle)
    norms = np.linalg.norm(view["vectors"], axis=1)
    plots.plot_map(points, norms=norms, clusters=clusters, legend=False, ax=ax)
    ax.apply_aspect()  # points stay where they are on the page from here on
    examples = [central(points, clusters == cluster) for cluster in found]
    targets = (ax.transData + figure.dpi_scale_trans.inverted()).transform(points[examples])
    starts = np.array([_facing(box, middle) for box in boxes])
    for cluster, example, target, place in zip(
        found, examples, targets, assign(starts, targets), strict=True
    ):
        _frame(figure, boxes[place], plots.COLOURS[cluster % len(plots.COLOURS)])
        _connect(figure, starts[place], target)
        env.draw_task(view["tasks"][example], _add_axes(figure, boxes[place]))
    return figure


def layout(count: int) -> tuple[tuple[float, float], Box, list[Box]]:
    """The size of the page, the box of the map, and boxes for at least `count` tasks."""
    across, up = WIDE + GAP, HIGH + GAP
    if count <= 3:  # a column, and the map beside it
        boxes = [(0.0, up * row, WIDE, HIGH) for row in range(count)]
        height = max(count, 2) * up - GAP
        return (3 * across - GAP, height), (across, 0.0, 2 * across - GAP, height), boxes
    sides = max(2, -(-(count - 6) // 2))  # three above, three below, the others left and right
    boxes = [
        (across * column, up * row, WIDE, HIGH) for row in (0, sides + 1) for column in range(3)
    ]
    boxes += [
        (across * column, up * row, WIDE, HIGH) for row in range(1, sides + 1) for column in (0, 2)
    ]
    size = (3 * across - GAP, (sides + 2) * up - GAP)
    return size, (across, up, WIDE, sides * up - GAP), boxes


def central(points: Array, members: NDArray[np.bool_]) -> int:
    """The member that lies nearest to the middle of all members."""
    indices = np.flatnonzero(members)
    middle = np.median(points[indices], axis=0)
    return int(indices[np.linalg.norm(points[indices] - middle, axis=1).argmin()])


def assign(starts: Array, targets: Array) -> NDArray[np.int64]:
    """A start for each target so that the lines are short in all; such lines never cross."""
    from scipy.optimize import linear_sum_assignment

    lengths = np.linalg.norm(targets[:, None] - starts, axis=2)
    chosen: NDArray[np.int64] = linear_sum_assignment(lengths)[1]
    return chosen


def _facing(box: Box, other: Box) -> tuple[float, float]:
    """The point of a box that is nearest to the middle of another."""
    left, bottom, width, height = box
    x, y = other[0] + other[2] / 2, other[1] + other[3] / 2
    return float(np.clip(x, left, left + width)), float(np.clip(y, bottom, bottom + height))


def _add_axes(figure: Figure, box: Box) -> Axes:
    width, height = figure.get_size_inches()
    return figure.add_axes((box[0] / width, box[1] / height, box[2] / width, box[3] / height))


def _frame(figure: Figure, box: Box, colour: str) -> None:
    from matplotlib.patches import Rectangle

    inches = figure.dpi_scale_trans
    figure.add_artist(
        Rectangle(box[:2], *box[2:], fill=False, edgecolor=colour, linewidth=1.8, transform=inches)
    )


def _connect(figure: Figure, start: Array, end: Array) -> None:
    """A thin line with a ring around the task at its end."""
    from matplotlib.lines import Line2D

    inches = figure.dpi_scale_trans
    (x0, y0), (x1, y1) = start, end
    figure.add_artist(Line2D([x0, x1], [y0, y1], color=plots.INK, linewidth=0.8, transform=inches))
    ring = Line2D([x1], [y1], marker="o", markersize=7, markerfacecolor="none", transform=inches)
    ring.set_markeredgecolor(plots.INK)
    figure.add_artist(ring)

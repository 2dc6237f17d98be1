"""Appendix "Annotated Visualization": the maps with an example task per cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace.envs.base import Environment
from taskspace.paper.drawing import View, coordinates, view_of
from taskspace.paper.study import ENVIRONMENTS, Result, Study
from taskspace.report import plots

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
Box = tuple[float, float, float, float]  # left, bottom, width, height, in inches
WIDE, HIGH, GAP, MARGIN = 2.8, 1.85, 0.25, 0.06  # size and spacing of the boxes of tasks
MIDDLE = 3.7  # the width of a map with tasks on both sides


def reproduce(study: Study) -> Result:
    """Draw the map of seed 0 of each environment."""
    pictures = {}
    for name in study.chosen(ENVIRONMENTS):
        made = study.map_of(name)
        figure = annotate(made.environment, view_of(study, made))
        caption = f"Map of {name} with an example task per cluster: the one nearest to its median."
        pictures[study.draw(f"annotated-{name.lower()}", figure)] = caption
    return Result("annotated", "Maps with example tasks", pictures=pictures)


def annotate(env: Environment, view: View) -> Figure:
    """Draw the map and, around it, one task per cluster with a line to its point."""
    from matplotlib.figure import Figure

    points, clusters = coordinates(view), env.clusters(view["tasks"])
    found = np.unique(clusters)
    size, middle, boxes = layout(len(found))
    figure = Figure(figsize=size)
    ax = _add_axes(figure, middle)
    difficulty = view["difficulty"]
    plots.plot_map(points, difficulty=difficulty, clusters=clusters, legend=False, ax=ax)
    ax.apply_aspect()  # fixes the positions of the points on the page
    examples = [central(points, clusters == cluster) for cluster in found]
    inches = ax.transData + figure.dpi_scale_trans.inverted()
    for cluster, example, box in zip(
        found, examples, assign(boxes, inches.transform(points[examples])), strict=True
    ):
        _frame(figure, box, plots.COLOURS[cluster % len(plots.COLOURS)])
        _connect(figure, box, inches.transform(points[example]))
        env.draw_task(view["tasks"][example], _add_axes(figure, box, MARGIN))
    return figure


def layout(count: int) -> tuple[tuple[float, float], Box, list[Box]]:
    """The size of the page, the box of the map, and the boxes of the tasks.

    Up to three tasks are below the map, up to three above it, and the others on both sides.
    """
    below = count if count <= 3 else min(3, count // 2)
    above = min(3, count - below)
    right = (count - above - below) // 2
    left = count - above - below - right
    across, up = WIDE + GAP, HIGH + GAP
    high = max(2, left) * up - GAP
    wide = MIDDLE if left else max(above, below) * across - GAP
    start = across if left else 0.0
    page = wide + 2 * start
    boxes = [(x, 0.0) for x in _spread(below, page, WIDE)]
    boxes += [(x, up + high + GAP) for x in _spread(above, page, WIDE)]
    boxes += [(0.0, up + y) for y in _spread(left, high, HIGH)]
    boxes += [(page - WIDE, up + y) for y in _spread(right, high, HIGH)]
    height = up + high + (up if above else 0.0)
    return (page, height), (start, up, wide, high), [(x, y, WIDE, HIGH) for x, y in boxes]


def _spread(count: int, room: float, size: float) -> list[float]:
    """Evenly spaced positions from end to end; a single one is centred."""
    free = room - size
    return [free / 2] if count == 1 else [free * i / (count - 1) for i in range(count)]


def central(points: Array, members: NDArray[np.bool_]) -> int:
    """The index of the member nearest to the median of all members."""
    indices = np.flatnonzero(members)
    middle = np.median(points[indices], axis=0)
    return int(indices[np.linalg.norm(points[indices] - middle, axis=1).argmin()])


def assign(boxes: Sequence[Box], targets: Array) -> list[Box]:
    """Assign a box to each target such that the total length of the lines is minimal."""
    from scipy.optimize import linear_sum_assignment

    starts = np.array([[_nearest(box, target) for box in boxes] for target in targets])
    lengths = np.linalg.norm(starts - targets[:, None], axis=2)
    return [boxes[i] for i in linear_sum_assignment(lengths)[1]]


def _nearest(box: Box, target: Array) -> tuple[float, float]:
    """The point of a box nearest to the target."""
    left, bottom, width, height = box
    x, y = np.clip(target, (left, bottom), (left + width, bottom + height))
    return float(x), float(y)


def _add_axes(figure: Figure, box: Box, margin: float = 0.0) -> Axes:
    width, height = figure.get_size_inches()
    x, y, across, up = box
    inner = (x + margin, y + margin, across - 2 * margin, up - 2 * margin)
    return figure.add_axes(tuple(np.array(inner) / (width, height, width, height)))


def _frame(figure: Figure, box: Box, colour: str) -> None:
    from matplotlib.patches import Rectangle

    width, height = figure.get_size_inches()
    x, y, across, up = np.array(box) / (width, height, width, height)
    figure.add_artist(Rectangle((x, y), across, up, fill=False, edgecolor=colour, linewidth=2))


def _connect(figure: Figure, box: Box, target: Array) -> None:
    """Draw a thin line from a box to a task, and a ring around the task."""
    from matplotlib.lines import Line2D

    ends = np.array([_nearest(box, target), target]) / figure.get_size_inches()
    figure.add_artist(Line2D(*ends.T, color=plots.INK, linewidth=0.8))
    ring: dict[str, Any] = {"marker": "o", "markersize": 7, "markerfacecolor": "none"}
    figure.add_artist(Line2D(*ends[1:].T, markeredgecolor=plots.INK, **ring))

"""Names of clusters on a map: each near its points, none on top of another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace.report.plots.points import Members
from taskspace.report.plots.style import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

_SIZE = 9.5  # of the letters, in points
_RINGS, _DIRECTIONS = (
    (1.2, 2.0, 3.0, 4.0, 5.5, 7.0),
    16,
)  # of positions to try, in heights of a name
_HIDING = 100.0  # cost of hiding all points; that of moving a name by its height is 1
_CLOSER = 3.0  # cost of a position that is closer to the centre of another cluster
_GAP, _POINT = 3.0, 3.0  # pixels around a name, and the radius of a point


def write_names(ax: Axes, points: Floats, members: Members) -> list[int]:
    """Write names where they hide few points; returns which ones have no place.

    The axes must have their final limits, because positions are found in pixels.
    """
    from matplotlib.patheffects import withStroke

    ax.figure.canvas.figure.draw_without_rendering()  # sets the positions of the axes
    texts = [
        ax.annotate(
            name, (0.0, 0.0), ha="center", va="center", size=_SIZE, color=INK,
            weight="bold", path_effects=[withStroke(linewidth=2.5, foreground="white", alpha=0.85)],
            zorder=6, annotation_clip=False,
        )
        for _, name, _ in members
    ]  # fmt: skip
    sizes = [_pixels(text) for text in texts]
    pixels = np.asarray(ax.transData.transform(points))
    box = ax.get_window_extent()
    bounds = np.array([[box.x0, box.y0], [box.x1, box.y1]])
    found = places(pixels, [tasks for _, _, tasks in members], sizes, bounds)
    left_out = []
    for position, (text, place) in enumerate(zip(texts, found, strict=True)):
        if place is None:
            text.remove()
            left_out.append(position)
        else:
            text.set_position(tuple(ax.transData.inverted().transform(place)))
            text.set_in_layout(False)
    return left_out


def _pixels(text: Any) -> tuple[float, float]:
    """The width and height of a text with a gap around it."""
    box = text.get_window_extent()
    return box.width + 2 * _GAP, box.height + 2 * _GAP


def places(
    points: Floats,
    clusters: Sequence[NDArray[np.int64]],
    sizes: Sequence[tuple[float, float]],
    bounds: Floats,
) -> list[tuple[float, float] | None]:
    """The centres of the names of clusters; None if a name would overlap those of larger clusters.

    A name is at the median of its points or a little beside it, where it hides fewer points.

    Args:
        points: The positions of the tasks in pixels (tasks, 2).
        clusters: The tasks of each cluster.
        sizes: The width and height of each name.
        bounds: The lower left and the upper right corner of the map (2, 2).

    Returns:
        One centre per cluster, or None.

    >>> left, right = np.array([0, 1]), np.array([2, 3])
    >>> dots = np.array([[0, 0], [2, 0], [100, 0], [102, 0]], float)
    >>> bounds = np.array([[-50, -50], [150, 50]], float)
    >>> first, second = places(dots, [left, right], [(30, 10), (30, 10)], bounds)
    >>> first[0] < 50 < second[0], bool((np.abs(dots - first) > (15, 5)).any(1).all())
    (True, True)
    """
    centres = np.array([np.median(points[tasks], axis=0) for tasks in clusters])
    taken: list[Floats] = []
    found: list[tuple[float, float] | None] = [None] * len(clusters)
    for which in sorted(range(len(clusters)), key=lambda index: -len(clusters[index])):
        half = np.array(sizes[which]) / 2
        best, least = None, np.inf
        for away, place in _candidates(centres[which], 2 * half[1], half, bounds):
            if any((np.abs(place - other[0]) < half + other[1]).all() for other in taken):
                continue
            hidden = (np.abs(points - place) < half + _POINT).all(1).mean()
            nearest = int(np.square(centres - place).sum(1).argmin())
            cost = away + _HIDING * hidden + _CLOSER * (nearest != which)
            if cost < least:
                best, least = place, cost
        if best is not None:
            found[which] = (float(best[0]), float(best[1]))
            taken.append(np.array([best, half]))
    return found


def _candidates(
    centre: Floats, height: float, half: Floats, bounds: Floats
) -> Iterator[tuple[float, Floats]]:
    """Positions on rings around a centre, with their distances in heights; within the bounds."""
    low, high = bounds[0] + half, np.maximum(bounds[1] - half, bounds[0] + half)
    yield 0.0, np.clip(centre, low, high)
    for ring in _RINGS:
        for angle in np.arange(_DIRECTIONS) * 2 * np.pi / _DIRECTIONS:
            # Names are wide, so that a position beside the points is farther away than one above.
            step = np.array([np.cos(angle) * (half[0] / half[1]) ** 0.5, np.sin(angle)])
            yield ring, np.clip(centre + ring * height * step, low, high)

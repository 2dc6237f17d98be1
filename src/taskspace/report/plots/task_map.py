"""The map of tasks, as axes or interactive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.report.plots.names import write_names
from taskspace.report.plots.points import (
    ALPHA,
    Members,
    areas_of,
    cluster_legend,
    colour_of,
    members_of,
    scatter,
)
from taskspace.report.plots.style import (
    BESIDE,
    COLOURS,
    INK,
    MUTED,
    given_or_new,
    one_each,
    set_title,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from taskspace.report.interactive import InteractiveMap

_PIXELS = 1.5  # per point, as radius of an area in points
_GREY = 6  # its index among the colours


@overload
def plot_map(
    coordinates: ArrayLike, *, difficulty: ArrayLike | None = None,
    clusters: ArrayLike | None = None, cluster_names: Sequence[str] = (),
    numbers: ArrayLike | None = None, title: str = "", legend: bool = True, muted: bool = False,
    place_names: bool = False, ax: Axes | None = None, interactive: Literal[False] = False,
) -> Axes: ...  # fmt: skip


@overload
def plot_map(
    coordinates: ArrayLike, *, difficulty: ArrayLike | None = None,
    clusters: ArrayLike | None = None, cluster_names: Sequence[str] = (),
    numbers: ArrayLike | None = None, title: str = "", muted: bool = False,
    interactive: Literal[True], names: ArrayLike | None = None,
    labels: Mapping[str, ArrayLike] | None = None,
) -> InteractiveMap: ...  # fmt: skip


def plot_map(
    coordinates: ArrayLike, *, difficulty: ArrayLike | None = None,
    clusters: ArrayLike | None = None, cluster_names: Sequence[str] = (),
    numbers: ArrayLike | None = None, title: str = "", legend: bool = True, muted: bool = False,
    place_names: bool = False, ax: Axes | None = None, interactive: bool = False,
    names: ArrayLike | None = None, labels: Mapping[str, ArrayLike] | None = None,
) -> Axes | InteractiveMap:  # fmt: skip
    """Plot tasks as points, coloured by cluster or by a number.

    Args:
        coordinates: The positions of the tasks (tasks, 2), e.g. a PCA projection of their vectors.
        difficulty: The difficulty of each task, which the area of its point is proportional to. By
            default, all points have the same area.
        clusters: The cluster of each task, an integer of at least 0.
        cluster_names: The names of the clusters, for the legend.
        numbers: A number for each task, NaN if it is unknown, shown on a scale of colours instead
            of clusters.
        title: The title of the plot.
        legend: Whether to draw a legend.
        muted: Whether to draw clusters nearly grey, because they are not to be relied on.
        place_names: Whether to write the names of clusters on the map; the legend then lists only
            those that would overlap others. An interactive map always has them.
        ax: The axes to draw on; by default those of a new figure.
        interactive: Whether to return an interactive map, which notebooks show: hover over a task
            to see its name, difficulty and labels, drag to move, scroll to zoom.
        names: The names of the tasks, for an interactive map.
        labels: What else it says about the tasks, by name: one value per task.

    Returns:
        The axes, or the interactive map.

    Raises:
        ValueError: If the arrays do not have one entry per task, or a value is invalid.

    Example:
        >>> ax = plot_map([[0, 0], [1, 2]], difficulty=[0.3, 0.9], clusters=[0, 1])
        >>> ax.collections[1].get_sizes()
        array([90.])
    """
    points = checks.numbers(coordinates, "coordinates")
    if points.ndim != 2 or points.shape[1] != 2 or not len(points):
        raise ValueError(f"coordinates must have shape (tasks, 2), got {points.shape}")
    hard = None if difficulty is None else one_each(difficulty, len(points), "difficulty")
    if hard is not None and (hard < 0).any():
        raise ValueError(f"difficulty must be at least 0, got {hard.min():g}")
    members = members_of(clusters, cluster_names, len(points))
    if interactive:
        if ax is not None:
            raise ValueError("ax must be None for an interactive map, got axes")
        said: dict[str, ArrayLike] = {} if hard is None else {"difficulty": hard}
        for name, values in (labels or {}).items():
            said[name if name not in said else f"label:{name}"] = values
        areas = areas_of(np.ones(len(points)) if hard is None else hard)
        return _interactive(points, areas, members, numbers, muted, names, said, title)
    if names is not None or labels is not None:
        given = "names" if names is not None else "labels"
        raise ValueError(f"{given} must be used with interactive=True, got interactive=False")
    ax = given_or_new(ax, 8.4, 5.6)
    areas = areas_of(np.ones(len(points)) if hard is None else hard) * _shrinking(ax)
    placed = place_names and numbers is None and bool(members[0][1])
    if numbers is None:
        scatter(ax, points, areas, members, legend and not placed, muted)
    else:
        _scatter_scale(ax, points, areas, _column_of_reals(numbers, len(points)), legend)
    ax.margins(0.03)
    ax.set(aspect="equal", adjustable="datalim", xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    set_title(ax, title)
    if legend and hard is not None and hard.max() > 0:
        _size_legend(ax, hard, areas)
    if placed:  # last, when the size of the axes is known
        _name_clusters(ax, points, members, legend)
    return ax


def _name_clusters(ax: Axes, points: NDArray[np.float64], members: Members, legend: bool) -> None:
    """Write the names on the map; those that find no place are in the legend."""
    left_out = write_names(ax, points, members)
    if legend and left_out:
        sizes = ax.get_legend()
        cluster_legend(ax, [members[i][1] for i in left_out])
        _keep_legend(ax, sizes)


def _keep_legend(ax: Axes, first: Any) -> None:
    """Keep a legend that another one has replaced."""
    if first is not None:
        ax.add_artist(first)
        first.set_clip_on(False)  # otherwise the layout treats it as part of the axes


def _interactive(
    points: NDArray[np.float64], areas: NDArray[np.float64], members: Members,
    numbers: ArrayLike | None, muted: bool, names: ArrayLike | None,
    labels: Mapping[str, ArrayLike], title: str,
) -> InteractiveMap:  # fmt: skip
    from matplotlib import colormaps
    from matplotlib.colors import Normalize, to_hex

    from taskspace.report.interactive import interactive_map

    radii = np.sqrt(areas / np.pi) * _PIXELS
    if numbers is not None:
        values = np.ma.masked_invalid(_column_of_reals(numbers, len(points)))
        scale = colormaps["viridis"].with_extremes(bad=COLOURS[_GREY])
        colours = [to_hex(colour) for colour in scale(Normalize()(values))]
        return interactive_map(
            points, radii, colours, names, {**labels, "value": values.filled(np.nan)}, None, title
        )
    cluster = np.zeros(len(points), np.int64)
    for position, (_, _, tasks) in enumerate(members):
        cluster[tasks] = position
    colours = [to_hex(colour_of(number, muted)) for number, _, _ in members]
    if not members[0][1]:  # no clusters
        return interactive_map(points, radii, colours * len(points), names, labels, None, title)
    known = ([name for _, name, _ in members], cluster)
    return interactive_map(points, radii, colours, names, labels, known, title)


def _column_of_reals(values: ArrayLike, count: int) -> NDArray[np.float64]:
    """One number per task, NaN if it is unknown."""
    column = checks.real(values, "numbers")
    if column.shape != (count,):
        raise ValueError(
            f"numbers must be one number for each of the {count} tasks, got an array of"
            f" shape {column.shape}"
        )
    return column


def _shrinking(ax: Axes) -> float:
    """The factor for areas on axes that are smaller than a whole figure."""
    box = ax.get_window_extent()
    return min(1.0, float(np.sqrt(box.width * box.height / ax.figure.dpi**2 / 25)))


def _scatter_scale(
    ax: Axes, points: NDArray[np.float64], areas: NDArray[np.float64],
    numbers: NDArray[np.float64], legend: bool,
) -> None:  # fmt: skip
    """Points in the colours of a scale; those without a number are grey."""
    known = np.isfinite(numbers)
    scatter(ax, points, areas, [(_GREY, "", np.flatnonzero(~known))], legend=False)
    drawn = np.flatnonzero(known)[np.argsort(-areas[known], kind="stable")]
    x, y = points[drawn].T
    marks = ax.scatter(x, y, s=areas[drawn], c=numbers[drawn], alpha=ALPHA, linewidths=0)
    if legend and len(drawn):
        bar = ax.figure.colorbar(marks, cax=ax.inset_axes((1.03, 0.45, 0.025, 0.55)))
        bar.ax.tick_params(colors=MUTED, labelsize=8)
        bar.outline.set_visible(False)  # type: ignore[operator]


def _size_legend(ax: Axes, lengths: NDArray[np.float64], areas: NDArray[np.float64]) -> None:
    shown = [float(f"{lengths.max() * part:.1g}") for part in (0.25, 0.5, 1.0)]
    scale = areas.max() / lengths.max()
    handles = [ax.scatter([], [], s=x * scale, color=MUTED, label=f"{x:g}") for x in shown]
    first = ax.get_legend()
    where = {**BESIDE, "loc": "lower left", "bbox_to_anchor": (1.01, 0.0)}
    made = ax.legend(handles=handles, title="difficulty", title_fontsize=9, **where)
    made.get_title().set_color(INK)
    _keep_legend(ax, first)

"""Tasks as points, by cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.report.plots.style import (
    BESIDE,
    COLOURS,
    MARKERS,
    given_or_new,
    one_each,
    plain,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Members = list[tuple[int, str, NDArray[np.int64]]]  # cluster, its name ("" if unknown), its tasks
_MUTING, _GREYED = "#b8bcc4", 0.75  # how much of this grey is mixed into muted colours
ALPHA = 0.7  # points that overlap are seen
_DOT = 0.08  # smallest area of a point relative to the mean, so that all are visible


def members_of(clusters: ArrayLike | None, names: Sequence[str], count: int) -> Members:
    """The clusters that have tasks, with their names and tasks; one without a name if not given."""
    if clusters is None:
        return [(0, "", np.arange(count))]
    indices = one_each(clusters, count, "clusters")
    checks.listed(names, "cluster names")
    if (indices < 0).any() or (indices != np.floor(indices)).any():
        raise ValueError("clusters must be integers of at least 0, one per task")
    found = [int(index) for index in np.unique(indices)]
    if len(names) and found[-1] >= len(names):
        raise ValueError(f"cluster names must include cluster {found[-1]}, got {len(names)} names")
    named = {i: str(names[i]) if len(names) else f"cluster {i}" for i in found}
    return [(i, named[i], np.flatnonzero(indices == i)) for i in found]


def areas_of(lengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Areas of points, proportional to `lengths`; smaller if there are many points."""
    mean, typical = float(lengths.mean()), float(np.clip(24_000 / len(lengths), 6, 60))
    relative = lengths / mean if mean > 0 else np.ones(len(lengths))
    return typical * np.maximum(relative, _DOT)


def scatter(
    ax: Axes, points: NDArray[np.float64], areas: NDArray[np.float64], members: Members,
    legend: bool = True, muted: bool = False,
) -> None:  # fmt: skip
    """Draw points in the colours and with the markers of their clusters."""
    for cluster, name, tasks in members:
        drawn = tasks[np.argsort(-areas[tasks], kind="stable")]  # small points last, on top
        ax.scatter(
            points[drawn, 0], points[drawn, 1], s=areas[drawn], label=name or None, alpha=ALPHA,
            color=colour_of(cluster, muted), marker=MARKERS[cluster % len(MARKERS)],
            linewidths=0,
        )  # fmt: skip
    if legend and members[0][1]:
        cluster_legend(ax)


def cluster_legend(ax: Axes, names: Sequence[str] | None = None) -> None:
    """List clusters beside the axes, by default all."""
    marks, known = ax.get_legend_handles_labels()
    shown = [
        mark for mark, name in zip(marks, known, strict=True) if names is None or name in names
    ]
    for handle in ax.legend(handles=shown, **BESIDE).legend_handles:
        handle.set(sizes=[42], alpha=1.0)  # type: ignore[union-attr]


def colour_of(cluster: int, muted: bool) -> Any:
    """The colour of a cluster, if muted mixed with grey."""
    from matplotlib.colors import to_rgb

    colour = COLOURS[cluster % len(COLOURS)]
    if not muted:
        return colour
    return tuple(_GREYED * np.array(to_rgb(_MUTING)) + (1 - _GREYED) * np.array(to_rgb(colour)))


def plot_success(
    values: ArrayLike, success: ArrayLike, label: str, *, clusters: ArrayLike | None = None,
    cluster_names: Sequence[str] = (), title: str = "", muted: bool = False,
    what: str = "success rate of the population", ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Plot the success rate of the population against another number, one point per task.

    Args:
        values: The number of each task, e.g. the length of its vector.
        success: The success rate of the population on each task.
        label: What the number is.
        clusters: The cluster of each task, an integer of at least 0.
        cluster_names: The names of the clusters, for the legend.
        title: The title of the plot.
        muted: Whether to draw clusters nearly grey, as in `plot_map`.
        what: What the success rates are called, if they are e.g. normalised returns.
        ax: The axes to draw on; by default those of a new figure.

    Returns:
        The axes.

    Raises:
        ValueError: If the arrays do not have one entry per task, or a value is invalid.

    Example:
        >>> plot_success([1.0, 2.5], [0.9, 0.2], "vector length").get_ylabel()
        'success rate of the population'
    """
    across = checks.numbers(values, "values")
    rates = one_each(success, across.size, "success")
    if across.ndim != 1 or not across.size:
        raise ValueError(f"values must have shape (tasks,), got {across.shape}")
    if ((rates < 0) | (rates > 1)).any():
        raise ValueError("success must be rates between 0 and 1, got a value outside")
    members = members_of(clusters, cluster_names, len(across))
    ax = given_or_new(ax, 5.4, 3.8)
    points = np.stack([across, rates], axis=1)
    scatter(ax, points, areas_of(np.ones(len(points))), members, muted=muted)
    ax.set_ylim(-0.03, 1.03)
    return plain(ax, title, label, what)

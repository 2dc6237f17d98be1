"""The matrix of similarities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.report.plots.points import members_of
from taskspace.report.plots.style import INK, MUTED, given_or_new

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DIVERGING = ("#D55E00", "#EBA067", "#d4d7dc", "#7FB4D6", "#0072B2")  # from negative to positive
_COLOURED = 0.99  # of the values lie within the range of colours
_LEAST = 0.1  # the least end of a range of correlations, so that noise looks like noise


def plot_similarity(
    matrix: ArrayLike,
    clusters: ArrayLike,
    cluster_names: Sequence[str],
    ax: Axes | None = None,
    *,
    signed: bool = False,
) -> Axes:
    """Plot a matrix of similarities in bits, or of correlations, ordered by cluster.

    The diagonal is left blank: a task is far more similar to itself than to any other, and its
    colour would leave hardly any for the others.

    Args:
        matrix: The similarities (tasks, tasks); NaN where they are unknown, which is left blank.
        clusters: The cluster of each task, an integer of at least 0.
        cluster_names: The names of the clusters.
        ax: The axes to draw on; by default those of a new figure.
        signed: Whether the similarities are correlations, whose colours diverge from 0.

    Returns:
        The axes.

    Raises:
        ValueError: If the matrix is not square, or a value is invalid.

    Example:
        >>> ax = plot_similarity([[0.9, 0.1], [0.1, 0.8]], [0, 1], ["easy", "hard"])
        >>> [label.get_text() for label in ax.get_yticklabels()]
        ['easy', 'hard']
    """
    given = checks.real(matrix, "matrix")
    unknown = np.isnan(given)
    table = checks.numbers(np.where(unknown, 0.0, given), "matrix")
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not table.size:
        raise ValueError(f"matrix must have shape (tasks, tasks), got {table.shape}")
    members = members_of(clusters, cluster_names, len(table))
    order = np.concatenate([tasks for _, _, tasks in members])
    sizes = np.array([len(tasks) for _, _, tasks in members])
    ends = np.cumsum(sizes)
    ax = given_or_new(ax, 5.4, 4.0)
    heat = _signed_heat if signed else _heat
    blank = unknown | np.eye(len(table), dtype=bool)
    heat(ax, np.ma.array(table, mask=blank)[np.ix_(order, order)])
    for end in ends[:-1] - 0.5:
        ax.axhline(end, color="white", linewidth=0.9)
        ax.axvline(end, color="white", linewidth=0.9)
    positions = _spread(ends - sizes / 2 - 0.5, len(table) / 22)
    ax.set_yticks(positions, [name for _, name, _ in members], color=INK)
    ax.set_xticks([])
    ax.tick_params(length=0, labelsize=9)
    ax.spines[:].set_visible(False)
    return ax


def _heat(ax: Axes, table: np.ma.MaskedArray[Any, np.dtype[np.float64]]) -> None:
    known = table.compressed() if table.count() else np.zeros(1)
    low, high = min(float(known.min()), 0.0), float(np.quantile(known, _COLOURED))
    high = high if high > low else low + 1.0
    image = ax.imshow(table, cmap="viridis", vmin=low, vmax=high, interpolation="none")
    extend = "max" if float(known.max()) > high else "neither"
    _label_bar(ax.figure.colorbar(image, ax=ax, shrink=0.85, extend=extend), "similarity (bits)")


def _signed_heat(ax: Axes, table: np.ma.MaskedArray[Any, np.dtype[np.float64]]) -> None:
    """Correlations in the colours of the explorer: orange is negative, grey 0, blue positive."""
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list("signed", _DIVERGING)
    known = np.abs(table.compressed()) if table.count() else np.zeros(1)
    most = float(np.clip(np.quantile(known, _COLOURED), _LEAST, 1.0))
    image = ax.imshow(table, cmap=colours, vmin=-most, vmax=most, interpolation="none")
    extend = "both" if float(known.max()) > most else "neither"
    _label_bar(ax.figure.colorbar(image, ax=ax, shrink=0.85, extend=extend), "correlation")


def _label_bar(bar: Any, label: str) -> None:
    bar.set_label(label, color=INK)
    bar.ax.tick_params(colors=MUTED, labelsize=8)
    bar.outline.set_visible(False)


def _spread(centres: NDArray[np.float64], gap: float) -> NDArray[np.float64]:
    """Move positions down until the labels do not overlap."""
    steps = gap * np.arange(len(centres))
    return np.maximum.accumulate(centres - steps) + steps

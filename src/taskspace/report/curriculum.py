"""What a curriculum trained on when: a table, and a picture over the map of its tasks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace.curriculum.basis import principal_components
from taskspace.curriculum.curriculum import Curriculum
from taskspace.curriculum.history import RECORD

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

PANELS = 5  # moments in the picture
_CELLS = 30  # of the map from left to right
_RATE = "success rate"
_LABELS = ("attempts per task", _RATE)  # of the rows of maps


def curriculum_table(curriculum: Curriculum) -> dict[str, NDArray[Any]]:
    """Describe the intervals of a training in order.

    Args:
        curriculum: The curriculum.

    Returns:
        Columns with one entry per interval: `episodes` at its end, `tasks` that were tried,
        `effective_tasks` (the exponential of the entropy of attempts), `success` rate of all
        episodes, `uniform_success` rate of uniform episodes, `mean_p` over all tasks, the
        `uniform_share` of episodes, and the `memory` of the estimates in episodes.

    >>> curriculum = Curriculum(["a", "b"], seed=0)
    >>> curriculum.observe([0] * 200, [True] * 200)
    >>> table = curriculum_table(curriculum)
    >>> table["episodes"].tolist(), table["tasks"].tolist(), table["success"].tolist()
    ([200], [1], [1.0])
    """
    history = curriculum.history
    attempts, successes = history.attempts, history.successes
    ends = np.minimum(history.length * np.arange(1, len(attempts) + 1), history.episodes)
    records = np.array(history.records).reshape(-1, len(RECORD))
    when = np.minimum(np.searchsorted(ends, records[:, 0], "left"), max(0, len(ends) - 1))
    totals = attempts.sum(1)
    means = {name: _means(records[:, i], when, len(ends)) for i, name in enumerate(RECORD)}
    return {
        "episodes": ends,
        "tasks": (attempts > 0).sum(1),
        "effective_tasks": np.array([_effective(row) for row in attempts]),
        "success": successes.sum(1) / np.maximum(totals, 1),
        "uniform_success": means["uniform_success"],
        "mean_p": means["mean_p"],
        "uniform_share": means["share"],
        "memory": means["memory"],
    }


def _means(values: Floats, when: NDArray[np.int64], count: int) -> Floats:
    """Means per interval; NaN in intervals without an update."""
    sums, numbers = np.bincount(when, values, count), np.bincount(when, minlength=count)
    return np.where(numbers > 0, sums / np.maximum(numbers, 1), np.nan)


def _effective(attempts: NDArray[np.int32]) -> float:
    shares = attempts[attempts > 0] / max(1, attempts.sum())
    return float(np.exp(-(shares * np.log(shares)).sum()))


def draw_curriculum(curriculum: Curriculum) -> Figure:
    """Draw success over time and, over the map, what was tried and solved when.

    The map has the two leading components of what the curriculum knows about its tasks: of the
    population's success profiles, or of features.

    Args:
        curriculum: The curriculum.

    Returns:
        The figure; tasks without features and without a population have no map, only curves.

    Raises:
        ValueError: If there were no episodes yet.
    """
    from matplotlib.figure import Figure

    table = curriculum_table(curriculum)
    count = len(table["episodes"])
    if not count:
        raise ValueError("the curriculum must have seen at least one update, got no episodes")
    mapped = curriculum.basis is not None and curriculum.basis.shape[1] > 2
    panels = min(PANELS, count)
    figure = Figure(figsize=(12, 7.5 if mapped else 3), layout="constrained")
    grid = figure.add_gridspec(3 if mapped else 1, panels)
    _draw_curves(figure.add_subplot(grid[0, :]), table)
    if mapped:
        places = principal_components(np.asarray(curriculum.basis)[:, 1:], 2)
        groups = np.array_split(np.arange(count), panels)
        axes = np.array(
            [[figure.add_subplot(grid[row, i]) for i in range(panels)] for row in (1, 2)]
        )
        drawn = []
        for some, column in zip(groups, axes.T, strict=True):
            drawn.append(_draw_moment(column, places, curriculum, some))
            column[0].set_title(f"to episode {int(table['episodes'][some[-1]]):,}", size=9)
        for cells, row, label in zip(zip(*drawn, strict=True), axes, _LABELS, strict=True):
            _add_scale(figure, cells, row, label)
    return figure


def _draw_curves(ax: Axes, table: dict[str, NDArray[Any]]) -> None:
    for name, label in (
        ("uniform_success", "success, uniform episodes"),
        ("success", "success, all episodes"),
        ("uniform_share", "share of uniform episodes"),
    ):
        style = ":" if name == "uniform_share" else "-"
        ax.plot(table["episodes"], table[name], style, marker=".", label=label)
    ax.set(xlabel="episodes", ylim=(-0.02, 1.02))
    ax.legend(frameon=False, ncols=3, loc="lower left", bbox_to_anchor=(0, 1), fontsize=8)


def _draw_moment(
    axes: Sequence[Axes], places: Floats, curriculum: Curriculum, some: NDArray[np.int64]
) -> tuple[PolyCollection, PolyCollection]:
    """Attempts per task and success rates over the map, in some intervals."""
    attempts = curriculum.history.attempts[some].sum(0)
    successes = curriculum.history.successes[some].sum(0)
    tried = attempts > 0
    style: dict[str, Any] = {"gridsize": _CELLS, "linewidths": 0}
    x, y = places.T
    extent = (x.min(), x.max(), y.min(), y.max())
    for ax in axes:
        ax.set(xticks=[], yticks=[])
    rates = successes[tried] / attempts[tried]
    return (
        axes[0].hexbin(x, y, C=attempts, extent=extent, cmap="magma_r", **style),
        axes[1].hexbin(x[tried], y[tried], C=rates, extent=extent, cmap="viridis", **style),
    )


def _add_scale(
    figure: Figure, cells: Sequence[PolyCollection], row: Sequence[Axes], label: str
) -> None:
    """The same colours in all panels of a row, and what they mean."""
    most = 1.0 if label == _RATE else max(np.max(np.asarray(one.get_array())) for one in cells)
    for one in cells:
        one.set_clim(0.0, most)
    figure.colorbar(cells[0], ax=list(row), label=label, pad=0.01)

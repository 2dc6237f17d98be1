"""The look that all plots share: colours, axes, legends, and checks of what is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, MUTED, PALE = "#2b2f36", "#737a85", "#e6e9ee"
# Safe for colour-blind readers (Okabe and Ito, with a darker yellow, and a wine red).
# There are 9 colours and 7 markers, so a pair of them repeats only after 63 clusters.
COLOURS = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#6b6b6b", "#b0a000",
    "#882255",
)  # fmt: skip
# The same colours on a dark ground, where the darkest ones would hardly be seen.
COLOURS_ON_DARK = (
    "#3d9be0", "#F0B429", "#1FBF92", "#DE97C0", "#8ACBF2", "#F0803C", "#a3a3a3", "#d2c52b",
    "#c8628f",
)  # fmt: skip
MARKERS = "os^DvPX"
DARK, LIGHT = "#0072B2", "#a9cbe2"
LIGHT_ON_DARK = "#2f5673"
BESIDE: dict[str, Any] = {
    "loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0.0, "frameon": False,
    "fontsize": 9, "labelcolor": INK, "alignment": "left",
}  # fmt: skip


def one_each(values: ArrayLike, count: int, what: str) -> NDArray[np.float64]:
    """Values that are one number each of so many things."""
    found = checks.numbers(values, what)
    if found.shape != (count,):
        raise ValueError(f"{what} must be {count} numbers, got an array of shape {found.shape}")
    return found


def set_title(ax: Axes, title: str) -> None:
    """Write the title at the left."""
    ax.set_title(title, loc="left", color=INK, fontsize=11, fontweight="bold")


def plain(ax: Axes, title: str, across: str, upwards: str) -> Axes:
    """Axes with labels, pale grid lines and no frame."""
    from matplotlib.ticker import EngFormatter

    set_title(ax, title)
    ax.set_xlabel(across, color=INK)
    ax.set_ylabel(upwards, color=INK)
    if across == "training step":
        ax.xaxis.set_major_formatter(EngFormatter(sep=""))  # 20k and not 20000
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(MUTED)
    ax.tick_params(colors=MUTED, labelsize=8)
    ax.grid(color=PALE, linewidth=0.7)
    ax.set_axisbelow(True)
    return ax


def given_or_new(ax: Axes | None, width: float, height: float) -> Axes:
    """The given axes, or those of a new figure of this size."""
    from matplotlib.figure import Figure

    if ax is not None and not hasattr(ax, "get_window_extent"):
        raise ValueError(f"ax must be axes of matplotlib or None, got {checks.brief(ax)}")
    return (
        ax
        if ax is not None
        else Figure(figsize=(width, height), layout="constrained").add_subplot()
    )


def line_look(index: int) -> dict[str, Any]:
    """The colour, marker and line style of a curve; each of them distinguishes a few curves."""
    return {
        "color": COLOURS[index % len(COLOURS)], "marker": MARKERS[index % len(MARKERS)],
        "linestyle": ("-", (0, (5, 1.5)), "-.", ":")[index % 4], "linewidth": 1.6,
        "markersize": 4.5, "markeredgecolor": "white", "markeredgewidth": 0.4,
    }  # fmt: skip

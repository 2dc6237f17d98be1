"""Colours (safe for colour-blind readers) and font sizes of the pictures of all environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, MUTED, PALE, WHITE = "#2b2f36", "#737a85", "#e6e9ee", "#ffffff"
# The report exchanges these colours on a dark ground; letters on a light tile keep theirs.
DARK_LETTER, MUTED_LETTER = "#2b2f37", "#737a86"
BLUE, ORANGE, GOOD, BAD = "#0072B2", "#E69F00", "#009E73", "#D55E00"
TITLE: dict[str, Any] = {"size": 11, "weight": "bold", "ha": "center", "va": "center"}
SMALL: dict[str, Any] = {"size": 8, "ha": "center", "va": "center"}


def fit(ax: Axes) -> None:
    """Shrink text and markers on axes that are smaller than those of a 4 by 3 inch figure."""
    box, dpi = ax.get_window_extent(), ax.figure.dpi
    scale = min(box.width / dpi / 3.1, box.height / dpi / 2.3, 1.0)
    for text in ax.texts:
        text.set_fontsize(scale * float(text.get_fontsize()))
    for line in ax.lines:
        line.set(markersize=scale * line.get_markersize(), linewidth=scale * line.get_linewidth())

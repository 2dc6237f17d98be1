"""The figures of a run as files: written once, with their captions, and shown in the report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from taskspace.files import read_json, write_figure, write_json
from taskspace.report import html

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

MOST_POINTS_OF_SVG = 500  # more points are an image within the SVG, which is smaller and faster
_DPI = 200  # sharp on high-resolution screens and in print
_MARGIN = 0.1  # inches
_CAPTIONS = "captions.json"


@dataclass(frozen=True)
class Drawing:
    """A figure with its heading, caption and alternative text in the report."""

    name: str
    heading: str
    caption: str
    alt: str
    figure: Figure
    wide: bool = False


def save(drawings: Iterable[Drawing], folder: Path) -> None:
    """Write all figures as PNG and SVG files, and their captions as JSON."""
    folder.mkdir()
    captions = []
    for drawing in drawings:
        box = _laid_out(drawing.figure)
        if _points(drawing.figure) > MOST_POINTS_OF_SVG:
            _rasterize(drawing.figure)
        for kind in ("png", "svg"):
            path = folder / f"{drawing.name}.{kind}"
            write_figure(drawing.figure, path, dpi=_DPI, bbox_inches=box)
        captions.append({
            "file": f"{drawing.name}.svg", "heading": drawing.heading,
            "caption": drawing.caption, "alt": drawing.alt, "wide": drawing.wide,
        })  # fmt: skip
    write_json(captions, folder / _CAPTIONS)


def _laid_out(figure: Figure) -> Bbox:
    """Lay the figure out, and return what it takes up, in inches.

    Matplotlib would do both for every file, which takes longer than drawing it.
    """
    if (engine := figure.get_layout_engine()) is not None:  # pictures of tasks have none
        engine.execute(figure)
    figure.set_layout_engine(None)  # keeps the positions
    return figure.get_tightbbox().padded(_MARGIN)


def load(folder: Path) -> list[html.Figure]:
    """Load the figures written by `save`, for a report."""
    return [
        html.Figure(image=folder / caption.pop("file"), **caption)
        for caption in read_json(folder / _CAPTIONS)
    ]


def _rasterize(figure: Figure) -> None:
    """Let points and lines be an image; words stay words, and its ground is transparent."""
    for ax in figure.axes:
        for artist in (*ax.collections, *ax.lines):
            artist.set_rasterized(True)


def _points(figure: Figure) -> int:
    """The number of points in the lines and markers of a figure."""
    count = 0
    for ax in figure.axes:
        count += sum(np.size(line.get_xdata()) for line in ax.lines)
        count += sum(np.shape(marks.get_offsets())[0] for marks in ax.collections)
    return count

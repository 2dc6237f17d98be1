"""Drawings that follow the colour scheme of the reader."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from taskspace.files import write_figure
from taskspace.report import plots
from taskspace.report.svg import follow_scheme


def test_no_colour_of_a_plot_is_fixed(tmp_path: Path) -> None:
    figure = Figure()
    plots.plot_scree([6.0, 3.0, 1.0], [2.0, 1.5, 1.2], ax=figure.add_subplot())
    write_figure(figure, tmp_path / "plot.svg")
    drawn = follow_scheme((tmp_path / "plot.svg").read_text())
    style, _, drawing = drawn.partition("</style>")
    for colour in (plots.INK, plots.MUTED, plots.PALE, "#ffffff", plots.COLOURS[0].lower()):
        assert colour in style
        assert colour not in drawing
    assert "prefers-color-scheme:dark" in style


def test_what_is_no_drawing_stays() -> None:
    assert follow_scheme("text") == "text"

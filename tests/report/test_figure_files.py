"""Figures of a run as files: written in two forms, with their captions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from taskspace.report import figure_files
from taskspace.report.figure_files import MOST_POINTS_OF_SVG, Drawing


def drawing(name: str, points: int, wide: bool = False) -> Drawing:
    figure = Figure(figsize=(2, 2))
    figure.add_subplot().scatter(np.arange(points), np.arange(points))
    return Drawing(name, f"Heading of {name}", f"Caption of {name}", f"Alt of {name}", figure, wide)


def test_what_is_saved_is_loaded_in_its_order(tmp_path: Path) -> None:
    drawings = [drawing("map", 3, wide=True), drawing("difficulty", 4)]
    figure_files.save(drawings, tmp_path / "figures")
    loaded = figure_files.load(tmp_path / "figures")
    for made, found in zip(drawings, loaded, strict=True):
        told = (found.heading, found.caption, found.alt, found.wide)
        assert told == (made.heading, made.caption, made.alt, made.wide)
        assert found.image.stem == made.name
    for name in ("map", "difficulty"):
        assert (tmp_path / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert (tmp_path / "figures" / f"{name}.svg").read_text().startswith("<?xml")


def scatter_size(folder: Path, points: int) -> int:
    figure_files.save([drawing("map", points)], folder)
    (found,) = figure_files.load(folder)
    assert found.image.suffix == ".svg"
    return found.image.stat().st_size


def test_many_points_are_an_image_within_the_drawing(tmp_path: Path) -> None:
    few = scatter_size(tmp_path / "few", MOST_POINTS_OF_SVG)
    many = scatter_size(tmp_path / "many", MOST_POINTS_OF_SVG + 1)
    assert "<image" not in (tmp_path / "few" / "map.svg").read_text()
    assert "<image" in (tmp_path / "many" / "map.svg").read_text()
    assert many < few


def test_lines_count_as_points_too(tmp_path: Path) -> None:
    line = Figure(figsize=(2, 2))
    line.add_subplot().plot(np.zeros(MOST_POINTS_OF_SVG + 1))
    figure_files.save([Drawing("line", "line", "line", "line", line)], tmp_path / "figures")
    assert "<image" in (tmp_path / "figures" / "line.svg").read_text()

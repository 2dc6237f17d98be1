"""Figures of a run: written in two forms, and shown in the smaller one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from taskspace.report import figures
from taskspace.report.figures import MOST_POINTS_OF_SVG, Drawing


def drawing(name: str, points: int, wide: bool = False) -> Drawing:
    figure = Figure(figsize=(2, 2))
    figure.add_subplot().scatter(np.arange(points), np.arange(points))
    return Drawing(name, f"Heading of {name}", f"Caption of {name}", f"Alt of {name}", figure, wide)


def test_what_is_saved_is_loaded_in_its_order(tmp_path: Path) -> None:
    drawings = [drawing("map", 3, wide=True), drawing("difficulty", 4)]
    figures.save(drawings, tmp_path / "figures")
    loaded = figures.load(tmp_path / "figures")
    for made, found in zip(drawings, loaded, strict=True):
        told = (found.heading, found.caption, found.alt, found.wide)
        assert told == (made.heading, made.caption, made.alt, made.wide)
        assert found.image.stem == made.name
    for name in ("map", "difficulty"):
        assert (tmp_path / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert (tmp_path / "figures" / f"{name}.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("points", "kind"), [(MOST_POINTS_OF_SVG, ".svg"), (MOST_POINTS_OF_SVG + 1, ".png")]
)
def test_many_points_are_shown_as_an_image(tmp_path: Path, points: int, kind: str) -> None:
    figures.save([drawing("map", points)], tmp_path / "figures")
    (found,) = figures.load(tmp_path / "figures")
    assert found.image.suffix == kind


def test_lines_and_images_count_as_points_too(tmp_path: Path) -> None:
    line, image = Figure(figsize=(2, 2)), Figure(figsize=(2, 2))
    line.add_subplot().plot(np.zeros(MOST_POINTS_OF_SVG + 1))
    image.add_subplot().imshow(np.zeros((30, 30)))
    figures.save(
        (
            Drawing(name, name, name, name, each)
            for name, each in (("line", line), ("image", image))
        ),
        tmp_path / "figures",
    )
    assert [found.image.suffix for found in figures.load(tmp_path / "figures")] == [".png", ".png"]

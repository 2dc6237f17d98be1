"""The notebooks of the gallery run, and their pages show what they contain."""

from __future__ import annotations

import re
import runpy
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

ROOT = Path(__file__).parent.parent
PAGES = ROOT / "docs" / "gallery"
NEEDS = {"own_environment": "stable_baselines3"}


gallery: Any = SimpleNamespace(**runpy.run_path(str(ROOT / "docs" / "gallery.py")))
NAMES = gallery.notebooks()


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """The cells of all notebooks that can run here, with fast settings, in one kernel."""
    found = {
        name: gallery.read(name, fast=True)
        for name in NAMES
        if name not in NEEDS or find_spec(NEEDS[name])
    }
    between = [gallery.Cell("", "%reset -f")]
    every = [cell for cells in found.values() for cell in between + cells]
    gallery.execute(every, str(tmp_path_factory.mktemp("notebooks")))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_notebook_runs_and_draws_its_result(name: str, executed: dict[str, list[Any]]) -> None:
    if name not in executed:
        pytest.skip(f"{NEEDS[name]} is not installed: pip install 'taskspace[rl]'")
    (result,) = [cell for cell in executed[name] if cell.title == "result"]
    drawn = [output for output in result.outputs if "image/png" in output.get("data", {})]
    assert len(drawn) == 1


@pytest.mark.parametrize("name", NAMES)
def test_the_page_opens_with_the_result_and_is_up_to_date(name: str) -> None:
    """`python docs/gallery.py NAME` writes the page."""
    page = (PAGES / f"{name}.md").read_text()
    title, picture, explained = page.split("\n\n")[:3]
    assert title.startswith("# ")
    assert re.fullmatch(rf"!\[.+\]\({name}\.png\)", picture)
    assert explained.startswith("**What one sees.**")
    missing = [
        cell.text
        for cell in gallery.read(name)
        if cell.text.replace(gallery.RESULT, f"{name}.png") not in page
    ]
    assert not missing


@pytest.mark.parametrize("name", NAMES)
def test_settings_are_smaller_in_tests_and_say_so_nowhere_else(name: str) -> None:
    real, fast = gallery.read(name), gallery.read(name, fast=True)
    differing = [(a, b) for a, b in zip(real, fast, strict=True) if a.text != b.text]
    assert len(differing) == 1
    assert not [cell for cell in real + fast if "fast: " in cell.text]


def test_pictures_are_small_and_used() -> None:
    pages = "\n".join(path.read_text() for path in PAGES.glob("*.md"))
    for picture in PAGES.glob("*.png"):
        assert picture.stat().st_size < 100_000
        assert f"({picture.name})" in pages


@pytest.mark.parametrize("name", NAMES)
def test_the_gallery_has_a_card_for_the_notebook(name: str) -> None:
    assert f"]({name}.png)]({name}.md)" in (PAGES / "index.md").read_text()
    assert f"gallery/{name}.md" in (ROOT / "mkdocs.yml").read_text()


@pytest.mark.parametrize("name", NAMES)
def test_the_notebook_to_download_is_valid_and_opens_with_its_picture(name: str) -> None:
    book = nbformat.reads(gallery.notebook(name), as_version=4)
    nbformat.validate(book)
    first = book.cells[0]
    assert f"](attachment:{gallery.RESULT})" in first.source
    assert set(first.attachments) == {gallery.RESULT}
    assert not [cell for cell in book.cells if "](../" in cell.source]  # pages are not beside it

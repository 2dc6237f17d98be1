"""The page as one file: opened from disk, with the network cut off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from taskspace.explore.export import export_page
from taskspace.models.embedding.ordinal_embedder import OrdinalEmbedder
from taskspace.outcomes.outcomes import Outcomes
from taskspace.runs.run import Run
from tests.explore.browser import chromium
from tests.messages import says


@pytest.mark.slow
def test_the_file_works_from_disk_without_a_network(keys: Run, tmp_path: Path) -> None:
    with chromium() as browser:
        path = tmp_path / "page.html"
        export_page(keys, path)
        assert list(tmp_path.iterdir()) == [path]
        context = browser.new_context(viewport={"width": 1280, "height": 800}, offline=True)
        page, asked = context.new_page(), asked_for(context)
        page.goto(
            f"{path.as_uri()}#tab=quiz&quiz=task-1:1&quiz=task-2:0&colour=predicted&task=task-3"
        )
        page.wait_for_selector("html[data-ready]", state="attached", timeout=60_000)
        assert page.inner_text("#title") == "MultiKeyNav"
        assert page.inner_text("#question-name") == "task-3"
        colours = page.evaluate("Array.from(explorer.map.drawn.colouring.values)")
        assert len(colours) == 160
        assert np.ptp(colours) > 0.1
        page.click("[data-result='1']")
        assert "task-3%3A1" in page.evaluate("location.hash")
        page.click("#tab-new")
        assert page.locator("#panel-new [data-list=nearest] .card").count() == 4
        assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
        assert [url for url in asked if url.startswith("file:")] == [f"{path.as_uri()}"]


def asked_for(context: Any) -> list[str]:
    found: list[str] = []
    context.on("request", lambda request: found.append(request.url.partition("#")[0]))
    return found


def test_too_many_tasks_are_refused_before_any_work(tmp_path: Path) -> None:
    once: Any = 1
    outcomes = Outcomes(np.zeros((1, 20_001)), once)
    table = Run(tmp_path, outcomes=outcomes, embedder=OrdinalEmbedder())
    with pytest.raises(ValueError, match=says("20000 20001")):
        export_page(table, tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("outcomes.npz", ".html"),
        ("report.html", "report.html"),
    ],
)
def test_files_of_the_run_are_not_overwritten(keys: Run, name: str, tokens: str) -> None:
    before = (keys.folder / "outcomes.npz").read_bytes()
    report = keys.folder / "report.html"
    report.write_text("mine")
    with pytest.raises(ValueError, match=says(tokens)):
        export_page(keys, keys.folder / name)
    assert (keys.folder / "outcomes.npz").read_bytes() == before
    assert report.read_text() == "mine"

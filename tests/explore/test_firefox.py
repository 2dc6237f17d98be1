"""The explorer in Firefox: the map is drawn, every panel opens, and a quiz is answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from taskspace.runs.run import Run
from tests.explore.browser import served
from tests.explore.firefox import firefox

pytestmark = pytest.mark.slow

PANELS = ("quiz", "select", "agents", "compare", "redundant", "test", "doctor")


def test_the_main_views_work_in_firefox(copies: Run, tmp_path: Path) -> None:
    api = pytest.importorskip("taskspace.explore.api", reason="fastapi is not installed")
    with served(api.create_app(copies)) as url, firefox(tmp_path) as page:
        page.open(url)
        page.wait_for("document.documentElement.dataset.ready")
        page.run(
            "window.faults = []; window.addEventListener('error', (e) => faults.push(`${e}`));"
        )
        assert page.run("return explorer.map.drawn.x.length;") == 24
        names = page.run("return document.querySelectorAll('#names text').length;")
        assert names == len(set(copies.clusters.labels.tolist()))
        for name in PANELS:
            page.click(f"#tab-{name}")
            shown = page.run(f"return document.getElementById('panel-{name}').innerText;")
            assert len(shown) > 50, name
        page.click("#tab-quiz")
        page.click("#propose")
        page.click("[data-result='1']")
        page.wait_for("document.querySelectorAll('.answers li').length === 1")
        page.wait_for("document.getElementById('score')")  # from the server
        assert page.run("return explorer.map.drawn.colouring.values.length;") == 24
        assert page.run("return faults;") == []

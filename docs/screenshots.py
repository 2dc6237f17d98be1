"""Take the pictures of the explorer in docs/images: `python docs/screenshots.py RUN`.

RUN is a folder that `taskspace run` made; the pictures of the documentation are of MultiKeyNav. It
needs playwright and Chromium (TASKSPACE_CHROMIUM may name it), but no screen.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from taskspace.explore.export import export_page
from taskspace.finished import FinishedMap

FOLDER = Path(__file__).parent / "images"
OPTIONS = ("--no-sandbox", "--enable-unsafe-swiftshader", "--use-angle=swiftshader")
AGENT = "40"  # that is loaded


def main(run: str) -> None:
    """Open the exported page from disk and look at it three times."""
    named = os.environ.get("TASKSPACE_CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path = Path(folder) / "page.html"
        export_page(FinishedMap.load(run), path)
        browser = driver.chromium.launch(executable_path=named, args=OPTIONS)
        page = open_page(browser, path)
        look(page, "task=7", "explorer-light.png")
        page.click("#tab-quiz")
        page.select_option("[aria-label='Load an agent']", AGENT)
        page.wait_for_selector(".answers li:nth-child(10)")
        page.locator("#comparison").scroll_into_view_if_needed()
        page.locator(".scatter + p").scroll_into_view_if_needed()
        take(page, "explorer-quiz.png")
        page.click("#theme")
        page.select_option("[aria-label='Load an agent']", "")
        look(page, "view=axes&colour=difficulty&tab=new&made=0.3,1,0,0,1,1,0", "explorer-dark.png")
        browser.close()


def open_page(browser: Any, path: Path) -> Any:
    """The page, drawn."""
    size = {"width": 1280, "height": 800}
    page = browser.new_page(viewport=size, device_scale_factor=1.5, color_scheme="light")
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]", state="attached", timeout=120_000)
    return page


def look(page: Any, state: str, name: str) -> None:
    """The view with this address."""
    page.evaluate("(state) => { location.hash = state; }", state)
    take(page, name)


def take(page: Any, name: str) -> None:
    """A picture of the page as it is."""
    page.wait_for_timeout(1500)  # until the points are drawn
    page.screenshot(path=FOLDER / name)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python docs/screenshots.py RUN")
    main(sys.argv[1])

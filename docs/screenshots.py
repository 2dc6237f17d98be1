"""Take the pictures of the explorer in docs/images: `python docs/screenshots.py RUN`.

RUN is a folder that `taskspace run` made; the pictures of the documentation are of MultiKeyNav. It
needs playwright and Chromium (TASKSPACE_CHROMIUM may name it), but no screen.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from taskspace.explore.export import export_page
from taskspace.runs.run import open_run
from taskspace.testing.browser import chromium, open_page

FOLDER = Path(__file__).parent / "images"
AGENT = 40  # the number of the agent that is loaded


def main(run: str) -> None:
    """Open the exported page from disk and look at it three times."""
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        path = Path(folder) / "page.html"
        export_page(open_run(run), path)
        page = open_page(browser, path.as_uri(), device_scale_factor=1.5)
        look(page, "task=task-7", "explorer-light.png")
        page.click("#tab-quiz")
        page.fill("[aria-label='Load an agent']", page.evaluate(f"explorer.space.agents[{AGENT}]"))
        page.keyboard.press("Enter")
        page.wait_for_selector(".answers li:nth-child(10)")
        page.locator("#comparison").scroll_into_view_if_needed()
        page.locator(".scatter + p").scroll_into_view_if_needed()
        take(page, "explorer-quiz.png")
        page.click("#theme")
        page.click("#unload")
        look(page, "view=axes&colour=difficulty&tab=new&made=0.3,1,0,0,1,1,0", "explorer-dark.png")


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

"""A headless browser, for tests, benchmarks and screenshots of the explorer's page."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from typing import Any

_NAMES = ("chromium", "chromium-browser", "google-chrome")
# WebGL without a graphics card, and no background network traffic.
_OPTIONS = (
    "--no-sandbox", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run", "--enable-unsafe-swiftshader", "--use-angle=swiftshader",
)  # fmt: skip


class NoBrowser(Exception):
    """There is no browser, or playwright is not installed."""


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """Start Chromium with playwright; the variable TASKSPACE_CHROMIUM may name the executable."""
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        raise NoBrowser("there is no package playwright; install it with pip") from None
    found = os.environ.get("TASKSPACE_CHROMIUM") or next(
        filter(None, map(shutil.which, _NAMES)), None
    )
    if found is None:
        named = ", ".join(_NAMES)
        raise NoBrowser(f"there is no browser ({named}); set TASKSPACE_CHROMIUM to its path")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=_OPTIONS)
        try:
            yield browser
        finally:
            browser.close()


def open_page(browser: Any, url: str, **settings: Any) -> Any:
    """Open the explorer's page and wait until it is drawn."""
    size = {"width": 1280, "height": 800}
    page = browser.new_page(viewport=size, color_scheme="light", **settings)
    page.goto(url)
    page.wait_for_selector("html[data-ready]", state="attached", timeout=120_000)
    return page

"""A machine without a browser is told apart from one whose browser fails."""

from __future__ import annotations

import pytest

from taskspace.testing.browser import NoBrowser, chromium, open_page


def test_no_browser_is_an_exception_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TASKSPACE_CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(NoBrowser), chromium():
        pass


class Page:
    """Records where it went."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def goto(self, url: str) -> None:
        self.calls.append(url)

    def wait_for_selector(self, selector: str, **_: object) -> None:
        self.calls.append(selector)


class Browser:
    """Records how pages are opened."""

    def new_page(self, **settings: object) -> Page:
        self.settings = settings
        return Page()


def test_a_page_is_opened_once_it_is_drawn() -> None:
    browser = Browser()
    page = open_page(browser, "http://127.0.0.1:1/", has_touch=True)
    assert page.calls[0] == "http://127.0.0.1:1/"
    assert "data-ready" in page.calls[1]
    assert browser.settings["has_touch"] is True

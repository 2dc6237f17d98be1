"""The pages of the explorer have no serious fault that axe-core finds, in light and dark."""

from __future__ import annotations

from importlib import resources
from typing import Any

import pytest

from taskspace.explore.student_quiz import StudentQuiz
from taskspace.runs.run import Run
from tests.explore.browser import READY, STILL, served

pytestmark = pytest.mark.slow

SERIOUS = {"serious", "critical"}
VIEWS = (
    "task=q3", "tab=quiz&task=q3&quiz=q2:1", "tab=agents&who=agent-1",
    'tab=select&filters=[{"what":"label topic","among":["sums"]}]',
    "tab=compare&first=agent-1&second=agent-2", "tab=redundant", "tab=test", "tab=doctor",
)  # fmt: skip


@pytest.fixture(scope="module")
def axe() -> str:
    package = pytest.importorskip("axe_playwright_python", reason="there is no axe-core")
    return (resources.files(package) / "axe.min.js").read_text("utf-8")


def faults(page: Any) -> list[str]:
    """Faults in light and, of contrast, which is all that differs, in dark."""
    return [*_found(page, "{}"), *_in_dark(page)]


def _in_dark(page: Any) -> list[str]:
    page.emulate_media(color_scheme="dark")
    found = _found(page, "{ runOnly: ['color-contrast'] }")
    page.emulate_media(color_scheme="light")
    return [f"dark {each}" for each in found]


def _found(page: Any, options: str) -> list[str]:
    found = page.evaluate(f"axe.run(document, {options})")["violations"]
    return [
        f"{each['id']}: {node['target']}"
        for each in found
        if each["impact"] in SERIOUS
        for node in each["nodes"]
    ]


def test_the_views_of_the_map(browser: Any, copies: Run, axe: str) -> None:
    api = pytest.importorskip("taskspace.explore.api", reason="fastapi is not installed")
    with served(api.create_app(copies)) as url:
        page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme="light")
        page.goto(url)
        page.wait_for_selector(**READY)
        page.evaluate(axe)
        for view in VIEWS:
            page.evaluate("(hash) => { location.hash = hash; }", view)
            page.evaluate(STILL)
            assert faults(page) == [], view
        page.click("[aria-label='Colour by an agent']")  # opens its list
        assert faults(page) == []
        page.close()


def test_the_quiz_of_a_student(browser: Any, copies: Run, axe: str) -> None:
    app = pytest.importorskip("taskspace.explore.student_app", reason="fastapi is not installed")
    with served(app.create_quiz_app(StudentQuiz(copies, 1, text="topic"))) as url:
        page = browser.new_page(color_scheme="light")
        page.goto(url)
        page.wait_for_selector("[data-solved=true]")
        page.evaluate(axe)
        assert faults(page) == []
        page.click("[data-solved=true]")
        page.wait_for_selector("#student-score")
        assert faults(page) == []
        page.close()

"""The interactive map: one page without a network, and what it does in a browser."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.report.interactive import MOST_TASKS, InteractiveMap
from tests.explore.browser import NASTY, STILL, chromium
from tests.messages import says

POINTS = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])


def four(**more: Any) -> InteractiveMap:
    given: Any = {"clusters": [0, 0, 1, 1], "cluster_names": ["low", "high"], **more}
    return ts.plot_map(POINTS, interactive=True, **given)


def test_the_page_has_everything_in_it() -> None:
    page = four(names=["a", "b", "c", "d"], labels={"topic": ["x", "y", "x", "y"]}).html
    assert "http" not in page
    assert '"topic":["x","y","x","y"]' in page
    assert '"clusters":["low","high"]' in page


def test_names_cannot_end_the_script() -> None:
    page = four(names=["</script><script>alert(1)</script>", "b", "c", "d"]).html
    assert page.count("</script>") == 2


@pytest.mark.parametrize(
    ("given", "tokens"),
    [
        ({"names": ["a"]}, "names 4 1"),
        ({"labels": {"topic": ["a"] * 5}}, "topic 4 5"),
        ({"names": "abcd"}, "names list"),
        ({"ax": 1}, "ax None"),
        ({"numbers": [1.0]}, "numbers 4"),
    ],
)
def test_what_is_not_one_per_task_is_refused(given: dict[str, Any], tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        four(**given)


def test_too_many_tasks_are_refused() -> None:
    with pytest.raises(ValueError, match=says("100,000")):
        ts.plot_map(np.zeros((MOST_TASKS + 1, 2)), interactive=True)


def test_numbers_and_nothing_at_all_give_colours() -> None:
    found = ts.plot_map(POINTS, numbers=[0.0, 0.5, 1.0, np.nan], interactive=True).html
    (listed,) = re.findall(r'"colour":\[(.*?)\]', found)
    assert listed.count('"#') == 4
    assert '"value":["0","0.5","1",""]' in found
    assert '"clusters":[]' in ts.plot_map(POINTS, interactive=True).html


@pytest.mark.slow
def test_a_browser_shows_tasks_and_hides_clusters(tmp_path: Path) -> None:
    four(
        names=[NASTY, "b", "c", "d"], labels={"topic": ["x"] * 4}, difficulty=[0.25] * 4
    ).save(tmp_path / "map.html")  # fmt: skip
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 600, "height": 480})
        page.goto((tmp_path / "map.html").as_uri())
        box = page.locator("canvas").bounding_box()
        x, y = page.evaluate("() => place(0)")
        page.mouse.move(box["x"] + x, box["y"] + y)
        tip = page.locator("#tip")
        assert tip.inner_text().split("\n") == [NASTY, "low", "difficulty: 0.25", "topic: x"]
        assert not page.evaluate("() => window.broken")
        before = page.evaluate("() => camera.scale")
        page.mouse.wheel(0, -200)
        page.evaluate(STILL)
        assert page.evaluate("() => camera.scale") > before
        assert page.evaluate("() => nearest(...place(0))") == 0  # zooming keeps what is there
        page.locator("#legend button").first.click()
        assert page.evaluate("() => nearest(...place(0))") == -1
        page.locator("canvas").dblclick()
        assert page.evaluate("() => camera.scale") == pytest.approx(before)
        page.keyboard.press("+")
        assert page.evaluate("() => camera.scale") > before

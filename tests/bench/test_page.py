"""Without a browser there is nothing to measure, and the report says so."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from taskspace.bench import page
from taskspace.testing.browser import NoBrowser


def test_a_machine_without_a_browser_gets_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TASKSPACE_CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(NoBrowser) as error:
        page.measure_all()
    text = io.StringIO()
    page.print_report(Console(file=text, width=500))
    assert text.getvalue().count("\n") == 1
    assert str(error.value) in text.getvalue()


class Session:
    """The time that a page has worked grows by 30 ms with each look."""

    seconds = 0.0

    def send(self, what: str) -> dict[str, list[dict[str, object]]]:
        if what == "Performance.getMetrics":
            self.seconds += 0.03
        return {
            "metrics": [
                {"name": "Other", "value": 9},
                {"name": "TaskDuration", "value": self.seconds},
            ]
        }


class Page:
    """Stands for a page whose pictures come every 10 ms, but for one."""

    def __init__(self) -> None:
        self.mouse = self.context = self
        self.acts: list[str] = []

    def locator(self, _: str) -> Page:
        return self

    def bounding_box(self) -> dict[str, float]:
        return {"x": 10, "y": 20, "width": 100, "height": 50}

    def new_cdp_session(self, _: object) -> Session:
        return Session()

    def move(self, x: float, y: float) -> None:
        assert (x, y) == (60, 45)  # the middle of the map

    def down(self) -> None:
        self.acts.append("down")

    def up(self) -> None:
        self.acts.append("up")

    def wait_for_timeout(self, _: int) -> None:
        self.acts.append("wait")

    def evaluate(self, _: str, arguments: list[object]) -> list[float]:
        what, steps, *_middle = arguments
        assert isinstance(steps, int)
        self.acts.append(str(what))
        return [10.0] * (steps - 1) + [10.0 * (1 + steps)]


@pytest.mark.parametrize("what", page.STEPS)
def test_times_are_those_between_pictures_and_work_is_that_of_one_act(what: str) -> None:
    seen = Page()
    found = page.measure(seen, what)
    assert found.mean == pytest.approx(20)
    assert found.p95 >= 10
    assert found.script == pytest.approx(30 / page.STEPS[what])
    assert seen.acts == [*(["down"] if what == "drag" else []), what, "up", "wait"]

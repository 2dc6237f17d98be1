"""The benchmark measures what it says; how much it takes is not a matter for tests."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from taskspace.bench import million

pytestmark = pytest.mark.slow


def test_every_step_is_in_the_report_and_in_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(million, "MANY", 20)
    found = {"10 × 300": million.measure(10, 300, steps=20), "20 × 300": million.measure(20, 300)}
    plain = json.loads(json.dumps(million.as_json(found)))
    size, many = plain["10 × 300"], plain["20 × 300"]
    assert size["table"] == 300 * 10
    assert list(many["steps"]) == list(size["steps"])[:4]  # without the paper's map
    assert size["matrix"] == 4 * 300**2
    assert all(step["seconds"] > 0 for step in size["steps"].values())
    monkeypatch.setattr(million, "measure_all", lambda: found)
    text = io.StringIO()
    million.print_report(Console(file=text, width=100))
    assert all(name in text.getvalue() for name in ("fit, 20 steps", *size["steps"]))

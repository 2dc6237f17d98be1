"""The benchmark measures what it says; how much it takes is not a matter for tests."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from taskspace.bench import million

pytestmark = pytest.mark.slow


def test_every_step_is_in_the_report_and_in_json(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"300 tasks": million.measure(300, steps=20)}
    size = json.loads(json.dumps(million.as_json(found)))["300 tasks"]
    assert size["table"] == 300 * million.AGENTS
    assert size["matrix"] == 4 * 300**2
    assert all(step["seconds"] > 0 for step in size["steps"].values())
    monkeypatch.setattr(million, "measure_all", lambda: found)
    text = io.StringIO()
    million.print_report(Console(file=text, width=100))
    assert all(name in text.getvalue() for name in ("fit, 20 steps", *size["steps"]))

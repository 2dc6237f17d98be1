"""The benchmark measures what it says; how much it takes is not a matter for tests."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest
from rich.console import Console

from taskspace.bench import million

pytestmark = pytest.mark.slow

STEPS = """
import json
import numpy as np
from taskspace.bench import million
clock = million._Clock()
block = clock("make", lambda: np.ones(6_000_000))
clock("use", lambda: block[:10].sum())
print(json.dumps([step.peak for step in clock.steps.values()]))
"""


def test_peaks_are_of_the_step_alone() -> None:
    # In a process of its own: this one may hold memory that it has freed, and use it again.
    done = subprocess.run([sys.executable, "-c", STEPS], capture_output=True, text=True, check=True)
    made, used = json.loads(done.stdout)
    assert 40e6 < made < 80e6  # 48 MB
    assert used < 20e6


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

"""The benchmark measures what it says; how fast things are is not a matter for tests."""

from __future__ import annotations

import io
import json
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from taskspace.bench import growth
from taskspace.bench.clock import Step

SMALL = {
    "evaluate": (1, 2), "success model": (320, 330), "explorer": (30, 60), "predictor": (40, 50),
    "map of a table": (40, 50), "load outcomes": (30, 60), "map of a model": (2, 4),
}  # fmt: skip


def test_exponents_are_those_of_powers() -> None:
    sizes = [10, 100, 1000]
    steps = [Step(1e-3 * n**2, 1e7 * n) for n in sizes]
    found = growth.Growth(sizes, steps)
    assert found.exponent == pytest.approx(2)
    assert found.memory_exponent == pytest.approx(1)
    assert growth.Growth(sizes, [replace(step, peak=0.0) for step in steps]).memory_exponent is None


def test_results_depend_on_skills() -> None:
    rates = growth.results(50, 40).rates
    assert np.std(rates.mean(1)) > 0.1
    assert 0.2 < rates.mean() < 0.8


@pytest.mark.slow
def test_every_line_is_measured_and_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = {line.name: line for line in growth.LINES}  # one line of each work
    monkeypatch.setattr(growth, "REPEATS", 1)
    lines = [replace(line, sizes=SMALL.get(line.name, (20, 40))) for line in chosen.values()]
    found = growth.measure_all(lines)
    plain = json.loads(json.dumps(growth.as_json(found)))
    assert all(np.isfinite(line["exponent"]) for line in plain.values())
    monkeypatch.setattr(growth, "measure_all", lambda: found)
    text = io.StringIO()
    growth.print_report(Console(file=text, width=140))
    assert all(name in text.getvalue() for name in found)

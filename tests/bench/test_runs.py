"""Whole runs are measured from outside, in processes of their own."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from taskspace.bench import runs


def test_missing_pairs_are_missing() -> None:
    found = runs.table(200, 50, 0.7)
    assert 0.25 < found.rollouts.mean() < 0.35


@pytest.mark.slow
def test_a_run_has_seconds_memory_and_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    found = runs.measure_all((), {"30 × 12": (30, 12, 0.2)})
    whole = json.loads(json.dumps(runs.as_json(found)))["fit 30 × 12"]
    assert whole["wall"] > 0
    assert whole["cpu"] > sum(whole["stages"].values()) / 100
    assert whole["peak"] > 1e7
    assert {"map", "figures", "predictor"} <= set(whole["stages"])
    monkeypatch.setattr(runs, "measure_all", lambda: found)
    text = io.StringIO()
    runs.print_report(Console(file=text, width=100))
    assert "figures, s" in text.getvalue()

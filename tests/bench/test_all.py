"""Benchmarks become seconds by name, in one file."""

from __future__ import annotations

import dataclasses
import io
import json

import pytest
from rich.console import Console

from taskspace.bench import all as everything
from taskspace.bench import answers, growth, rollouts, runs, search
from taskspace.bench.clock import Step


def test_every_figure_is_in_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    speed = rollouts.Speed(*[2e6] * len(dataclasses.fields(rollouts.Speed)))
    monkeypatch.setattr(rollouts, "measure_all", lambda: {"MultiKeyNav": speed})
    timing = search.Timing(5.0, 6.0, 7.0, 8.0)
    monkeypatch.setattr(search, "measure_all", lambda: {"2 dimensions": timing})
    line = growth.Growth([10, 100], [Step(1.0, 0.0), Step(3.0, 0.0)])
    monkeypatch.setattr(growth, "measure_all", lambda: {"map, by tasks": line})
    taken = {"run": {"similar": answers.Taken(0.25, 0.5)}}
    monkeypatch.setattr(answers, "measure_all", lambda: taken)
    whole = runs.Whole(30.0, 50.0, 1e9, {})
    monkeypatch.setattr(runs, "measure_all", lambda names: {f"run {name}": whole for name in names})
    found = json.loads(json.dumps(everything.as_json(everything.measure_all())))
    assert found["seconds"] == {
        "rollouts: MultiKeyNav, a million steps": 0.5,
        "search: 2 dimensions": 0.005,
        "growth: map, by tasks, 100": 3.0,
        "answers: similar run": 0.25,
        "runs: run MultiKeyNav": 30.0,
    }
    assert found["machine"]["cores"] >= 1
    told = capsys.readouterr().err.splitlines()
    assert told == [
        f"{part} took 0 s" for part in ("rollouts", "search", "growth", "answers", "runs")
    ]
    text = io.StringIO()
    everything.print_report(Console(file=text, width=100))
    assert "search: 2 dimensions" in text.getvalue()

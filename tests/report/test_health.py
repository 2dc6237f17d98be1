"""The section about the population: verdict, advice, and two figures."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.applications.answers import Unanswered
from taskspace.report import figures, health, html
from tests.models.embedding.tables import results_of


def run_of(agents: int, tasks: int = 24) -> Any:
    """A run that has only a diagnosis."""
    rng = np.random.default_rng(0)
    skills = np.repeat(rng.normal(size=(agents, 3)), tasks // 3, axis=1)
    solved = rng.random((agents, tasks)) < 1 / (1 + np.exp(-2 * skills))
    return SimpleNamespace(measure="information", diagnosis=ts.diagnose(results_of(1 * solved, 1)))


def test_verdict_advice_and_both_figures() -> None:
    run = run_of(40)
    drawn = {drawing.name: drawing for drawing in figures._population(run)}
    assert tuple(drawn) == health.FIGURES
    shown = {name: html.Figure("caption", Path(name), "alt") for name in drawn}
    text, *pictures = health.sections(run, {**shown, "map": shown[health.SCREE]})
    assert isinstance(text, html.Text)
    assert text.heading == health.HEADING
    *told, comparison = text.paragraphs
    assert run.diagnosis.verdict.startswith(told[0])
    assert told[1:] == list(run.diagnosis.advice)
    assert f"here it is {run.diagnosis.trust:.2f}" in comparison
    assert pictures == [shown[name] for name in health.FIGURES]


def test_a_sample_is_said_to_be_one() -> None:
    (text, *_) = health.sections(run_of(30, tasks=900), {})
    assert isinstance(text, html.Text)
    assert any("sample of 600 of" in paragraph for paragraph in text.paragraphs)


@pytest.mark.parametrize("agents", [5])
def test_what_cannot_be_measured_is_not_drawn(agents: int) -> None:
    run = run_of(agents)
    assert [drawing.name for drawing in figures._population(run)] == [health.SCREE]
    assert health.sections(SimpleNamespace(diagnosis=Unanswered("No.")), {}) == [  # type: ignore[arg-type]
        html.Text(["No."], health.HEADING)
    ]
    assert not list(figures._population(SimpleNamespace(diagnosis=Unanswered("No."))))  # type: ignore[arg-type]

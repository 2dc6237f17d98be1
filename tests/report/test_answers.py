"""The sections of the report that answer questions about a table."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from taskspace.applications.abilities import abilities
from taskspace.applications.answers import Unanswered
from taskspace.applications.redundancy import redundant
from taskspace.applications.subset import choose_subset
from taskspace.outcomes.outcomes import Outcomes
from taskspace.report import answers, html


def outcomes(agents: int = 150) -> Outcomes:
    rng = np.random.default_rng(0)
    solved = rng.normal(size=(agents, 1)) + 0.5 * rng.normal(size=(agents, 16)) > 0
    solved[:, 1] = solved[:, 0]
    topics: Any = np.array(["sums", "areas"] * 8, object)
    names = [f"<b>{number}" for number in range(16)]
    return Outcomes(1 * solved, np.array(1), tasks=np.array(names), task_labels={"topic": topics})


@pytest.fixture(scope="module")
def run() -> Any:
    """The parts of a run that the sections look at."""
    known = outcomes()
    return SimpleNamespace(
        outcomes=known, redundancy=redundant(known), short_test=choose_subset(known, 4),
        abilities=abilities(known),
    )  # fmt: skip


def written(run: Any, folder: Path) -> str:
    image = folder / "figure.svg"
    image.write_text("<svg/>")
    figures = {name: html.Figure(name, image, name) for name in answers.FIGURES}
    path = folder / "report.html"
    html.write_report(path, title="A map", sections=answers.sections(run, figures))
    return path.read_text()


def test_every_question_has_its_section(run: Any, tmp_path: Path) -> None:
    text = written(run, tmp_path)
    for heading in ("Redundant tasks", "A short test", "New agents", "Agents"):
        assert f">{heading}</h2>" in text
    for command in ("redundant .", "subset . -k 4", "agents .", "score .", "quiz ."):
        assert f"<code>taskspace {command}" in text
    assert text.count("<figure>") == 2
    assert "<b>" not in text  # names are text
    assert "&lt;b&gt;0" in text


def test_a_section_without_an_answer_gives_the_reason_and_the_command(
    run: Any, tmp_path: Path
) -> None:
    parts = {"redundancy": "No pairs.", "short_test": "No test.", "abilities": "No agents."}
    reasons = {name: Unanswered(reason) for name, reason in parts.items()}
    text = written(SimpleNamespace(outcomes=run.outcomes, **reasons), tmp_path)
    for reason in parts.values():
        assert reason in text
    assert text.count("<pre ") == 5
    assert "<figure>" not in text


def test_new_agents_are_spoken_of_with_the_errors_of_left_out_ones(run: Any) -> None:
    said = answers._error_of_random(run.short_test)
    comparison = run.short_test.comparison
    errors = [comparison.errors[comparison.row(m, 4)] for m in ("random", "random, plain mean")]
    assert all(f"{error:.3f}" in said for error in errors)


def test_of_returns_only_new_agents_are_spoken_of() -> None:
    returns = Outcomes.from_returns(np.arange(6.0).reshape(3, 2))
    found = answers.sections(SimpleNamespace(outcomes=returns), {})  # type: ignore[arg-type]
    assert [part.heading for part in found if isinstance(part, html.Text)] == ["New agents", ""]


def test_many_agents_are_shown_from_best_to_worst(run: Any) -> None:
    columns, which = answers.shown_agents(run.abilities)
    assert {len(column) for column in columns.values()} == {answers.MOST_AGENTS}
    assert (np.diff(columns["score"]) <= 0).all()
    assert columns["score"][[0, -1]].tolist() == [
        run.abilities.scores.max(), run.abilities.scores.min(),
    ]  # fmt: skip
    assert "150" in which


def test_agents_without_results_are_not_shown() -> None:
    few = Outcomes(np.eye(3, 2, dtype=int), np.array([[1, 1], [1, 1], [0, 0]]))
    columns, which = answers.shown_agents(abilities(few))
    assert len(columns["agent"]) == 2
    assert "results" in which

"""What a run of a table answers, and when it says that it does not."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import taskspace as ts
from taskspace.applications.abilities import Abilities
from taskspace.applications.answers import Unanswered, note_on_test
from taskspace.applications.redundancy import Redundancy
from taskspace.applications.subset import Subset
from taskspace.outcomes.rates import mean_rates
from taskspace.runs import layout, questions


def outcomes(agents: int = 150, tasks: int = 16) -> ts.Outcomes:
    """One skill; the second task is a copy of the first one."""
    rng = np.random.default_rng(0)
    solved = rng.normal(size=(agents, 1)) + 0.5 * rng.normal(size=(agents, tasks)) > 0
    solved[:, 1] = solved[:, 0]
    return ts.Outcomes(1 * solved, np.array(1))


pytestmark = pytest.mark.filterwarnings("ignore::taskspace.models.embedding.verdict.WeakMapWarning")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> ts.Run:
    folder = tmp_path_factory.mktemp("runs") / "course"
    return ts.fit(outcomes(), folder, n_components=2, log=lambda line: None)


def test_the_report_has_the_answers(made: ts.Run) -> None:
    assert isinstance(made.redundancy, Redundancy)
    assert made.redundancy.groups == (("task-0", "task-1"),)
    assert isinstance(made.short_test, Subset)
    assert len(made.short_test.tasks) == 4
    assert isinstance(made.abilities, Abilities)
    report = re.sub(r"</?a\b[^>]*>", "", made.report().read_text())  # terms lead to definitions
    for text in (made.redundancy.summary, made.short_test.verdict, made.abilities.summary):
        assert text.replace("'", "&#x27;") in report
    assert ">Agents</h2>" in report
    assert "-k 4" in report


def test_answers_are_computed_once(made: ts.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("find_redundant", "make_short_test", "describe_agents"):
        monkeypatch.setattr(questions, name, lambda *_: pytest.fail("computed again"))
    again = ts.open_run(made.folder)
    for name in ("redundancy", "short_test", "abilities"):
        assert type(getattr(again, name)) is type(getattr(made, name))
    lines: list[str] = []
    ts.fit(outcomes(), made.folder, n_components=2, log=lines.append)
    assert all(line.endswith("reused") for line in lines)


def test_a_folder_of_an_older_version_gets_them_when_asked(made: ts.Run, tmp_path: Path) -> None:
    shutil.copytree(made.folder, tmp_path / "old")
    for part in (layout.REDUNDANCY, layout.ABILITIES):
        (tmp_path / "old" / part.file).unlink()
        (tmp_path / "old" / f"{part.stage}.json").unlink()
    old = ts.open_run(tmp_path / "old")
    assert isinstance(old.redundancy, Redundancy)
    assert isinstance(old.abilities, Abilities)
    assert (old.folder / layout.ABILITIES.file).exists()


def test_large_tables_are_left_to_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    known = outcomes(20, 8)
    monkeypatch.setattr(questions, "MOST_RESULTS", 10)
    monkeypatch.setattr(questions, "MOST_TASKS_OF_TEST", 7)
    for found in (questions.find_redundant(known), questions.make_short_test(known, 0)):
        assert isinstance(found, Unanswered)
        assert "long" in found.reason


def test_a_short_test_of_many_agents_is_chosen_from_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("taskspace.applications.answers.TEST_AGENTS", 12)
    known = outcomes(20, 8)
    one, other = (questions.make_short_test(known, 0) for _ in range(2))
    assert isinstance(one, Subset)
    assert isinstance(other, Subset)
    assert one.comparison.agents == 12
    assert one.tasks.tolist() == other.tasks.tolist()
    rates = mean_rates(known.of_tasks(one.tasks).rates, axis=0)  # of all agents
    np.testing.assert_allclose(one.success, rates)
    assert "12 of the 20" in note_on_test(known)
    assert note_on_test(outcomes(12, 8)) == ""


def test_few_agents_are_a_reason() -> None:
    found = questions.make_short_test(outcomes(4, 8), 0)
    assert isinstance(found, Unanswered)
    assert "5 agents" in found.reason


def test_the_predictor_of_a_large_table_is_left_to_the_first_prediction(
    made: ts.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (made.folder / layout.PREDICTOR.file).exists()
    monkeypatch.setattr(questions, "MOST_RESULTS_OF_PREDICTOR", 100)
    large = ts.fit(outcomes(), tmp_path / "large", n_components=2, log=lambda line: None)
    assert not (large.folder / layout.PREDICTOR.file).exists()
    assert large.predictor.tasks_.tolist() == made.predictor.tasks_.tolist()
    assert (large.folder / layout.PREDICTOR.file).exists()

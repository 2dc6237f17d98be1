"""`taskspace redundant`: near-copies among the tasks of a map."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from taskspace import redundant
from taskspace.cli import main as command_main
from taskspace.models.embedding.ordinal_embedder import OrdinalEmbedder
from taskspace.outcomes.outcomes import Outcomes
from taskspace.runs.run import open_run
from tests.cli.maps import check_complaint, command, rows_of
from tests.run_folders import write_run

pytestmark = pytest.mark.slow


def folder_of(folder: Path, solved: Any, name: str = "task") -> Path:
    """A run folder of a table whose tasks have texts."""
    tasks = np.array([f"{name}-{number}" for number in range(solved.shape[1])])
    texts = np.array([f"Is it {number}?" for number in range(solved.shape[1])], object)
    outcomes = Outcomes(1 * solved, np.array(1), tasks=tasks, task_labels={"text": texts})
    embedder = OrdinalEmbedder(1, steps=0, random_state=0, progress=False).fit(outcomes)
    return write_run(folder, {"name": "texts"}, outcomes, embedder).folder


def some_results(agents: int) -> Any:
    rng = np.random.default_rng(0)
    return rng.normal(size=(agents, 1)) + rng.normal(size=(agents, 12)) > 0


def test_pairs_have_the_texts_of_their_tasks_and_the_answer_fits_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    solved = some_results(300)
    solved[:, 7] = solved[:, 3]
    folder = folder_of(tmp_path / "run", solved, "a-benchmark/of-tasks-with/names-that-are-long")
    (row,) = rows_of(command("redundant", folder).stdout)
    assert [row["first"][-2:], row["second"][-2:], row["confirmed"]] == ["-3", "-7", "yes"]
    assert [row["first:text"], row["second:text"]] == ["Is it 3?", "Is it 7?"]
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "80")
    assert command_main(["redundant", str(folder)]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert all(len(line) <= 80 for line in shown)
    assert any(line.split()[-1:] == ["keep:text"] for line in shown)
    heads = next(line.split() for line in shown if "first" in line)
    assert heads[:5] == ["first", "second", "excess", "low", "high"]
    assert any(re.search("a-ben.*….*-3.*a-ben.*….*-7", line) for line in shown)


def test_without_near_copies_the_answer_comes_first_and_nothing_is_listed(tmp_path: Path) -> None:
    solved = some_results(20)
    solved[:, 7] = solved[:, 3]
    folder = folder_of(tmp_path / "run", solved)
    done = command("redundant", folder)
    assert rows_of(done.stdout) == []
    assert done.stdout.startswith('"first","second"')
    assert done.stderr.startswith("None of")
    assert "--candidates" in done.stderr
    done = command("redundant", folder, "--candidates")
    assert {row["confirmed"] for row in rows_of(done.stdout)} == {"no"}
    assert "--candidates" not in done.stderr


def test_pairs_are_those_of_the_library_and_the_summary_is_an_error_line(fitted: Path) -> None:
    found = redundant(open_run(fitted))
    done = command("redundant", fitted, "--candidates")
    rows = rows_of(done.stdout)
    assert [row["first"] for row in rows] == found.first.tolist()
    assert list(rows[0]) == list(found.columns)
    np.testing.assert_allclose([float(row["low"]) for row in rows], found.low, rtol=1e-5)
    assert found.summary in done.stderr


@pytest.mark.usefixtures("inputs")
def test_bad_input_is_told_in_one_sentence(
    fitted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_complaint(["redundant", str(fitted), "--threshold", "1"], "--threshold 1", capsys)
    check_complaint(["redundant", str(fitted), "--level", "0"], "--level 0", capsys)


def test_the_answer_of_the_run_folder_is_printed(
    fitted: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = redundant(open_run(fitted)).summary
    monkeypatch.setattr("taskspace.applications.redundancy.redundant", None)
    assert command_main(["redundant", str(fitted)]) == 0
    assert summary in capsys.readouterr().err

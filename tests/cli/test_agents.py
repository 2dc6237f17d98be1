"""`taskspace agents`: scores, strengths and similar agents."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from taskspace import abilities, compare_agents
from taskspace.cli import main
from taskspace.runs.run import open_run
from tests.cli.maps import check_complaint, command, rows_of

pytestmark = pytest.mark.slow


def test_the_table_is_that_of_the_library(fitted: Path, tmp_path: Path) -> None:
    found = abilities(open_run(fitted), by="cluster")
    written = tmp_path / "agents.csv"
    done = command("agents", fitted, "--by", "cluster", "--out", written)
    rows = rows_of(written.read_text())
    assert done.stdout == ""
    assert found.summary in done.stderr
    assert [row["agent"] for row in rows] == found.columns["agent"].tolist()
    np.testing.assert_allclose([float(row["low"]) for row in rows], found.columns["low"], rtol=1e-5)
    assert [row["strengths"] for row in rows] == found.columns["strengths"].tolist()


def test_two_agents_are_compared(fitted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = open_run(fitted)
    names = run.outcomes.agents[:2].tolist()
    assert main(["agents", str(fitted), "--compare", *names]) == 0
    printed, found = capsys.readouterr(), compare_agents(run, *names)
    assert [row["group"] for row in rows_of(printed.out)] == found.groups.tolist()
    assert found.summary in printed.err


@pytest.mark.usefixtures("inputs")
def test_bad_input_is_told_in_one_sentence(
    fitted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_complaint(["agents", str(fitted), "--by", "colour"], "--by 'colour'", capsys)
    check_complaint(["agents", str(fitted), "--level", "0"], "--level 0", capsys)
    check_complaint(["agents", str(fitted), "--compare", "x", "y"], "agent 'x'", capsys)


def test_the_answer_of_the_run_folder_is_printed(
    fitted: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    computed = abilities(open_run(fitted)).columns["agent"].tolist()
    monkeypatch.setattr("taskspace.applications.abilities.abilities", None)
    assert main(["agents", str(fitted)]) == 0
    assert [row["agent"] for row in rows_of(capsys.readouterr().out)] == computed


def test_a_screen_has_the_first_agents_and_who_is_most_similar(
    fitted: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["agents", str(fitted)]) == 0
    heading, _, below = capsys.readouterr().out.partition("─")
    assert "similar" in heading
    assert "40 more rows are not shown" in below
    assert sum(re.match(r" s\d+ ", line) is not None for line in below.splitlines()) == 20

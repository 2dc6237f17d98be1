"""`taskspace doctor`: figures as a table, verdict and advice beside it."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from taskspace.applications.doctor import diagnose
from taskspace.cli import main
from taskspace.outcomes.outcomes import Outcomes
from tests.cli.maps import check_complaint, command, rows_of
from tests.messages import says

pytestmark = pytest.mark.slow


def test_a_table_is_diagnosed(table: Path) -> None:
    done = command("doctor", table)
    assert done.returncode == 0
    found = diagnose(Outcomes.from_table(table))
    rows = rows_of(done.stdout)
    assert [row["figure"] for row in rows] == found.columns["figure"].tolist()
    assert float(rows[0]["value"]) == found.agents
    read, *lines = done.stderr.splitlines()  # as `fit` prints it
    assert read == "agents: column 'agent'; tasks: the other columns of numbers"
    assert lines == [found.verdict, *(f"- {sentence}" for sentence in found.advice)]


def test_a_run_folder_is_the_same_patient(
    fitted: Path, table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "health.csv"
    assert main(["doctor", str(fitted), "--out", str(out)]) == 0
    of_run = capsys.readouterr()
    assert main(["doctor", str(table)]) == 0
    of_table = capsys.readouterr()
    assert of_run.out == ""
    assert of_run.err.splitlines() == of_table.err.splitlines()[1:]  # without how it was read
    assert rows_of(out.read_text()) == rows_of(of_table.out)


def test_an_unfinished_run_is_told_as_such(
    fitted: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "unfinished"
    shutil.copytree(fitted, folder)
    (folder / "outcomes.json").unlink()
    check_complaint(["doctor", str(folder)], "finished run outcomes.npz", capsys)
    (folder / "map.json").unlink()
    check_complaint(["doctor", str(folder)], "finished run map", capsys)


def test_logs_are_the_same_patient_as_their_table(table: Path, tmp_path: Path) -> None:
    outcomes = Outcomes.from_table(table)
    lines = [
        json.dumps({"subject_id": agent, "responses": dict(zip(tasks, row, strict=True))})
        for tasks in [outcomes.tasks.tolist()]
        for agent, row in zip(outcomes.agents.tolist(), outcomes.rates.tolist(), strict=True)
    ]
    (tmp_path / "responses.jsonl").write_text("\n".join(lines))
    done = command("doctor", tmp_path)
    assert done.stdout == command("doctor", table).stdout
    assert re.search(says("read 1 py-irt responses.jsonl"), done.stderr)


@pytest.mark.usefixtures("inputs")
def test_bad_input_is_told_in_one_sentence(
    fitted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("one-agent.csv").write_text("agent,task,score\na,x,1\na,y,0\n")
    Path("empty").mkdir()
    Path("logs.jsonl").write_text('{"subject_id": "a", "responses": {"x": 1}}')
    Path("same.csv").write_text("agent,task,score\na,x,1\nb,x,1\n")
    for words, tokens in (
        (["nowhere.csv"], "nowhere.csv"),
        (["one-agent.csv"], "agents 2 1"),
        (["same.csv"], "agents 2 same"),
        (["odd.csv"], "doctor odd.csv --score points"),
        (["empty"], "'empty' log"),
        (["logs.jsonl", "--score", "points"], "--score logs"),
        (["good.csv", "--metric", "acc"], "--metric table"),
        ([str(fitted), "--score", "points"], "--score folder"),
        (["good.csv", "--out", "good.csv"], "--out good.csv"),
        (["good.csv", "--out", "x.txt"], "'x.txt' .csv .parquet"),
        (["good.csv", "--seed", "-1"], "seed -1"),
    ):
        check_complaint(["doctor", *words], tokens, capsys)

"""`taskspace score`: the full score of an agent from a few answers."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import numpy as np
import pytest

from taskspace.cli import main
from taskspace.runs.pipeline import fit
from taskspace.runs.run import open_run
from tests.cli.maps import N_AGENTS, SOLVED, check_complaint, command, rows_of
from tests.messages import says
from tests.outcomes.readers.logs import lines, write

pytestmark = pytest.mark.slow


def test_scores_are_those_of_the_predictor(fitted: Path, tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_text("task,result\nq3,1\nq7,0\nq9,\nq12,1\n")
    done = command("score", fitted, tmp_path / "answers.csv", "--width", "0.1", "--level", "0.8")
    assert done.returncode == 0, done.stderr
    (row,) = rows_of(done.stdout)
    predictor, asked = open_run(fitted).predictor, (["q3", "q7", "q12"], [1, 0, 1])
    told = predictor.score(*asked, level=0.8)
    for name, values in told.columns.items():
        if name != "group":
            np.testing.assert_allclose(float(row[name]), values[0], rtol=1e-5)
    assert (row["group"], row["answered"], row["tasks"]) == ("all tasks", "3", "40")
    assert int(row["more"]) == predictor.answers_needed(*asked, 0.1, level=0.8)[0]


def test_a_screen_says_what_the_columns_are(
    fitted: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "answers.csv").write_text("task,result\nq3,1\nq7,0\n")
    words = ["score", str(fitted), str(tmp_path / "answers.csv"), "--level", "0.8"]
    assert main(words) == 0
    assert not capsys.readouterr().err
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert main(words) == 0
    assert re.search(says("low high 80% interval plain mean answers"), capsys.readouterr().err)


def test_logs_are_answers_one_score_per_model_and_unknown_items_are_counted(
    fitted: Path, tmp_path: Path
) -> None:
    models = {
        "new": {"q3": 1, "q7": 0, "q12": 1, "q99": 1, "other": 0},
        "newer": {"q3": 0},
        "s3": {"q1": 1},  # an agent of the run
    }
    rows = [{"subject_id": name, "responses": found} for name, found in models.items()]
    write(tmp_path / "logs" / "responses.jsonl", lines(*rows))
    done = command("score", fitted, tmp_path / "logs", "--width", "0.1")
    assert done.returncode == 0, done.stderr
    found = rows_of(done.stdout)
    assert [row["agent"] for row in found] == list(models)
    assert [row["answered"] for row in found] == ["3", "1", "1"]
    told = open_run(fitted).predictor.score(["q3", "q7", "q12"], [1, 0, 1])
    np.testing.assert_allclose(float(found[0]["score"]), told.scores[0], rtol=1e-5)
    assert re.search(says("2 6 tasks unknown"), done.stderr)
    assert re.search(says("warning 's3' agent run"), done.stderr)


@pytest.mark.parametrize("answers", ["task,result\n", "task,result\nq3,\n"])
def test_a_table_without_answers_is_told(fitted: Path, tmp_path: Path, answers: str) -> None:
    (tmp_path / "answers.csv").write_text(answers)
    done = command("score", fitted, tmp_path / "answers.csv")
    (row,) = rows_of(done.stdout)
    assert (done.returncode, row["answered"]) == (0, "0")
    assert re.search(says("warning no answers"), done.stderr)


@pytest.mark.usefixtures("inputs")
def test_bad_input_is_told_in_one_sentence(
    fitted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("answers.csv").write_text("task,result\nq3,1\n")
    check_complaint(
        ["score", str(fitted), "answers.csv", "--by", "colour"], "--by 'colour'", capsys
    )
    check_complaint(["score", str(fitted), "answers.csv", "--width", "2"], "--width 2.0", capsys)
    check_complaint(["score", "nowhere", "answers.csv", "--level", "nan"], "--level nan", capsys)
    check_complaint(["score", str(fitted), "bad.csv"], "7.0", capsys)
    write(Path("logs/r.jsonl"), lines({"subject_id": "a", "responses": {"x": 1}}))
    check_complaint(["score", str(fitted), "logs"], "logs 'q0' none 1 'x'", capsys)
    check_complaint(["score", str(fitted), "nologs"], "nologs", capsys)
    words = ["score", str(fitted), "answers.csv", "--metric", "acc"]
    check_complaint(words, "--metric logs answers.csv", capsys)


def test_answers_are_on_the_scale_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    points = {f"q{task}": 5 * SOLVED[:, task] for task in range(8)}
    fit({"agent": range(N_AGENTS), **points}, "run", max_score=5, log=lambda line: None)
    predictor = open_run("run").predictor
    told = predictor.score(["q0", "q1"], [0.6, 1]).scores[0]
    Path("answers.csv").write_text("task,result\nq0,3\nq1,5\n")
    write(Path("logs/r.jsonl"), lines({"subject_id": "a", "responses": {"q0": 3, "q1": 5}}))
    for answers in ("answers.csv", "logs"):
        (row,) = rows_of(command("score", "run", answers).stdout)
        np.testing.assert_allclose(float(row["score"]), told, rtol=1e-5)
    Path("answers.csv").write_text("task,correct\nq0,true\nq1,false\n")  # true is 5
    done = command("score", "run", "answers.csv")
    assert not done.stderr
    told = predictor.score(["q0", "q1"], [1, 0]).scores[0]
    np.testing.assert_allclose(float(rows_of(done.stdout)[0]["score"]), told, rtol=1e-5)
    Path("answers.csv").write_text("task,result\nq0,1\nq1,0.5\n")
    assert re.search(
        says("answers 'answers.csv' 1 5"), command("score", "run", "answers.csv").stderr
    )
    write(Path("weak/r.jsonl"), lines({"subject_id": "a", "responses": {"q0": 1, "q1": 0}}))
    (warning,) = json.loads(command("score", "run", "weak", "--json").stdout)["warnings"]
    assert re.search(says("'a' 1 5"), warning)
    fractions = {f"q{task}": 0.5 for task in range(6)}  # no known agent has any
    write(Path("fractions/r.jsonl"), lines({"subject_id": "a", "responses": fractions}))
    assert main(["score", "run", "fractions"]) == 2
    assert re.search(says("one scale 0.5 'a' 5"), capfd.readouterr().err)
    Path("answers.csv").write_text("task,result\nq0,6\n")
    assert main(["score", "run", "answers.csv"]) == 2
    assert re.search(says("result must 0 5 got 6.0"), capfd.readouterr().err)
    monkeypatch.setattr("sys.stdin", io.StringIO("6\n3\ny\n"))
    assert main(["quiz", "run", "--at-most", "2", "--out", "quiz.csv"]) == 0
    assert re.search(says("must y n 0 5 got '6'"), capfd.readouterr().err)
    asked = rows_of(Path("quiz.csv").read_text())
    found = sorted(float(row["answer"]) for row in asked if row["answer"])
    np.testing.assert_allclose(found, [0.6, 1])


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_tasks_without_a_label_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    topics = [*["sums"] * 3, *["areas"] * 3, *[""] * 4]
    solved = np.random.default_rng(0).integers(0, 2, (20, 10))
    lines: list[str] = []
    table = {"agent": np.repeat(np.arange(20), 10), "task": np.tile(np.arange(10), 20)}
    labelled = {**table, "score": solved.ravel(), "topic": topics * 20}
    fit(labelled, tmp_path / "run", log=lines.append)
    assert "topic (2 values, 4 empty)" in "\n".join(lines)
    (tmp_path / "answers.csv").write_text("task,result\n3,1\n")
    for words in (["score", tmp_path / "answers.csv"], ["agents"]):
        capsys.readouterr()
        verb, *rest = map(str, words)
        assert main([verb, str(tmp_path / "run"), *rest, "--by", "topic"]) == 0
        assert "4 of 10 tasks have no topic." in capsys.readouterr().err

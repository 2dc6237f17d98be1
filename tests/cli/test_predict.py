"""`taskspace predict`: an agent's probabilities of success, from its results on a quiz."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from taskspace.cli import main
from taskspace.runs.run import open_run
from tests.cli.maps import check_complaint, command, rows_of

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("column", ["result", "solved"])
def test_predict_from_a_quiz(fitted: Path, tmp_path: Path, column: str) -> None:
    able = [f"q{i},1" for i in range(0, 20, 2)] + [f"q{i},0" for i in range(1, 20, 2)]
    (tmp_path / "quiz.csv").write_text(f"task,{column}\n" + "\n".join(able) + "\n")
    (tmp_path / "tasks.csv").write_text("task\n" + "\n".join(f"q{i}" for i in range(20, 40)) + "\n")
    out = tmp_path / "answers.parquet"
    done = command(
        "predict", fitted, "--quiz", tmp_path / "quiz.csv", tmp_path / "tasks.csv", "--out", out
    )
    assert done.returncode == 0, done.stderr
    chances = pyarrow.parquet.read_table(out)["probability"].to_numpy()
    assert chances[::2].mean() > chances[1::2].mean() + 0.2


def test_intervals_contain_the_probabilities(fitted: Path, tmp_path: Path) -> None:
    (tmp_path / "quiz.csv").write_text("task,result\nq3,1\nq7,0\n")
    (tmp_path / "tasks.csv").write_text("task\nq1\nq2\nq5\n")
    words = ("predict", fitted, "--quiz", tmp_path / "quiz.csv", tmp_path / "tasks.csv")
    found = rows_of(command(*words, "--interval", "0.8").stdout)
    low, high = open_run(fitted).predictor.interval(["q3", "q7"], [1, 0], ["q1", "q2", "q5"], 0.8)
    assert [float(row["low"]) for row in found] == pytest.approx(low.tolist())
    assert [float(row["high"]) for row in found] == pytest.approx(high.tolist())
    assert all(row["low"] <= row["probability"] <= row["high"] for row in found)
    wrong = command(*words, "--interval", "90")
    assert wrong.returncode == 2
    assert "--interval" in wrong.stderr


def _probabilities(folder: Path, quiz: str, capsysbinary: Any) -> list[float]:
    Path("quiz.csv").write_text(quiz)
    assert main(["predict", str(folder), "--quiz", "quiz.csv", "two.csv"]) == 0
    rows = rows_of(capsysbinary.readouterr().out.decode())
    return [float(row["probability"]) for row in rows]


@pytest.mark.usefixtures("inputs")
def test_a_skipped_answer_does_not_count(fitted: Path, capsysbinary: Any) -> None:
    answered = _probabilities(fitted, "task,result\nq3,1\nq7,0\n", capsysbinary)
    skipped = "task,result\nq3,1\nq5,\nq7,0\nq9,\n"
    assert _probabilities(fitted, skipped, capsysbinary) == answered


@pytest.mark.usefixtures("inputs")
def test_a_task_is_answered_once(fitted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("quiz.csv").write_text("task,result\nq3,1\nq7,0\nq3,0\n")
    said = "quiz.csv each task once 'q3' again mean"
    check_complaint(["predict", str(fitted), "--quiz", "quiz.csv", "two.csv"], said, capsys)
    check_complaint(["score", str(fitted), "quiz.csv"], said, capsys)


@pytest.mark.usefixtures("inputs")
def test_a_quiz_without_answers_predicts_the_mean(fitted: Path, capsysbinary: Any) -> None:
    empty = _probabilities(fitted, "task,result\n", capsysbinary)
    expected = open_run(fitted).predictor.predict_proba([], [], ["q1", "q2"])
    assert empty == pytest.approx(expected.tolist(), abs=1e-6)
    assert _probabilities(fitted, "task,result\nq3,\nq7,\n", capsysbinary) == empty


@pytest.mark.usefixtures("inputs")
def test_two_columns_of_results_are_refused(
    fitted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As `hardest` writes success rates of the population, to which answers were added."""
    Path("quiz.csv").write_text("task,success,result\nq1,0.1,1\nq2,0.2,1\n")
    words = ["predict", str(fitted), "--quiz", "quiz.csv", "two.csv"]
    check_complaint(words, "quiz.csv 'result' 'success'", capsys)


@pytest.mark.usefixtures("inputs")
@pytest.mark.parametrize(
    ("quiz", "tokens"), [("unknown.csv", "column results"), ("bad.csv", "result")]
)
def test_bad_input_is_told_in_one_sentence(
    fitted: Path, capsys: pytest.CaptureFixture[str], quiz: str, tokens: str
) -> None:
    check_complaint(["predict", str(fitted), "--quiz", quiz, "one.csv"], tokens, capsys)


@pytest.mark.usefixtures("inputs")
@pytest.mark.parametrize(
    ("quiz", "tokens"),
    [
        ("agent,task,result\na,q1,1\nb,q1,0\n", "quiz.csv 'agent' 2"),
        ("hello\n", "quiz.csv results hello"),  # not a quiz without answers
    ],
)
def test_the_answers_of_others_are_refused(
    fitted: Path, capsys: pytest.CaptureFixture[str], quiz: str, tokens: str
) -> None:
    Path("quiz.csv").write_text(quiz)
    check_complaint(["predict", str(fitted), "--quiz", "quiz.csv", "two.csv"], tokens, capsys)

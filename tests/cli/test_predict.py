"""`taskspace predict`: an agent's probabilities of success, from its results on a quiz."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet
import pytest

from tests.cli.maps import check_complaint, command

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


@pytest.mark.usefixtures("inputs")
@pytest.mark.parametrize(
    ("quiz", "tokens"), [("unknown.csv", "column 'result'"), ("bad.csv", "result")]
)
def test_bad_input_is_told_in_one_sentence(
    fitted: Path, capsys: pytest.CaptureFixture[str], quiz: str, tokens: str
) -> None:
    check_complaint(["predict", str(fitted), "--quiz", quiz, "one.csv"], tokens, capsys)

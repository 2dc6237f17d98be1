"""`taskspace score`: the full score of an agent from a few answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from taskspace.runs.run import open_run
from tests.cli.maps import check_complaint, command, rows_of

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

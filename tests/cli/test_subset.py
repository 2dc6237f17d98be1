"""`taskspace subset`: a short test that predicts the full score."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from taskspace.applications.subset import choose_subset
from taskspace.runs.run import open_run
from tests.cli.maps import check_complaint, command, rows_of

pytestmark = pytest.mark.slow


def test_the_chosen_tasks_and_weights_are_those_of_the_library(
    fitted: Path, tmp_path: Path
) -> None:
    done = command("subset", fitted, "-k", "5", "--plot", tmp_path / "errors.PNG")
    expected = choose_subset(open_run(fitted), 5)
    rows = rows_of(done.stdout)
    assert [row["task"] for row in rows] == ["(intercept)", *expected.tasks.tolist()]
    weights = [float(row["weight"]) for row in rows]
    np.testing.assert_allclose(weights, expected.columns["weight"], rtol=1e-4)
    assert done.stderr.startswith("5 tasks")
    assert (tmp_path / "errors.PNG").read_bytes().startswith(b"\x89PNG")


def test_the_comparison_is_printed_instead(fitted: Path, tmp_path: Path) -> None:
    out = tmp_path / "errors.csv"
    command("subset", fitted, "-k", "4", "--compare", "--out", out)
    rows = rows_of(out.read_text())
    assert {row["tasks"] for row in rows} == {"1", "2", "4", "8"}
    assert {"informative", "random", "most disputed", "anchor points"} < {
        row["method"] for row in rows
    }


@pytest.mark.usefixtures("inputs")
def test_bad_input_is_told_in_one_sentence(
    fitted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words, tokens in (
        (["-k", "0"], "-k 0"),
        (["-k", "40"], "k 40"),
        (["--by", "topic"], "by 'topic'"),
        (["--plot", "errors.txt"], "--plot 'errors.txt'"),
        (["--plot", "no/errors.png"], "no"),
        (["--at-least", "-1"], "--at-least -1"),
        (["--at-least", "3"], "by label at_least None"),
    ):
        check_complaint(["subset", str(fitted), *words], tokens, capsys)

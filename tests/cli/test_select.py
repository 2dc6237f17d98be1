"""`taskspace select`: the options most similar to a task."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import taskspace as ts
from taskspace.runs.run import open_run
from tests.cli.maps import check_complaint, command, rows_of

pytestmark = pytest.mark.slow


def test_the_options_are_those_of_the_function(either: Path, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("task\nq5\n")
    (tmp_path / "options.csv").write_text("task\nq1\nq7\nq9\nq2\n")
    chosen = rows_of(
        command(
            "select", either, "--reference", tmp_path / "one.csv", tmp_path / "options.csv", "-k", 2
        ).stdout
    )
    source, options = open_run(either).comparison, np.array(["q1", "q7", "q9", "q2"])
    expected = ts.select(source, "q5", options, k=2)
    assert [int(row["row"]) for row in chosen] == expected.tolist()
    bits = source.similarity(["q5"], options[expected])[0]
    np.testing.assert_allclose([float(row["similarity"]) for row in chosen], bits, rtol=1e-5)


def test_the_reference_may_be_a_name(fitted: Path, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("task\nq5\n")
    (tmp_path / "options.csv").write_text("task\nq1\nq7\nq9\nq2\n")
    by_name, by_table = (
        command("select", fitted, "--reference", given, tmp_path / "options.csv").stdout
        for given in ("q5", tmp_path / "one.csv")
    )
    assert by_name == by_table != ""


@pytest.mark.usefixtures("inputs")
def test_bad_input_is_told_in_one_sentence(
    fitted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["select", str(fitted), "--reference", "two.csv", "one.csv"]
    check_complaint(words, "--reference two.csv 2 tasks", capsys)
    words = ["select", str(fitted), "--reference", "q99", "one.csv"]
    check_complaint(words, "--reference 'q99' .csv 'q0'", capsys)

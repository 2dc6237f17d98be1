"""`taskspace redundant`: near-copies among the tasks of a map."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from taskspace import redundant
from taskspace.runs.run import open_run
from tests.cli.maps import check_complaint, command, rows_of

pytestmark = pytest.mark.slow


def test_pairs_are_those_of_the_library_and_the_summary_is_an_error_line(fitted: Path) -> None:
    found = redundant(open_run(fitted))
    done = command("redundant", fitted)
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

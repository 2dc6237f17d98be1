"""`taskspace agents`: scores, strengths and similar agents."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from taskspace import abilities
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


@pytest.mark.usefixtures("inputs")
def test_bad_input_is_told_in_one_sentence(
    fitted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_complaint(["agents", str(fitted), "--by", "colour"], "--by 'colour'", capsys)
    check_complaint(["agents", str(fitted), "--level", "0"], "--level 0", capsys)

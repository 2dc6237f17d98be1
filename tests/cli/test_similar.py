"""`taskspace similar`: tasks of the map most similar to one of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from taskspace.runs.run import open_run
from tests.cli.maps import check_complaint, command, rows_of

pytestmark = pytest.mark.slow


def test_harder_tasks_are_harder(fitted: Path) -> None:
    similar = rows_of(command("similar", fitted, "q5", "-k", "3", "--harder").stdout)
    assert "q5" not in [row["task"] for row in similar]
    own = open_run(fitted).embedder.difficulty(["q5"])[0]
    assert all(float(row["difficulty"]) > own for row in similar)


@pytest.mark.usefixtures("inputs")
def test_bad_input_is_told_in_one_sentence(
    fitted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_complaint(["similar", str(fitted), "q99"], "'q99'", capsys)

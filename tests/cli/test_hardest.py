"""`taskspace hardest`: the hardest tasks of the map."""

from __future__ import annotations

from pathlib import Path

import pytest

from taskspace.runs.run import open_run
from tests.cli.maps import check_complaint, command, rows_of

pytestmark = pytest.mark.slow


def test_the_hardest_are_those_of_the_index(either: Path) -> None:
    made = open_run(either)
    hardest = rows_of(command("hardest", either, "-k", "2").stdout)
    assert [row["task"] for row in hardest] == made.outcomes.tasks[made.index.hardest(2)].tolist()


def test_difficulty_is_the_rate_of_failure(fitted: Path) -> None:
    for row in rows_of(command("hardest", fitted, "-k", "5").stdout):
        assert float(row["difficulty"]) == pytest.approx(1 - float(row["success"]), abs=1e-5)


@pytest.mark.usefixtures("inputs")
@pytest.mark.parametrize(
    ("words", "tokens"),
    [(["hardest", "{}", "-k", "0"], "-k 0"), (["hardest", "nowhere"], "map nowhere")],
)
def test_bad_input_is_told_in_one_sentence(
    fitted: Path, capsys: pytest.CaptureFixture[str], words: list[str], tokens: str
) -> None:
    check_complaint([word.format(fitted) for word in words], tokens, capsys)

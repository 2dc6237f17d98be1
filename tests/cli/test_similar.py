"""`taskspace similar`: tasks of the map most similar to one of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from taskspace.runs.run import open_run
from tests.cli.maps import check_complaint, command, rows_of

pytestmark = pytest.mark.slow


def test_tasks_are_those_of_the_run_with_bits_and_what_the_map_says(either: Path) -> None:
    made = open_run(either)
    found, bits = made.similar(5, 4)
    similar = rows_of(command("similar", either, "q5", "-k", "4").stdout)
    assert [row["task"] for row in similar] == made.outcomes.tasks[found].tolist()
    np.testing.assert_allclose([float(row["similarity"]) for row in similar], bits, rtol=1e-5)
    on_map = made.embedder.similarity(["q5"], made.outcomes.tasks[found])[0]
    np.testing.assert_allclose([float(row["on_map"]) for row in similar], on_map, rtol=1e-4)


def test_harder_tasks_are_harder(either: Path) -> None:
    similar = rows_of(command("similar", either, "q5", "-k", "3", "--harder").stdout)
    assert "q5" not in [row["task"] for row in similar]
    own = open_run(either).embedder.difficulty(["q5"])[0]
    assert len(similar) == 3
    assert all(float(row["difficulty"]) > own for row in similar)


@pytest.mark.usefixtures("inputs")
def test_bad_input_is_told_in_one_sentence(
    fitted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_complaint(["similar", str(fitted), "q99"], "'q99'", capsys)
    check_complaint(["similar", str(fitted), "q1", "-k", "0"], "-k 0", capsys)
    check_complaint(
        ["similar", str(fitted), "q1", "--opposite"], "opposite correlation information", capsys
    )


def test_a_map_by_correlation_lists_similar_and_opposite_tasks(table: Path, tmp_path: Path) -> None:
    folder = tmp_path / "signed"
    options = ("--measure", "correlation", "--dimensions", "2")
    done = command("fit", table, "--out", folder, *options)
    assert done.returncode == 0, done.stderr
    made = open_run(folder)
    assert made.settings["measure"] == "correlation"
    for opposite in (False, True):
        more = ("--opposite",) if opposite else ()
        listed = rows_of(command("similar", folder, "q5", "-k", "3", *more).stdout)
        found, values = made.similar("q5", 3, opposite=opposite)
        assert [row["task"] for row in listed] == made.outcomes.tasks[found].tolist()
        signed = [float(row["correlation"]) for row in listed]
        np.testing.assert_allclose(signed, values, rtol=1e-5)
        assert "similarity" not in listed[0]
        assert all((value < 0) == opposite for value in signed)

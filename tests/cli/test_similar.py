"""`taskspace similar`: tasks of the map most similar to one of them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from taskspace.models.embedding.ordinal_embedder import OrdinalEmbedder
from taskspace.outcomes.outcomes import Outcomes
from taskspace.runs.run import open_run
from tests.cli.maps import N_AGENTS, N_TASKS, SOLVED, check_complaint, command, rows_of
from tests.messages import says
from tests.run_folders import write_run

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


def test_a_task_that_no_results_tell_apart_is_told(tmp_path: Path) -> None:
    solved = SOLVED[:, :6] * 1
    solved[:, 0], solved[:, 1] = 0, 1
    outcomes = Outcomes(solved, np.array(1))
    embedder = OrdinalEmbedder(1, steps=0, random_state=0, progress=False).fit(outcomes)
    folder = write_run(tmp_path / "run", {"name": "some"}, outcomes, embedder).folder
    for task, tokens in (("task-0", "60 agents never"), ("task-1", "60 agents always")):
        done = command("similar", folder, task)
        assert re.search(says(f"No results '{task}' {tokens} nothing."), done.stderr)
    assert command("similar", folder, "task-2").stderr == ""


@pytest.mark.usefixtures("inputs")
def test_bad_input_is_told_in_one_sentence(
    fitted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_complaint(["similar", str(fitted), "q99"], "'q99'", capsys)
    check_complaint(["similar", str(fitted), "q1", "-k", "0"], "-k 0", capsys)
    check_complaint(
        ["similar", str(fitted), "q1", "--opposite"], "opposite correlation information", capsys
    )


def test_a_map_by_correlation_lists_similar_and_opposite_tasks(tmp_path: Path) -> None:
    table, folder = tmp_path / "results.csv", tmp_path / "signed"
    header = ",".join(["agent", *(f"q{number}" for number in range(N_TASKS))])
    rows = np.column_stack([np.arange(N_AGENTS), SOLVED])  # without gaps, which take time
    np.savetxt(table, rows, "%d", ",", header=header, comments="")
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
    (tmp_path / "one.csv").write_text("task\nq5\n")
    (tmp_path / "options.csv").write_text("task\nq1\nq7\n")
    named = ("--reference", tmp_path / "one.csv", tmp_path / "options.csv")
    chosen = rows_of(command("select", folder, *named).stdout)
    assert "correlation" in chosen[0]
    assert "similarity" not in chosen[0]

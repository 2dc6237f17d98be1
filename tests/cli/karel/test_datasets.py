"""The table of a selection of tasks."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from taskspace.cli.karel.datasets import add_target, print_selection
from taskspace.envs.karel.quotas import Selection


@pytest.fixture
def selection() -> Selection:
    """Of two kinds; loops of ten tokens are not wanted."""
    cells = {("plain", 10): 9, ("plain", 12): 9, ("loops", 12): 9}
    made = Selection({"training": cells, "validation": dict(cells)})
    made.found["training"] = {("plain", 10): 1200, ("plain", 12): 3, ("loops", 12): 4}
    made.seen = 54_321
    made.dropped.update({"repeated": 7, "too deep": 1000, "never": 0})
    return made


def test_counts_are_added_up_in_rows_and_columns(
    selection: Selection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("validation.npz", "training.npz", "mine.txt"):
        (tmp_path / name).touch()
    print_selection(argparse.Namespace(folder=tmp_path, json=False), selection, "programs")
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if line.strip()]
    head = lines.index(next(line for line in lines if line[1:] == ["type", "10", "12", "all"]))
    counts = [line for line in lines[head + 1 :] if {"plain", "loops", "all"} & set(line)][:6]
    assert counts == [
        ["training", "plain", "1,200", "3", "1,203"], ["loops", "-", "4", "4"],
        ["all", "1,200", "7", "1,207"],
        ["validation", "plain", "0", "0", "0"], ["loops", "-", "0", "0"], ["all", "0", "0", "0"],
    ]  # fmt: skip
    assert any(line[:2] == ["54,321", "programs,"] for line in lines)
    assert lines.index(["1,000", "too", "deep"]) < lines.index(["7", "repeated"])
    assert not any("never" in line for line in lines)
    files = [str(tmp_path / name) for name in ("training.npz", "validation.npz")]
    assert lines[-2:] == [[name] for name in files]


def test_nothing_dropped_is_told(
    selection: Selection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    selection.dropped.clear()
    print_selection(argparse.Namespace(folder=tmp_path, json=False), selection, "programs")
    assert "\n  none\n" in capsys.readouterr().out


def test_all_tasks_of_the_paper_are_the_default() -> None:
    parser = argparse.ArgumentParser()
    add_target(parser)
    assert parser.parse_args(["DIR"]).tasks is None
    options = parser.parse_args(["DIR", "--tasks", "12"])
    assert (options.folder, options.tasks) == ("DIR", 12)

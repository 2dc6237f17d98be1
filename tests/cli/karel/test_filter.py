"""The paper's subset of a data set."""

from __future__ import annotations

import re
from pathlib import Path

from taskspace.envs.karel.compact import KarelTasks
from tests.cli.karel.commands import TASKS, Output, complaint, told


def test_filter_keeps_what_fits_and_tells_what_is_missing(
    folder: Path, tmp_path: Path, capsys: Output
) -> None:
    source = folder / "training.jsonl.gz"
    out = told(capsys, "filter", source, tmp_path / "subset", "--tasks", TASKS)
    count = len(KarelTasks.load(folder / "training.npz"))
    assert len(KarelTasks.load(tmp_path / "subset" / "training.npz")) == count
    assert f"{count} tasks read" in out
    missing = out.partition("fewer than requested:\n")[2]
    assert re.search(r"^  validation, loops of 10 tokens: 0 of 1$", missing, re.MULTILINE)
    assert "training," not in missing


def test_filter_says_nothing_of_a_shortage_where_there_is_none(
    folder: Path, tmp_path: Path, capsys: Output
) -> None:
    out = told(capsys, "filter", folder / "training.jsonl.gz", tmp_path / "subset", "--tasks", 3)
    assert "fewer" not in out
    assert "quota full" in out


def test_mistakes_of_filter(tmp_path: Path, capsys: Output) -> None:
    new = tmp_path / "new"
    absent = tmp_path / "absent.jsonl"
    assert complaint(capsys, "filter", absent, new) == f"there is no file {absent}"
    (tmp_path / "bad.jsonl").write_text("{}\n")
    assert "bad.jsonl:1: the field" in complaint(capsys, "filter", tmp_path / "bad.jsonl", new)

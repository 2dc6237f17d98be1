"""Parts of the benchmark of kills; the whole runs in tests/runs/test_faults.py."""

from __future__ import annotations

import errno
import io
import json
import os
from pathlib import Path

import pytest
from rich.console import Console

from taskspace.bench import faults
from taskspace.bench.faults import Survival, can_mount, small_disk

FOUND = Survival({"map": 2, "report": 1}, 0, 0, 9, ["map.json"], 1.5)


def test_folders_are_compared_but_for_the_seconds(tmp_path: Path) -> None:
    for name, seconds, text in (("a", 1, "x"), ("b", 2, "x"), ("c", 1, "y")):
        (tmp_path / name / "inner").mkdir(parents=True)
        stamp = {"digest": "d", "seconds": seconds, "sha256": str(seconds)}
        (tmp_path / name / "stage.json").write_text(json.dumps(stamp))
        (tmp_path / name / "inner" / ".hidden").write_text(text)
    first, same, other = (faults.contents(tmp_path / name) for name in "abc")
    assert first == same
    assert set(first) == {"stage.json", "inner/.hidden"}
    assert {name for name in first if first[name] != other[name]} == {"inner/.hidden"}
    (tmp_path / "b" / "stage.json").write_text(json.dumps({"digest": "e", "seconds": 2}))
    assert faults.contents(tmp_path / "b") != first


def test_a_run_that_ends_tells_its_stages(tmp_path: Path) -> None:
    def job(folder: Path, say: faults.Log) -> None:
        folder.mkdir()
        say("first … 0.1 s")
        say("second … reused")

    stages = faults.finish(job, tmp_path / "run")
    assert list(stages) == ["first", "second"]
    assert all(seconds >= 0 for seconds in stages.values())
    assert (tmp_path / "run").is_dir()


def test_a_run_that_fails_is_told(tmp_path: Path) -> None:
    def job(folder: Path, say: faults.Log) -> None:
        raise OSError(errno.ENOSPC, "no room")

    with pytest.raises(RuntimeError, match="no room"):
        faults.finish(job, tmp_path / "run")


def test_a_run_is_killed_after_its_stages(tmp_path: Path) -> None:
    def job(folder: Path, say: faults.Log) -> None:
        say("first … 0.1 s")
        os.read(os.pipe()[0], 1)  # for ever

    assert faults.kill(job, tmp_path / "run", ["first"], 0.0) == (1, 0)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_the_members_of_a_session_are_found() -> None:
    assert os.getpid() in faults.members(os.getsid(0))


@pytest.mark.skipif(not can_mount(), reason="only root can mount a small disk")
def test_a_small_disk_is_small_and_goes_away(tmp_path: Path) -> None:
    with small_disk(tmp_path, "64k"), pytest.raises(OSError, match="No space"):
        (tmp_path / "large").write_bytes(bytes(100_000))
    assert list(tmp_path.iterdir()) == []


def test_the_report_names_what_differs() -> None:
    text = io.StringIO()
    faults._print(Console(file=text, width=100), {"fit": FOUND})
    assert "map.json" in text.getvalue()
    assert faults.as_json({"fit": FOUND})["fit"]["kills"] == {"map": 2, "report": 1}

"""Tasks, and a program with a world."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.karel.commands import DRAWING, TASKS, WALK, process


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Generated tasks; what was printed is in `printed`."""
    made: Path = tmp_path_factory.mktemp("karel") / "tasks"
    done = process("generate", made, "--tasks", TASKS, "--seed", 3, "--side", 6, "--json-lines")
    assert (done.returncode, done.stderr) == (0, "")
    (made / "printed").write_text(done.stdout, "utf-8")
    return made


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a program and a world, in which we are."""
    (tmp_path / "walk.txt").write_text(WALK)
    (tmp_path / "world.txt").write_text(DRAWING)
    monkeypatch.chdir(tmp_path)
    return tmp_path

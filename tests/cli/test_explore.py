"""`taskspace explore`: what it needs, and what it writes; the server has tests of its own."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import taskspace as ts
from taskspace.cli import explore, main
from tests.messages import says
from tests.run_folders import write_run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    known = ts.Outcomes(1 * (np.arange(6)[:, None] > np.arange(5)), np.array(1))
    embedder = ts.OrdinalEmbedder(1, steps=5, random_state=0, progress=False).fit(known)
    return write_run(tmp_path / "run", {"name": "five"}, known, embedder).folder


def test_an_export_says_how_large_it_is(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "map.html"
    assert main(["explore", str(folder), "--export", str(page)]) == 0
    size = page.stat().st_size / 1e3
    assert capsys.readouterr().out.endswith(f" {page} ({size:.1f} kB)\n")


def test_what_is_missing_to_serve_is_told_with_how_to_get_it(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explore, "find_spec", lambda name: None if name == "uvicorn" else name)
    assert main(["explore", str(folder)]) == 2
    told = capsys.readouterr().err
    assert re.search(says("uvicorn pip 'taskspace[explore]'"), told)
    assert told.count("\n") == 1


def test_a_page_can_be_written_without_what_serving_needs(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explore, "find_spec", lambda name: None)
    assert main(["explore", str(folder), "--export", str(tmp_path / "map.html")]) == 0
    assert "<!doctype html>" in (tmp_path / "map.html").read_text()


@pytest.mark.parametrize(
    ("words", "tokens"),
    [
        (["--text", "prompt"], "--text --quiz-only prompt"),
        (["--quiz-only", "--export", "map.html"], "--export --quiz-only map.html"),
        (["--quiz-only", "--questions", "9"], "--questions 5 9"),
        (["--quiz-only", "--key", "solution"], "--key label 'solution'"),
    ],
)
def test_options_of_the_quiz_are_checked(
    folder: Path, words: list[str], tokens: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explore", str(folder), *words]) == 2
    assert re.search(says(tokens), capsys.readouterr().err)

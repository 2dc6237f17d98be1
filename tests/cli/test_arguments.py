"""What commands share as they are asked."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pytest

import taskspace as ts
from taskspace.cli import arguments
from tests.messages import says
from tests.run_folders import write_run


def _answer(options: argparse.Namespace) -> str:
    """Answer a question."""
    return f"{options.k} of {options.folder}"


@pytest.fixture
def parser() -> argparse.ArgumentParser:
    whole = argparse.ArgumentParser()
    own = arguments.add_command(
        whole.add_subparsers(), "ask", _answer, "short", "example:\n  two  spaces"
    )
    arguments.add_folder(own)
    arguments.add_how_many(own)
    arguments.add_harder(own)
    arguments.add_out(own)
    return whole


def test_a_command_runs_its_function_and_has_its_description(
    parser: argparse.ArgumentParser, capsys: pytest.CaptureFixture[str]
) -> None:
    options = parser.parse_args(["ask", "DIR", "-k", "3"])
    assert options.run(options) == "3 of DIR"
    with pytest.raises(SystemExit, match="0"):
        parser.parse_args(["ask", "--help"])
    out = capsys.readouterr().out
    assert "Answer a question." in out
    assert "example:\n  two  spaces" in out  # as it was written


def test_defaults(parser: argparse.ArgumentParser) -> None:
    options = parser.parse_args(["ask", "DIR"])
    assert (options.k, options.out, options.harder, options.easier) == (10, None, False, False)


def test_tasks_cannot_be_harder_and_easier(
    parser: argparse.ArgumentParser, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        parser.parse_args(["ask", "DIR", "--harder", "--easier"])
    assert "--easier" in capsys.readouterr().err


def test_lines_are_aligned() -> None:
    assert arguments.lines({"a": "one", "long": "two"}) == "  a     one\n  long  two"


def test_a_folder_is_opened_unless_an_input_would_be_overwritten(tmp_path: Path) -> None:
    known = ts.Outcomes(np.array([[0, 0, 1], [0, 1, 1], [1, 1, 1]]), np.array(1))
    embedder = ts.OrdinalEmbedder(1, steps=0, random_state=0, progress=False).fit(known)
    folder = write_run(tmp_path / "run", {"name": "three"}, known, embedder).folder
    table = tmp_path / "tasks.csv"
    table.write_text("task\ntask-1\n")
    out = tmp_path / "out.csv"
    options = argparse.Namespace(folder=str(folder), out=str(out))
    assert arguments.open_folder(options, str(table), None).name == "three"
    options.out = str(table)
    with pytest.raises(ValueError, match=says(f"{table} --out")):
        arguments.open_folder(options, str(table))
    assert arguments.open_folder(options).name == "three"  # a command that reads nothing else
    options.folder = str(tmp_path)
    with pytest.raises(FileNotFoundError, match=says(str(tmp_path))):
        arguments.open_folder(options)

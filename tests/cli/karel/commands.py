"""Commands of Karel, and what they print."""

from __future__ import annotations

import subprocess
import sys

import pytest

from taskspace.cli import main

Output = pytest.CaptureFixture[str]
TASKS = 40
WALK = "DEF run m(\n    WHILE c( frontIsClear c) w(\n        move\n    w)\n    putMarker\nm)\n"
DRAWING = ".  #  .  .\n.  >  2  .\n"


def told(output: Output, *arguments: object) -> str:
    """What a command that works prints."""
    assert main(["karel", *map(str, arguments)]) == 0
    out, err = output.readouterr()
    assert err == ""
    return out


def complaint(output: Output, *arguments: object) -> str:
    """The one sentence about a mistake."""
    assert main(["karel", *map(str, arguments)]) == 2
    out, err = output.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("taskspace: ")
    return err.removeprefix("taskspace: ").removesuffix("\n")


def process(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "taskspace.cli", "karel", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, encoding="utf-8")

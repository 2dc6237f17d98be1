"""The command line as a process of its own, as a user meets it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.commands import Done

SCRIPT = str(Path(sys.executable).parent / "taskspace")
WAYS = {"module": [sys.executable, "-m", "taskspace.cli"], "script": [SCRIPT]}


def run(*arguments: str, way: str = "module", **variables: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*WAYS[way], *arguments],
        capture_output=True, text=True, timeout=60, encoding="utf-8",
        env={**os.environ, "COLUMNS": "160", **variables},
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    return done


def complaint(done: subprocess.CompletedProcess[str] | Done) -> str:
    """The one sentence about a mistake."""
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("taskspace: ")
    assert done.stderr.count("\n") == 1
    return done.stderr.removeprefix("taskspace: ")

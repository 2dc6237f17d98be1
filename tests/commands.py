"""The command line in this process, and in one of its own, as a user meets it."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from taskspace.cli import main

SECONDS = 120  # that a command may take


@dataclass(frozen=True)
class Done:
    """How a command ended.

    Attributes:
        returncode: Its exit code, or the error that it did not catch.
        stdout: What it printed.
        stderr: What it told beside.
    """

    returncode: int | str
    stdout: str
    stderr: str


def in_this_process(words: Sequence[str], folder: Path) -> Done:
    """Run a command in a folder, without the seconds that a process needs to import Torch."""
    output, errors = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    here, stdin = Path.cwd(), sys.stdin
    code: int | str
    try:
        os.chdir(folder)
        sys.stdin = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            code = main(words)
    except SystemExit as exit:  # of the parser of arguments
        code = 0 if exit.code is None else exit.code
    except Exception as error:
        code = f"Traceback: {type(error).__name__}: {error}"
    finally:
        os.chdir(here)
        sys.stdin = stdin
    output.flush()
    printed = output.buffer.getvalue().decode()  # type: ignore[attr-defined]
    return Done(code, printed, errors.getvalue())


def in_a_process(words: Sequence[str], folder: Path) -> Done:
    """Run a command in a folder, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "taskspace.cli", *words],
        cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False,
        stdin=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    return Done(done.returncode, done.stdout, done.stderr)

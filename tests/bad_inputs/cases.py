"""What a bad input is, and how it is judged."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from taskspace.cli import main
from tests.messages import says

SECONDS = 120  # that a command may take


@dataclass(frozen=True)
class Call:
    """A call of a public function that must raise an error.

    Attributes:
        name: What is wrong, in a few words.
        call: The call; it is given an empty folder.
        tokens: Words that the message must contain.
        error: The type of the error.
    """

    name: str
    call: Callable[[Path], Any]
    tokens: str
    error: type[Exception] = ValueError

    def fault(self, folder: Path) -> str | None:
        """What is wrong with the answer to this input; None if it is as expected."""
        try:
            with warnings.catch_warnings(record=True) as leaked:
                warnings.simplefilter("always")
                found = self.call(folder)
        except self.error as error:
            return _fault_of_message(str(error), self.tokens) or _fault_of_warnings(leaked)
        except Exception as error:
            return f"{type(error).__name__} instead of {self.error.__name__}: {str(error)[:200]}"
        return f"SILENT: it returned {str(found)[:100]}"


@dataclass(frozen=True)
class Command:
    """A command that must end with exit code 2 and one sentence, before any work is done.

    Attributes:
        name: What is wrong, in a few words.
        words: The words of the command after `taskspace`.
        tokens: Words that the message must contain.
        files: Files that the command finds in its folder, by name.
        prepare: What else is done in this folder before.
        process: Whether the command is run in a process of its own, which takes seconds.
    """

    name: str
    words: tuple[str, ...]
    tokens: str
    files: tuple[tuple[str, str | bytes], ...] = ()
    prepare: Callable[[Path], object] | None = None
    process: bool = False

    def fault(self, folder: Path) -> str | None:
        """What is wrong with the answer to this input; None if it is as expected."""
        for name, content in self.files:
            raw = content.encode() if isinstance(content, str) else content
            (folder / name).write_bytes(raw)
        if self.prepare is not None:
            self.prepare(folder)
        before = set(folder.rglob("*"))
        code, output, errors = (_in_a_process if self.process else _in_this_one)(self.words, folder)
        if code == 0:
            return f"SILENT: exit code 0, printed {output[-100:]!r}"
        if code != 2:
            return f"exit code {code}: {errors[-200:]!r}"
        return _fault_of_errors(errors, self.tokens) or _fault_of_files(
            set(folder.rglob("*")) - before
        )


def _in_a_process(words: tuple[str, ...], folder: Path) -> tuple[int, str, str]:
    """The exit code, standard output and standard error of a command."""
    done = subprocess.run(
        [sys.executable, "-m", "taskspace.cli", *words],
        cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False,
        stdin=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def _in_this_one(words: tuple[str, ...], folder: Path) -> tuple[int | str, str, str]:
    """The same without the seconds that a process needs to start."""
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
    return code, output.buffer.getvalue().decode(), errors.getvalue()  # type: ignore[attr-defined]


def _fault_of_errors(errors: str, tokens: str) -> str | None:
    """One sentence, after no more than the usage or what the columns were taken for."""
    lines = errors.strip().splitlines()
    if "Traceback" in errors:
        return f"a traceback: {errors[-200:]!r}"
    if sum(line.startswith("taskspace") for line in lines) != 1:
        return f"not one sentence: {errors[-300:]!r}"
    if re.search(r" … [\d.]+ s", errors):
        return f"refused only after work: {errors[-300:]!r}"
    return _fault_of_message(lines[-1], tokens)


def _fault_of_files(left: set[Path]) -> str | None:
    return f"left {sorted(path.name for path in left)[:5]} behind" if left else None


def _fault_of_message(message: str, tokens: str) -> str | None:
    if "\n" in message:
        return f"more than one line: {message[:200]!r}"
    if len(message) > 1000:
        return f"{len(message)} characters: {message[:200]!r}"
    return None if re.search(says(tokens), message) else f"says {message!r}, not {tokens!r}"


def _fault_of_warnings(leaked: list[warnings.WarningMessage]) -> str | None:
    """Warnings of NumPy and SciPy are not for our users."""
    foreign = [str(found.message) for found in leaked if "taskspace" not in found.filename]
    return f"warned {foreign[0]!r}" if foreign else None

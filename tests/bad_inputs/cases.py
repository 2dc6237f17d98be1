"""What a bad input is, and how it is judged."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
    """A command that must end with exit code 2 and one sentence on standard error.

    Attributes:
        name: What is wrong, in a few words.
        words: The words of the command after `taskspace`.
        tokens: Words that the message must contain.
        files: Files that the command finds in its folder, by name.
    """

    name: str
    words: tuple[str, ...]
    tokens: str
    files: tuple[tuple[str, str | bytes], ...] = ()

    def fault(self, folder: Path) -> str | None:
        """What is wrong with the answer to this input; None if it is as expected."""
        for name, content in self.files:
            raw = content.encode() if isinstance(content, str) else content
            (folder / name).write_bytes(raw)
        done = subprocess.run(
            [sys.executable, "-m", "taskspace.cli", *self.words],
            cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False,
        )  # fmt: skip
        if done.returncode == 0:
            return f"SILENT: exit code 0, printed {done.stdout[-100:]!r}"
        if done.returncode != 2:
            return f"exit code {done.returncode}: {done.stderr[-200:]!r}"
        lines = done.stderr.strip().splitlines()
        return _fault_of_message(lines[-1] if lines else "", self.tokens) or (
            "a traceback" if "Traceback" in done.stderr else None
        )


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

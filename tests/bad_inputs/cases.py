"""What a bad input is, and how it is judged."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.commands import Done, in_this_process
from tests.messages import says


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
    """

    name: str
    words: tuple[str, ...]
    tokens: str
    files: tuple[tuple[str, str | bytes], ...] = ()
    prepare: Callable[[Path], object] | None = None

    @property
    def verb(self) -> str:
        """The command without its arguments, as it stands before the colon of the name."""
        return self.name.partition(":")[0]

    def fault(
        self, folder: Path, run: Callable[[Sequence[str], Path], Done] = in_this_process
    ) -> str | None:
        """What is wrong with the answer to this input; None if it is as expected."""
        for name, content in self.files:
            raw = content.encode() if isinstance(content, str) else content
            (folder / name).write_bytes(raw)
        if self.prepare is not None:
            self.prepare(folder)
        before = set(folder.rglob("*"))
        done = run(self.words, folder)
        if done.returncode == 0:
            return f"SILENT: exit code 0, printed {done.stdout[-100:]!r}"
        if done.returncode != 2:
            return f"exit code {done.returncode}: {done.stderr[-200:]!r}"
        return _fault_of_errors(done.stderr, self.tokens) or _fault_of_files(
            set(folder.rglob("*")) - before
        )


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

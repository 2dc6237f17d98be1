"""The finished pieces of a long computation, on disk, so that it resumes where it was killed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from taskspace.files import explain_errors

T = TypeVar("T")


@dataclass(frozen=True)
class Checkpoints:
    """A folder for the pieces of one computation; without a folder, nothing is stored.

    Whoever provides the folder ensures that it is used for this computation only: a piece is
    recognized by its name alone.
    """

    folder: Path | None = None
    seconds: float = 60.0  # between two checkpoints of a piece that is under way

    def load(self, name: str, load: Callable[[Path], T]) -> T | None:
        """A piece that was finished earlier; None if there is none, or if its file is damaged."""
        if self.folder is None or not (self.folder / name).is_file():
            return None
        try:
            return load(self.folder / name)
        except Exception:  # damaged files raise many types of errors
            return None

    def save(self, name: str, piece: T, save: Callable[[T, Path], object]) -> None:
        """Store a finished piece; `save` must write its file atomically and with a checksum."""
        if self.folder is not None:
            with explain_errors(self.folder):
                self.folder.mkdir(parents=True, exist_ok=True)
            save(piece, self.folder / name)


NONE = Checkpoints()

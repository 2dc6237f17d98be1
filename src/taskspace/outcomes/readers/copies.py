"""Files with the same content, which must not count twice."""

from __future__ import annotations

import filecmp
from pathlib import Path
from typing import Any


class Copies:
    """Files that were seen, to find copies of them; only files of the same size are compared."""

    def __init__(self) -> None:
        self._files: dict[tuple[str, int], list[Path]] = {}  # by identity and size

    def find(self, path: Path, *identity: Any) -> Path | None:
        """The earlier file with this content and identity; None if there is none."""
        alike = self._files.setdefault((repr(identity), path.stat().st_size), [])
        same = next((other for other in alike if filecmp.cmp(path, other, shallow=False)), None)
        if same is None:
            alike.append(path)
        return same


def skipped(path: Path, same: Path) -> str:
    """What the user is told about a copy."""
    return f"skipped {path}: it is a copy of {same}"

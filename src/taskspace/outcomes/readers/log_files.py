"""The files in folders of logs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from taskspace import checks


def as_paths(given: Any) -> list[Path]:
    """One path or several, all of which must exist."""
    several = isinstance(given, Iterable) and not isinstance(given, (str, bytes, os.PathLike))
    paths = [checks.path(path) for path in (given if several else [given])]
    if not paths:
        raise ValueError("paths must be at least one file or folder, got an empty list")
    for path in paths:
        if not path.exists():
            raise FileNotFoundError(f"there is no file or folder {path}")
    return paths


def files_in(folder: Path) -> Iterator[Path]:
    """All files under a folder in a fixed order; links are followed, each folder once.

    Files and folders whose names begin with a dot are not logs.
    """
    seen: set[tuple[int, int]] = set()
    for name, folders, files in os.walk(folder, followlinks=True):
        status = os.stat(name)
        if (status.st_dev, status.st_ino) in seen:
            folders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        folders[:] = sorted(inner for inner in folders if not inner.startswith("."))
        yield from (Path(name, file) for file in sorted(files) if not file.startswith("."))

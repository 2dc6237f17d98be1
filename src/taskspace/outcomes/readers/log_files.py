"""The files in folders of logs, and which reader reads which."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from taskspace import checks
from taskspace.outcomes.readers import tables
from taskspace.outcomes.readers.base import Reader
from taskspace.outcomes.readers.registry import formats, reader_of


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


@dataclass
class Found:
    """The files that are read, in order, and those that are not."""

    logs: dict[Path, Reader] = field(default_factory=dict)
    tables: list[Path] = field(default_factory=list)
    ignored: list[Path] = field(default_factory=list)


def find(paths: list[Path], known: list[Reader]) -> Found:
    """The files to read: those that are given, and those of known formats in folders.

    Tables in folders are read only if there are no logs: beside logs, they may be summaries.
    """
    found, in_folders = Found(), Found()
    given = [path for path in paths if not path.is_dir()]
    inside = [file for path in paths if path.is_dir() for file in files_in(path)]
    seen: set[str] = set()  # a file may be found by several paths and links
    for paths_there, into in ((given, found), (inside, in_folders)):
        for path in paths_there:
            if os.path.realpath(path) not in seen:
                seen.add(os.path.realpath(path))
                _sort(path, known, into)
    if found.ignored:
        raise ValueError(f"{str(found.ignored[0])!r} must be in a known format: {formats(known)}")
    found.logs |= in_folders.logs
    if found.logs and found.tables:
        raise ValueError(
            "paths must be either logs or tables, got both; read them separately:"
            f" {next(iter(found.logs))} and {found.tables[0]}"
        )
    if not found.logs:
        found.tables += in_folders.tables
    read = {*found.logs, *found.tables}
    same = {os.path.realpath(path) for path in read}
    found.ignored = [path for path in inside if os.path.realpath(path) not in same]
    if not read:
        raise ValueError(
            f"{str(paths[0])!r} must have at least one log in a known format, got none among"
            f" {len(inside)} file{'' if len(inside) == 1 else 's'}; the formats are"
            f" {formats(known)}"
        )
    return found


def _sort(path: Path, known: list[Reader], found: Found) -> None:
    if not path.is_file():  # e.g. a pipe, or a link that leads nowhere
        found.ignored.append(path)
    elif tables.is_table(path):
        found.tables.append(path)
    elif (reader := reader_of(path, known)) is None:
        found.ignored.append(path)
    else:
        found.logs[path] = reader

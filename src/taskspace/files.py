"""Writing files so that a reader never meets half of one; plain files of results."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


@contextlib.contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary file beside `path` that takes its place when the block ends well.

    If anything goes wrong the temporary file is removed and what was at `path` is untouched.
    """
    target = Path(path).resolve()  # through a link, to what it points to
    if not target.parent.is_dir():
        raise FileNotFoundError(f"cannot write {target}: the folder {target.parent} does not exist")
    if target.is_dir():
        raise IsADirectoryError(f"cannot write {target}: it is a folder")
    handle, name = tempfile.mkstemp(prefix=".taskspace-", suffix=target.suffix, dir=target.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        with temporary.open("rb") as written:
            os.fsync(written.fileno())  # on disk before it takes the name
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def check_format(
    path: str | os.PathLike[str], found: tuple[object, object], expected: tuple[str, int]
) -> None:
    """Refuse a file of another format, or of another version of it: pairs (format, version)."""
    if found != expected:
        raise ValueError(
            f"{path} is in format {found[0]!r}, version {found[1]};"
            f" this taskspace reads {expected[0]!r}, version {expected[1]}"
        )


def write_json(value: Any, path: Path) -> None:
    """Write plain values as JSON."""
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")


def read_json(path: Path) -> Any:
    """Read what `write_json` wrote."""
    return json.loads(path.read_text(encoding="utf-8"))


def write_arrays(arrays: Mapping[str, NDArray[Any]], path: Path) -> None:
    """Write arrays by their names, whatever the file is called."""
    with path.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Read what `write_arrays` wrote."""
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask

"""Results of stages and their stamps, `<stage>.json`, which say what each result was made from."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from taskspace._version import __version__
from taskspace.files import (
    OURS,
    atomic_path,
    check_checksum,
    explain_errors,
    with_checksum,
    write_json,
)

T = TypeVar("T")


def read_stamp(stamp: Path) -> dict[str, Any]:
    """What a stamp says; a damaged or missing one is refused."""
    try:
        found = check_checksum(json.loads(stamp.read_text(encoding="utf-8")))
        if not found.keys() >= {"stage", "file", "settings", "upstream", "digest"}:
            raise ValueError("it is not a stamp")
        return found
    except FileNotFoundError as error:
        raise FileNotFoundError(f"there is no file {stamp}; repeat the run") from error
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{stamp} is damaged; repeat the run") from error


def write_stamp(path: Path, value: dict[str, Any]) -> None:
    """Write JSON with a checksum, completely or not at all."""
    with atomic_path(path) as temporary:
        write_json(with_checksum(value), temporary)


def write_result(
    result: T, save: Callable[[T, Path], object], path: Path, stamp: Path,
    identity: dict[str, Any], start: float,
) -> str:  # fmt: skip
    """Write a result and its stamp atomically, and return the digest of the result."""
    with (
        explain_errors(path),
        tempfile.TemporaryDirectory(prefix=OURS, dir=path.parent) as temporary,
    ):
        fresh = Path(temporary, path.name)
        save(result, fresh)
        if not fresh.exists():
            raise ValueError(
                f"the stage {identity['stage']} must save a file {path.name}, got none"
            )
        digest = digest_of(fresh, sync=True)
        stamp.unlink(missing_ok=True)  # no result is valid until the new stamp is written
        if path.exists():
            path.rename(Path(temporary, f"old-{path.name}"))
        fresh.rename(path)
        made = {"digest": digest, "seconds": round(time.perf_counter() - start, 3)}
        write_stamp(stamp, {**identity, **made, "versions": _versions()})
    return digest


def valid_digest(path: Path, stamp: Path, identity: dict[str, Any]) -> tuple[str | None, str]:
    """The digest of a valid result, or None, and a note for the log."""
    if not stamp.exists():
        return None, ""
    try:
        there = check_checksum(json.loads(stamp.read_text(encoding="utf-8")))
        digest = str(there["digest"])
        matches = {key: there[key] for key in identity} == identity
    except (ValueError, KeyError, TypeError, RecursionError):
        return None, " (computed again: its stamp was damaged)"
    if not matches:
        return None, " (computed again: an earlier stage has changed)"
    whole = path.exists() and digest_of(path) == digest
    return (digest, "reused") if whole else (None, " (computed again: its result was damaged)")


def digest_of(path: Path, sync: bool = False) -> str:
    """A digest of a file, or of all files in a folder; `sync` flushes them to disk."""
    digest = hashlib.sha256()
    for part in [path, *sorted(path.rglob("*"))]:
        size = -1 if part.is_dir() else part.stat().st_size
        digest.update(json.dumps([str(part.relative_to(path)), size]).encode())
        if size >= 0:
            with part.open("rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
                if sync:
                    os.fsync(file.fileno())
    return digest.hexdigest()


def _versions() -> dict[str, str]:
    import importlib.metadata  # takes longer than reading a stamp

    found = {"taskspace": __version__, "python": sys.version.split()[0]}
    for name in ("numpy", "numba", "torch", "scikit-learn"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found

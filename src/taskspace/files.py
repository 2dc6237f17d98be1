"""Files that are written whole or not at all, and checksums that tell when one was damaged."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import tempfile
import weakref
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OURS = ".taskspace-"  # how the names of locks and of temporary files begin
LOCK = f"{OURS}lock"
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # no more room, of one kind or another
_CHECKSUM = "sha256"  # its name in files of JSON
_SEAL = b"taskspace sha256 "  # how the comment of a sealed zip file begins
_SEAL_SIZE = len(_SEAL) + 64

# -- writing ---------------------------------------------------------------------------------------


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
    with telling(target):
        made = tempfile.mkstemp(prefix=OURS, suffix=target.suffix, dir=target.parent)
    os.close(made[0])
    temporary = Path(made[1])
    try:
        with telling(target, *_FULL):  # other errors may be about what the block reads
            yield temporary
        with telling(target):
            put_on_disk(temporary)  # before it takes the name
            temporary.chmod(0o666 & ~_umask())
            temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def telling(path: str | os.PathLike[str], *numbers: int) -> Iterator[None]:
    """Say of an error of the file system what cannot be written, and why, in one sentence.

    Where error numbers are given, others pass as they are.
    """
    try:
        yield
    except OSError as error:
        if isinstance(error, BlockingIOError) or (numbers and error.errno not in numbers):
            raise
        why = os.strerror(error.errno) if error.errno else str(error)
        told = type(error)(f"cannot write {path}: {why}")
        told.errno = error.errno  # by assignment, or the number would lead the sentence
        raise told from error


def put_on_disk(path: Path) -> None:
    """Wait until a file is safe from a loss of power."""
    with path.open("rb") as written:
        os.fsync(written.fileno())


def write_figure(figure: Figure, path: Path, **options: Any) -> None:
    """Write a .png or .svg picture, all or nothing; the same figure is the same bytes."""
    import matplotlib

    undated = {"Date": None, "Creator": None} if path.suffix == ".svg" else {"Software": None}
    with atomic_path(path) as temporary, matplotlib.rc_context({"svg.hashsalt": "taskspace"}):
        figure.savefig(
            temporary, bbox_inches="tight", facecolor="white", metadata=undated, **options
        )


# -- one process at a time -------------------------------------------------------------------------

# A forked child shares its parent's lock, and would hold it on after the parent was killed.
_LOCKS: weakref.WeakSet[IO[str]] = weakref.WeakSet()
os.register_at_fork(after_in_child=lambda: [lock.close() for lock in _LOCKS])


def take_lock(folder: Path) -> IO[str]:
    """Keep other runs out of a folder until what this returns is closed, or the process dies."""
    lock = (folder / LOCK).open("a+", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise BlockingIOError(
            f"another run is at work in {folder}; wait until it ends, or use another folder"
        ) from None
    _LOCKS.add(lock)
    return lock


# -- noticing damage -------------------------------------------------------------------------------


def check_format(
    path: str | os.PathLike[str], found: tuple[object, object], expected: tuple[str, int]
) -> None:
    """Refuse a file of another format, or of another version of it: pairs (format, version)."""
    if found != expected:
        newer = found[0] == expected[0] and isinstance(found[1], int) and found[1] > expected[1]
        raise ValueError(
            f"{path} is in format {found[0]!r}, version {found[1]};"
            f" this taskspace reads {expected[0]!r}, version {expected[1]}:"
            f" {'update taskspace' if newer else 'make the file anew'}"
        )


def with_checksum(value: Mapping[str, Any]) -> dict[str, Any]:
    """Plain values for JSON, and a digest of them.

    >>> check_checksum(with_checksum({"seed": 0}))
    {'seed': 0}
    """
    return {**value, _CHECKSUM: _digest_of(value)}


def check_checksum(value: Any) -> dict[str, Any]:
    """What `with_checksum` was given; other values than these are refused.

    Files from before there were checksums have none, and pass. So does a file whose damage is in
    the very name of the checksum: all else is whole then.
    """
    if not isinstance(value, dict):
        raise ValueError("this is not what was written")
    rest = {name: inner for name, inner in value.items() if name != _CHECKSUM}
    if _CHECKSUM in value and value[_CHECKSUM] != _digest_of(rest):
        raise ValueError("its checksum is wrong")
    return rest


def _digest_of(value: Mapping[str, Any]) -> str:
    as_read = json.loads(json.dumps(value))  # in which all names are text
    return hashlib.sha256(json.dumps(as_read, sort_keys=True).encode()).hexdigest()


def seal(path: Path) -> None:
    """Add to a zip file (.npz too) a digest of all its bytes, in the comment at its end.

    The checksums of zip files are of their members alone, and NumPy looks at them only where it
    reads a member to its end.
    """
    with path.open("r+b") as file:
        end = file.seek(-2, os.SEEK_END)  # the length of the comment, which is 0
        file.write(_SEAL_SIZE.to_bytes(2, "little"))
        file.seek(0)
        digest = _digest_of_file(file, end + 2)
        file.write(_SEAL + digest.encode())


def check_seal(path: str | os.PathLike[str]) -> None:
    """Refuse a zip file that is not as it was sealed. Files from before there were seals pass."""
    with Path(path).open("rb") as file:
        end = max(file.seek(0, os.SEEK_END) - _SEAL_SIZE, 0)
        file.seek(end)
        comment = file.read()
        file.seek(0)
        if comment.startswith(_SEAL):
            if comment != _SEAL + _digest_of_file(file, end).encode():
                raise ValueError("its checksum is wrong")
        elif not comment.endswith(b"\0\0"):  # the length of a comment that is not there
            raise ValueError("its end is missing")


def _digest_of_file(file: IO[bytes], size: int) -> str:
    """Of the next `size` bytes."""
    digest = hashlib.sha256()
    while size > 0 and (block := file.read(min(size, 1 << 20))):
        digest.update(block)
        size -= len(block)
    return digest.hexdigest()


# -- plain files of results ------------------------------------------------------------------------


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

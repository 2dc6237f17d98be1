"""Files that are written completely or not at all, and checksums that reveal damage."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import math
import os
import tempfile
import weakref
import zipfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from taskspace import checks

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OURS = ".taskspace-"  # prefix of the names of locks and temporary files
LOCK = f"{OURS}lock"
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # no space, quota or file size left
_CHECKSUM = "sha256"  # its key in JSON files
_SEAL = b"taskspace sha256 "  # prefix of the comment of a sealed zip file
_SEAL_SIZE = len(_SEAL) + 64

# -- writing ---------------------------------------------------------------------------------------


@contextlib.contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Provide a temporary file next to `path` that replaces it when the block succeeds.

    If the block raises, the temporary file is removed and whatever was at `path` is untouched.
    """
    target = check_target(path)
    with explain_errors(target):
        made = tempfile.mkstemp(prefix=OURS, suffix=target.suffix, dir=target.parent)
    os.close(made[0])
    temporary = Path(made[1])
    try:
        with explain_errors(target, *_FULL):  # other errors may be about what the block reads
            yield temporary
        with explain_errors(target):
            put_on_disk(temporary)  # before the rename
            temporary.chmod(0o666 & ~_umask())
            temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def check_target(path: str | os.PathLike[str]) -> Path:
    """Return the resolved path of a file to be written, whose folder must exist."""
    target = checks.path(path).resolve()  # the target of a link, not the link itself
    if not target.parent.is_dir():
        raise FileNotFoundError(f"cannot write {target}: the folder {target.parent} does not exist")
    if target.is_dir():
        raise IsADirectoryError(f"cannot write {target}: it is a folder")
    return target


@contextlib.contextmanager
def explain_errors(path: str | os.PathLike[str], *numbers: int) -> Iterator[None]:
    """Rewrite errors of the file system so that they name the path and the reason.

    If error numbers are given, errors with other numbers are raised unchanged.
    """
    try:
        yield
    except OSError as error:
        if isinstance(error, BlockingIOError) or (numbers and error.errno not in numbers):
            raise
        why = os.strerror(error.errno) if error.errno else str(error)
        named = type(error)(f"cannot write {path}: {why}")
        named.errno = error.errno  # by assignment, or the message would begin with the number
        raise named from error


def put_on_disk(path: Path) -> None:
    """Flush a file to disk, so that it survives a power failure."""
    with path.open("rb") as written:
        os.fsync(written.fileno())


def write_figure(figure: Figure, path: Path, **options: Any) -> None:
    """Write a .png or .svg image atomically; equal figures give bit-identical files."""
    import matplotlib

    given: dict[str, Any] = {"bbox_inches": "tight", "facecolor": "white", **options}
    if path.suffix.lower() == ".svg":
        given["metadata"] = {"Date": None, "Creator": None}
    else:
        given["metadata"] = {"Software": None}
        # Run lengths: hardly larger than by default, in half the time.
        given["pil_kwargs"] = {"compress_level": 1, "compress_type": 3}
    with atomic_path(path) as temporary, matplotlib.rc_context({"svg.hashsalt": "taskspace"}):
        figure.savefig(temporary, **given)


# -- one process at a time -------------------------------------------------------------------------

# A forked child inherits the lock and would hold it even after its parent was killed.
_LOCKS: weakref.WeakSet[IO[str]] = weakref.WeakSet()
os.register_at_fork(after_in_child=lambda: [lock.close() for lock in _LOCKS])


def take_lock(folder: Path) -> IO[str]:
    """Lock a folder against other runs until the returned file is closed or the process ends."""
    lock = (folder / LOCK).open("a+", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise BlockingIOError(
            f"another run is using {folder}; wait until it ends, or choose another folder"
        ) from None
    _LOCKS.add(lock)
    return lock


# -- noticing damage -------------------------------------------------------------------------------


def check_format(
    path: str | os.PathLike[str], found: tuple[object, object], expected: tuple[str, int]
) -> None:
    """Refuse a file of another format or version; both arguments are (format, version)."""
    if found != expected:
        newer = found[0] == expected[0] and isinstance(found[1], int) and found[1] > expected[1]
        raise ValueError(
            f"{path} must be in format {expected[0]!r}, version {expected[1]},"
            f" got {found[0]!r}, version {found[1]};"
            f" {'update taskspace' if newer else 'create the file again'}"
        )


def with_checksum(value: Mapping[str, Any]) -> dict[str, Any]:
    """Add a digest to values that are written as JSON.

    >>> check_checksum(with_checksum({"seed": 0}))
    {'seed': 0}
    """
    return {**value, _CHECKSUM: _digest_of(value)}


def check_checksum(value: Any) -> dict[str, Any]:
    """Return the values given to `with_checksum`; altered values are refused.

    Files written before checksums were introduced pass. So does a file in which only the key of
    the checksum is damaged: everything else is intact then.
    """
    if not isinstance(value, dict):
        raise ValueError("it is not a JSON object")
    rest = {name: inner for name, inner in value.items() if name != _CHECKSUM}
    if _CHECKSUM in value and value[_CHECKSUM] != _digest_of(rest):
        raise ValueError("its checksum does not match")
    return rest


def _digest_of(value: Mapping[str, Any]) -> str:
    as_read = json.loads(json.dumps(value))  # all keys become text
    return hashlib.sha256(json.dumps(as_read, sort_keys=True).encode()).hexdigest()


def seal(path: Path) -> None:
    """Add a digest of all bytes of a zip file (also .npz) to the comment at its end.

    The checksums inside zip files cover single members only, and NumPy checks them only if it
    reads a member to its end.
    """
    with path.open("r+b") as file:
        end = file.seek(-2, os.SEEK_END)  # the length of the comment, which is 0
        file.write(_SEAL_SIZE.to_bytes(2, "little"))
        file.seek(0)
        digest = _digest_of_file(file, end + 2)
        file.write(_SEAL + digest.encode())


def check_seal(path: str | os.PathLike[str]) -> None:
    """Refuse a zip file that changed after `seal`; files without a seal pass."""
    with Path(path).open("rb") as file:
        end = max(file.seek(0, os.SEEK_END) - _SEAL_SIZE, 0)
        file.seek(end)
        comment = file.read()
        file.seek(0)
        if comment.startswith(_SEAL):
            if comment != _SEAL + _digest_of_file(file, end).encode():
                raise ValueError("its checksum does not match")
        elif not comment.endswith(b"\0\0"):  # the length of an absent comment
            raise ValueError("its end is missing")


def _digest_of_file(file: IO[bytes], size: int) -> str:
    """The digest of the next `size` bytes."""
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
    """Read a file written by `write_json`."""
    return json.loads(path.read_text(encoding="utf-8"))


def write_arrays(arrays: Mapping[str, NDArray[Any]], path: Path) -> None:
    """Write named arrays to a file with any extension."""
    with path.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]


def read_arrays(path: Path, names: Collection[str] | None = None) -> dict[str, NDArray[Any]]:
    """Read a file written by `write_arrays`, or only the arrays of these names."""
    if not zipfile.is_zipfile(path):
        raise ValueError("it is not a zip archive")  # NumPy would read it as a single array
    check_unfolded_size(path)
    with np.load(path, allow_pickle=False) as file:
        for member in file.zip.infolist():
            _check_declared_size(file.zip, member)
        return {name: file[name] for name in file.files if names is None or name in names}


def check_unfolded_size(path: str | os.PathLike[str]) -> None:
    """Refuse a zip file (also .npz) whose contents would not fit in memory.

    A few compressed megabytes may unfold to many gigabytes. Files that are no zip files pass: the
    sentence about them is up to whoever reads them.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
    except Exception:  # damaged files raise many types of errors
        return
    checks.fits_memory(size, f"the contents of {path}")


def _check_declared_size(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    """Refuse an array whose header declares more than there is: NumPy takes the memory first."""
    if not member.filename.endswith(".npy"):
        return
    with archive.open(member) as file:
        short = npy.read_magic(file) == (1, 0)
        read = npy.read_array_header_1_0 if short else npy.read_array_header_2_0
        shape, _, dtype = read(file)
    if math.prod(shape) * dtype.itemsize > member.file_size:
        raise ValueError(f"{member.filename} is shorter than its header says")


def write_sealed_arrays(arrays: Mapping[str, NDArray[Any]], path: Path) -> None:
    """Write named arrays atomically, with a checksum."""
    with atomic_path(path) as temporary:
        write_arrays(arrays, temporary)
        seal(temporary)


def read_sealed_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Read a file written by `write_sealed_arrays`; a damaged one is refused."""
    check_seal(path)
    return read_arrays(path)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask

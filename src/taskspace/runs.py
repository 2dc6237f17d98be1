"""The run folder: stages of work whose results are kept, so that a stopped run goes on later.

A result counts once its stamp, `<stage>.json`, lies beside it, and the stamp is written last.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib.metadata
import json
import os
import re
import shutil
import sys
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, TypeVar

from taskspace._version import __version__
from taskspace.files import atomic_path, check_checksum, telling, with_checksum, write_json

T = TypeVar("T")
FORMAT, FORMAT_VERSION = "taskspace run", 1
_OURS = ".taskspace-"  # how the names of the lock and of temporary files begin
_LOCK, _SETTINGS = f"{_OURS}lock", "settings.json"

# A forked child shares its parent's lock, and would hold it on after the parent was killed.
_LOCKS: weakref.WeakSet[IO[str]] = weakref.WeakSet()
os.register_at_fork(after_in_child=lambda: [lock.close() for lock in _LOCKS])


class Run(contextlib.AbstractContextManager["Run"]):
    """A folder for the results of a run with these settings; one process at a time works in it.

    `settings` are plain JSON. A folder of a run with other settings is refused. `say` is given a
    line for each stage; without it the lines go to standard error.

        with Run("runs/mine", {"seed": 0}) as run:
            outcomes = run.stage("outcomes", play, Outcomes.save, Outcomes.load, file="o.npz")
    """

    def __init__(
        self, folder: str | os.PathLike[str], settings: Mapping[str, Any],
        *, say: Callable[[str], None] | None = None,
    ) -> None:  # fmt: skip
        self.folder = Path(folder)
        self.settings = _plain(settings)
        self._say = say if say is not None else lambda line: print(line, file=sys.stderr)
        self._results: dict[str, str] = {}  # the stages so far and the digests of their results
        self._taken = {_SETTINGS}  # names of files
        maker = {"format": FORMAT, "format version": FORMAT_VERSION, "version": __version__}
        asked = {"taskspace": maker, "settings": self.settings}
        self._hash = hashlib.sha256(_canonical(asked).encode()).hexdigest()
        with telling(self.folder), contextlib.ExitStack() as undo:
            self.folder.mkdir(parents=True, exist_ok=True)
            _check_settings(self.folder, asked)
            self._lock = undo.enter_context(take_lock(self.folder))
            _check_settings(self.folder, asked)  # another run may have begun just before the lock
            _clean(self.folder)
            if not (self.folder / _SETTINGS).exists():
                _write_stamp(self.folder / _SETTINGS, asked)
            undo.pop_all()  # all went well: keep the lock

    def close(self) -> None:
        """Let other processes work in the folder."""
        self._lock.close()

    def __exit__(self, *error: object) -> None:
        self.close()

    def stage(
        self, name: str, make: Callable[[], T], save: Callable[[T, Path], object],
        load: Callable[[Path], T], *, file: str | None = None, after: Sequence[str] | None = None,
    ) -> T:  # fmt: skip
        """The result of a stage: loaded if it is there, else made, saved and loaded.

        `save(result, path)` writes a file or a folder named `file` (the stage's name by default).
        `after` names the stages it builds on (all before it by default): when the result of one
        of them changes, the stage is made again.
        """
        file, after = file or name, list(self._results) if after is None else after
        self._check_stage(name, file, after)
        path, stamp = self.folder / file, self.folder / f"{name}.json"
        upstream = {other: self._results[other] for other in after}
        identity = {"stage": name, "file": file, "settings": self._hash, "upstream": upstream}
        start = time.perf_counter()
        digest, note = _kept(path, stamp, identity)
        if digest is None:
            digest = self._make(make, save, path, stamp, identity)
            note = f"{time.perf_counter() - start:.1f} s{note}"
        self._results[name] = digest
        self._taken |= {path.name, stamp.name}
        result = load(path)  # also of what was just made: a resumed run goes on from the same bits
        self._say(f"{name} … {note}")
        return result

    def _make(
        self, make: Callable[[], T], save: Callable[[T, Path], object],
        path: Path, stamp: Path, identity: dict[str, Any],
    ) -> str:  # fmt: skip
        start = time.perf_counter()
        result = make()
        with telling(path), tempfile.TemporaryDirectory(prefix=_OURS, dir=self.folder) as temporary:
            fresh = Path(temporary, path.name)
            save(result, fresh)
            if not fresh.exists():
                raise ValueError(f"the stage {identity['stage']} saved nothing as {path.name}")
            digest = _digest(fresh, sync=True)
            stamp.unlink(missing_ok=True)  # from here until the new stamp, nothing counts
            if path.exists():
                path.rename(Path(temporary, f"old-{path.name}"))
            fresh.rename(path)
            made = {"digest": digest, "seconds": round(time.perf_counter() - start, 3)}
            _write_stamp(stamp, {**identity, **made, "versions": _versions()})
        return digest

    def _check_stage(self, name: str, file: str, after: Sequence[str]) -> None:
        if self._lock.closed:
            raise ValueError(f"the run in {self.folder} is closed")
        for text in (name, file):
            if not re.fullmatch(r"\w[\w.+-]*", text, re.ASCII):
                raise ValueError(f"{text!r} cannot name a stage or file: use letters and digits")
        files = {file, f"{name}.json"}
        if len(files) == 1 or files & self._taken:
            raise ValueError(f"the stage {name} cannot write {' and '.join(sorted(files))}: taken")
        for other in set(after) - set(self._results):
            raise ValueError(f"the stage {name} comes after {other}, which has not run")


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, allow_nan=False, separators=(",", ":"))


def _plain(settings: Mapping[str, Any]) -> Any:
    try:
        return json.loads(_canonical(dict(settings)))
    except (TypeError, ValueError) as error:
        raise ValueError(f"settings must be plain text and numbers (JSON): {error}") from error


def _check_settings(folder: Path, asked: dict[str, Any]) -> None:
    """Refuse a folder that holds something else than a run with these settings."""
    names = os.listdir(folder)
    if _SETTINGS not in names:
        if all(name.startswith(_OURS) for name in names):
            return
        raise ValueError(f"{folder} is not a run folder: it holds other files; choose a new one")
    there = read_settings(folder)
    old, new = dict(_leaves(there)), dict(_leaves(asked))
    listed = "; ".join(
        f"{name.removeprefix('settings.')}: there {old.get(name, 'nothing')},"
        f" asked for {new.get(name, 'nothing')}"
        for name in {**old, **new}
        if old.get(name) != new.get(name)
    )
    if listed:
        raise ValueError(f"{folder} holds a run with other settings ({listed}); use a new folder")


def read_settings(folder: Path) -> dict[str, Any]:
    """What `settings.json` of a run folder says: `settings`, and under `taskspace` what made it."""
    try:
        there = json.loads((folder / _SETTINGS).read_text(encoding="utf-8"))
        if there["taskspace"]["format"] != FORMAT:
            raise ValueError("another program's")
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError(
            f"{folder} is not a run folder: {_SETTINGS} is damaged or not ours; use a new folder"
        ) from None
    try:
        return check_checksum(there)
    except ValueError as error:
        raise ValueError(
            f"{folder / _SETTINGS} is damaged: {error}; restore it from a copy, or use a new folder"
        ) from error


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Each setting as JSON text, in which 1, 1.0 and true differ, by its dotted name."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves(inner, f"{name}.{key}" if name else key)
    else:
        yield name, _canonical(value)


def take_lock(folder: Path) -> IO[str]:
    """Keep other runs out of a folder until what this returns is closed, or the process dies."""
    lock = (folder / _LOCK).open("a+", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise BlockingIOError(
            f"another run is at work in {folder}; wait until it ends, or use another folder"
        ) from None
    _LOCKS.add(lock)
    return lock


def _clean(folder: Path) -> None:
    """Remove what killed runs left behind; only the holder of the lock may."""
    for path in set(folder.glob(f"{_OURS}*")) - {folder / _LOCK}:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _write_stamp(path: Path, value: dict[str, Any]) -> None:
    with atomic_path(path) as temporary:
        write_json(with_checksum(value), temporary)


def _kept(path: Path, stamp: Path, identity: dict[str, Any]) -> tuple[str | None, str]:
    """The digest of a result that is whole and made as asked, or None; and a note on it."""
    if not stamp.exists():
        return None, ""
    try:
        there = check_checksum(json.loads(stamp.read_text(encoding="utf-8")))
        digest = str(there["digest"])
        asked = {key: there[key] for key in identity} == identity
    except (ValueError, KeyError, TypeError, RecursionError):
        return None, " (made again: its stamp was damaged)"
    if not asked:
        return None, " (made again: what it builds on has changed)"
    whole = path.exists() and _digest(path) == digest
    return (digest, "reused") if whole else (None, " (made again: its result was damaged)")


def _digest(path: Path, sync: bool = False) -> str:
    """A digest of a file, or of all names and bytes in a folder; `sync` puts them on disk."""
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
    found = {"taskspace": __version__, "python": sys.version.split()[0]}
    for name in ("numpy", "numba", "torch", "scikit-learn"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found

"""Stages of work whose results are saved in a run folder, so that interrupted runs resume.

A result is valid once its stamp, `<stage>.json`, is beside it; the stamp is written last.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from taskspace._version import __version__
from taskspace.checkpoints import NONE, Checkpoints
from taskspace.files import (
    LOCK,
    OURS,
    atomic_path,
    check_checksum,
    explain_errors,
    take_lock,
    with_checksum,
    write_json,
)
from taskspace.runs.layout import SETTINGS, Part

T = TypeVar("T")
FORMAT, FORMAT_VERSION = "taskspace run", 2
_WIDEST = 80  # columns of a terminal
_LISTED = 5  # most differences that a message lists
UNFINISHED = f"{OURS}unfinished-"  # prefix of the folders of pieces of unfinished stages


class Stages(contextlib.AbstractContextManager["Stages"]):
    """The stages of one run; a lock ensures that only one process at a time uses the folder.

    `settings` must be plain JSON. A folder that holds a run with other settings is refused. `log`
    is called with one line per stage; by default, the lines go to standard error.

        with Stages("runs/mine", {"seed": 0}) as stages:
            part = Part("outcomes", "outcomes.npz")
            outcomes = stages.stage(part, play, Outcomes.save, Outcomes.load)

    A stage that takes minutes stores its pieces in `checkpoints`, and continues with them after a
    kill. They are removed when the stage ends, and not used if anything it depends on changes.
    """

    def __init__(
        self, folder: str | os.PathLike[str], settings: Mapping[str, Any],
        *, log: Callable[[str], None] | None = None,
    ) -> None:  # fmt: skip
        self.folder = Path(folder)
        self.settings = _plain(settings)
        self.log = log if log is not None else _print_line
        self._results: dict[str, str] = {}  # digests of the results so far, by stage
        self._taken = {SETTINGS}  # file names in use
        self.checkpoints = NONE  # of the stage that is being computed
        maker = {"format": FORMAT, "format version": FORMAT_VERSION, "version": __version__}
        wanted = {"taskspace": maker, "settings": self.settings}
        self._hash = _hash(wanted)
        with explain_errors(self.folder), contextlib.ExitStack() as undo:
            self.folder.mkdir(parents=True, exist_ok=True)
            _check_settings(self.folder, wanted)
            self._lock = undo.enter_context(take_lock(self.folder))
            _check_settings(self.folder, wanted)  # another run may have started in the meantime
            _clean(self.folder)
            if not (self.folder / SETTINGS).exists():
                _write_stamp(self.folder / SETTINGS, wanted)
            undo.pop_all()  # no error: keep the lock

    @property
    def done(self) -> list[str]:
        """The names of the stages so far."""
        return list(self._results)

    def close(self) -> None:
        """Release the lock of the folder."""
        self._lock.close()

    def __exit__(self, *error: object) -> None:
        self.close()

    def stage(
        self, part: Part | str, make: Callable[[], T], save: Callable[[T, Path], object],
        load: Callable[[Path], T], *, after: Sequence[str] | None = None,
        start: float | None = None,
    ) -> T:  # fmt: skip
        """The result of a stage: loaded if it exists, otherwise computed, saved and loaded.

        `save(result, path)` writes the file or folder of the `part`; if `part` is only the name of
        a stage, the file has the same name. `after` names the stages that this one depends on (by
        default all earlier ones): when one of their results changes, the stage is computed again.
        `start` is the time at which another process began to compute it, if one did.
        """
        name, file = part if isinstance(part, Part) else (part, part)
        after = list(self._results) if after is None else after
        self._check_stage(name, file, after)
        path, stamp = self.folder / file, self.folder / f"{name}.json"
        upstream = {other: self._results[other] for other in after}
        identity = {"stage": name, "file": file, "settings": self._hash, "upstream": upstream}
        start = time.perf_counter() if start is None else start
        digest, note = _valid(path, stamp, identity)
        if digest is None:
            self.checkpoints = Checkpoints(self.folder / f"{UNFINISHED}{_hash(identity)}")
            digest = _write_result(make(), save, path, stamp, identity, start)
            _remove_unfinished(self.folder)
            note = f"{time.perf_counter() - start:.1f} s{note}"
        self._results[name] = digest
        self._taken |= {path.name, stamp.name}
        result = load(path)  # even a new result: a resumed run must continue from identical data
        self.log(f"{name} … {note}")
        return result

    def _check_stage(self, name: str, file: str, after: Sequence[str]) -> None:
        if self._lock.closed:
            raise ValueError(f"the run in {self.folder} is closed; open it again")
        for text in (name, file):
            if not re.fullmatch(r"\w[\w.+-]*", text, re.ASCII):
                raise ValueError(
                    f"the name of a stage or file must be letters, digits and . + - _, got {text!r}"
                )
        files = {file, f"{name}.json"}
        if len(files) == 1 or files & self._taken:
            raise ValueError(
                f"the stage {name} must write new files, got {' and '.join(sorted(files))}"
            )
        for other in set(after) - set(self._results):
            raise ValueError(f"the stage {name} depends on {other}, which has not run")


# -- results of a finished run -------------------------------------------------------------------


class Finished(Stages):
    """The stages of a run that have ended, for a process that computes another one of it."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder, self.checkpoints = Path(folder), NONE

    def close(self) -> None:
        """Do nothing: the lock is that of the other process."""

    def stage(
        self, part: Part | str, make: Callable[[], T], save: Callable[[T, Path], object],
        load: Callable[[Path], T], *, after: Sequence[str] | None = None,
        start: float | None = None,
    ) -> T:  # fmt: skip
        """The result of a stage, which must exist."""
        return load(check_result(self.folder, part if isinstance(part, Part) else Part(part, part)))


def check_result(folder: Path, part: Part) -> Path:
    """The path of the result of a stage, after a check that it is undamaged and of this run.

    Raises:
        FileNotFoundError: If the stage has not run.
        ValueError: If the result is damaged or belongs to another run.
    """
    path, stamp = folder / part.file, folder / f"{part.stage}.json"
    if not stamp.is_file():
        raise FileNotFoundError(
            f"there is no {part.stage} in {folder}; use a run folder that `taskspace run` or"
            " `taskspace fit` has finished"
        )
    found = _read_stamp(stamp)
    if (found["stage"], found["file"]) != part:
        raise ValueError(f"{stamp} is the stamp of another stage; repeat the run")
    if not path.exists() or _digest(path) != found["digest"]:
        raise ValueError(
            f"{path} is damaged or was copied from another run; repeat the run to restore it"
        )
    if found["settings"] != _hash(read_settings(folder)):
        raise ValueError(f"{path} belongs to a run with other settings; repeat the run")
    for stage, digest in found["upstream"].items():
        if _read_stamp(folder / f"{stage}.json")["digest"] != digest:
            raise ValueError(f"{path} does not belong to the {stage} of this run; repeat the run")
    return path


def has_result(folder: Path, part: Part) -> bool:
    """Whether the stage has run."""
    return (folder / f"{part.stage}.json").is_file()


def derive(
    folder: Path, part: Part, after: Sequence[Part], make: Callable[[], T],
    save: Callable[[T, Path], object], load: Callable[[Path], T],
) -> T:  # fmt: skip
    """An additional result of a finished run: loaded if it exists, otherwise computed.

    It is saved for the next time, unless the folder is read-only or locked by another process.
    `after` are the stages that it depends on.
    """
    stamp, path = folder / f"{part.stage}.json", folder / part.file
    stamps = {other.stage: _read_stamp(folder / f"{other.stage}.json") for other in after}
    upstream = {stage: found["digest"] for stage, found in stamps.items()}
    identity = {
        "stage": part.stage, "file": part.file, "settings": _hash(read_settings(folder)),
        "upstream": upstream,
    }  # fmt: skip
    if _valid(path, stamp, identity)[0] is not None:
        return load(path)
    start = time.perf_counter()
    result = make()
    with contextlib.suppress(OSError), take_lock(folder):
        _write_result(result, save, path, stamp, identity, start)
    return result


def _read_stamp(stamp: Path) -> dict[str, Any]:
    try:
        found = check_checksum(json.loads(stamp.read_text(encoding="utf-8")))
        if not found.keys() >= {"stage", "file", "settings", "upstream", "digest"}:
            raise ValueError("it is not a stamp")
        return found
    except FileNotFoundError as error:
        raise FileNotFoundError(f"there is no file {stamp}; repeat the run") from error
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{stamp} is damaged; repeat the run") from error


def _hash(values: Mapping[str, Any]) -> str:
    """A digest of settings.json, which identifies the run, or of what identifies a stage."""
    return hashlib.sha256(_canonical(values).encode()).hexdigest()


# -- folders and settings --------------------------------------------------------------------------


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, allow_nan=False, separators=(",", ":"))


def _plain(settings: Mapping[str, Any]) -> Any:
    try:
        return json.loads(_canonical(dict(settings)))
    except (TypeError, ValueError) as error:
        raise ValueError(f"settings must be plain JSON, got {error}") from error


def check_folder(folder: str | os.PathLike[str]) -> Path:
    """Return the path of a run folder, which may not exist yet.

    Raises:
        ValueError: If the name is empty, or if there is a file or a folder with other files.
    """
    if not os.fspath(folder):  # as a path, it would be the working folder
        raise ValueError("the run folder must have a name, got ''")
    path = Path(folder)
    if path.is_file():
        raise ValueError(f"{path} must be a run folder or empty, got a file; use a new folder")
    names = os.listdir(path) if path.is_dir() else []
    if SETTINGS not in names and not all(name.startswith(OURS) for name in names):
        raise ValueError(f"{path} must be a run folder or empty, got other files; use a new folder")
    return path


def _check_settings(folder: Path, wanted: dict[str, Any]) -> None:
    """Raise if the folder holds anything but a run with these settings."""
    if not (check_folder(folder) / SETTINGS).exists():
        return
    there = read_settings(folder)
    old, new = dict(_leaves(there)), dict(_leaves(wanted))
    # Settings that both have come first: the others follow from them.
    names = sorted({**old, **new}, key=lambda name: name not in old or name not in new)
    differing = [
        f"{name.removeprefix('settings.')}: {old.get(name, 'nothing')} in the folder,"
        f" {new.get(name, 'nothing')} requested"
        for name in names
        if old.get(name) != new.get(name)
    ]
    if differing:
        more = [f"{len(differing) - _LISTED} more"] if len(differing) > _LISTED else []
        listed = "; ".join([*differing[:_LISTED], *more])
        raise ValueError(f"{folder} holds a run with other settings ({listed}); use a new folder")


def read_settings(folder: Path) -> dict[str, Any]:
    """The contents of `settings.json`: `settings`, and under `taskspace` the version used."""
    try:
        there = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
        if there["taskspace"]["format"] != FORMAT:
            raise ValueError("written by another program")
    except FileNotFoundError:
        raise FileNotFoundError(
            f"{folder} is not a run folder: {SETTINGS} is missing; use a new folder"
        ) from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError(
            f"{folder} is not a run folder: {SETTINGS} is damaged or from another program; use a"
            " new folder"
        ) from None
    version = there["taskspace"].get("format version")
    if version != FORMAT_VERSION:
        raise ValueError(
            f"{folder} was written by taskspace {there['taskspace'].get('version')}, which uses"
            " another format of run folders; repeat the run in a new folder"
        )
    try:
        return check_checksum(there)
    except ValueError as error:
        raise ValueError(
            f"{folder / SETTINGS} is damaged: {error}; restore it from a backup, or use a new"
            " folder"
        ) from error


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Pairs of dotted name and JSON text, in which 1, 1.0 and true differ."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves(inner, f"{name}.{key}" if name else key)
    else:
        yield name, _canonical(value)


def _clean(folder: Path) -> None:
    """Remove temporary files of killed runs, but not their pieces; only with the lock held."""
    kept = {folder / LOCK, *folder.glob(f"{UNFINISHED}*")}
    for path in set(folder.glob(f"{OURS}*")) - kept:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _remove_unfinished(folder: Path) -> None:
    """Remove the pieces of the stage that has ended, and any of stages with other inputs."""
    for path in folder.glob(f"{UNFINISHED}*"):
        shutil.rmtree(path)


def _write_stamp(path: Path, value: dict[str, Any]) -> None:
    with atomic_path(path) as temporary:
        write_json(with_checksum(value), temporary)


def _write_result(
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
        digest = _digest(fresh, sync=True)
        stamp.unlink(missing_ok=True)  # no result is valid until the new stamp is written
        if path.exists():
            path.rename(Path(temporary, f"old-{path.name}"))
        fresh.rename(path)
        made = {"digest": digest, "seconds": round(time.perf_counter() - start, 3)}
        _write_stamp(stamp, {**identity, **made, "versions": _versions()})
    return digest


def _valid(path: Path, stamp: Path, identity: dict[str, Any]) -> tuple[str | None, str]:
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
    whole = path.exists() and _digest(path) == digest
    return (digest, "reused") if whole else (None, " (computed again: its result was damaged)")


def _digest(path: Path, sync: bool = False) -> str:
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


def _print_line(line: str) -> None:
    """Print a line to standard error; a long one is broken, as it would be hard to read."""
    broken = textwrap.fill(line, _WIDEST, subsequent_indent="  ", break_long_words=False)
    print(broken, file=sys.stderr)

"""The run folder: stages of work whose results are kept, so that a stopped run goes on later.

A result counts once its stamp, `<stage>.json`, lies beside it, and the stamp is written last.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from taskspace._version import __version__
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


class Stages(contextlib.AbstractContextManager["Stages"]):
    """The stages of a run with these settings; one process at a time works in their folder.

    `settings` are plain JSON. A folder of a run with other settings is refused. `say` is given a
    line for each stage; without it the lines go to standard error.

        with Stages("runs/mine", {"seed": 0}) as stages:
            part = Part("outcomes", "outcomes.npz")
            outcomes = stages.stage(part, play, Outcomes.save, Outcomes.load)
    """

    def __init__(
        self, folder: str | os.PathLike[str], settings: Mapping[str, Any],
        *, say: Callable[[str], None] | None = None,
    ) -> None:  # fmt: skip
        self.folder = Path(folder)
        self.settings = _plain(settings)
        self._say = say if say is not None else lambda line: print(line, file=sys.stderr)
        self._results: dict[str, str] = {}  # the stages so far and the digests of their results
        self._taken = {SETTINGS}  # names of files
        maker = {"format": FORMAT, "format version": FORMAT_VERSION, "version": __version__}
        asked = {"taskspace": maker, "settings": self.settings}
        self._hash = _hash(asked)
        with explain_errors(self.folder), contextlib.ExitStack() as undo:
            self.folder.mkdir(parents=True, exist_ok=True)
            _check_settings(self.folder, asked)
            self._lock = undo.enter_context(take_lock(self.folder))
            _check_settings(self.folder, asked)  # another run may have begun just before the lock
            _clean(self.folder)
            if not (self.folder / SETTINGS).exists():
                _write_stamp(self.folder / SETTINGS, asked)
            undo.pop_all()  # all went well: keep the lock

    def close(self) -> None:
        """Let other processes work in the folder."""
        self._lock.close()

    def __exit__(self, *error: object) -> None:
        self.close()

    def stage(
        self, part: Part | str, make: Callable[[], T], save: Callable[[T, Path], object],
        load: Callable[[Path], T], *, after: Sequence[str] | None = None,
    ) -> T:  # fmt: skip
        """The result of a stage: loaded if it is there, else made, saved and loaded.

        `save(result, path)` writes the file or folder of the `part`, which has the stage's name
        where only that is given. `after` names the stages it builds on (all before it by default):
        when the result of one of them changes, the stage is made again.
        """
        name, file = part if isinstance(part, Part) else (part, part)
        after = list(self._results) if after is None else after
        self._check_stage(name, file, after)
        path, stamp = self.folder / file, self.folder / f"{name}.json"
        upstream = {other: self._results[other] for other in after}
        identity = {"stage": name, "file": file, "settings": self._hash, "upstream": upstream}
        start = time.perf_counter()
        digest, note = _kept(path, stamp, identity)
        if digest is None:
            digest = _write_result(make(), save, path, stamp, identity, start)
            note = f"{time.perf_counter() - start:.1f} s{note}"
        self._results[name] = digest
        self._taken |= {path.name, stamp.name}
        result = load(path)  # also of what was just made: a resumed run goes on from the same bits
        self._say(f"{name} … {note}")
        return result

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


# -- results of a finished run -------------------------------------------------------------------


def check_result(folder: Path, part: Part) -> Path:
    """The path of a stage's result, if it is whole and belongs to this run.

    Raises:
        FileNotFoundError: The stage has not run.
        ValueError: The result is damaged, or was made by another run.
    """
    path, stamp = folder / part.file, folder / f"{part.stage}.json"
    if not stamp.is_file():
        raise FileNotFoundError(
            f"there is no finished {part.stage} in {folder}; expected a folder that"
            " `taskspace run` or `taskspace fit` made"
        )
    found = _read_stamp(stamp)
    if not path.exists() or _digest(path) != found["digest"]:
        raise ValueError(
            f"{path} is damaged, or was copied from another run; make the run again to mend it"
        )
    if found["settings"] != _hash(read_settings(folder)):
        raise ValueError(f"{path} belongs to a run with other settings; make the run again")
    for stage, digest in found["upstream"].items():
        if _read_stamp(folder / f"{stage}.json")["digest"] != digest:
            raise ValueError(f"{path} does not belong to the {stage} beside it; make the run again")
    return path


def has_result(folder: Path, part: Part) -> bool:
    """Whether the stage has run."""
    return (folder / f"{part.stage}.json").is_file()


def derive(
    folder: Path, part: Part, after: Sequence[Part], make: Callable[[], T],
    save: Callable[[T, Path], object], load: Callable[[Path], T],
) -> T:  # fmt: skip
    """What a finished run gets when it is first asked for: loaded if it is there, else made.

    It is kept in the folder for the next time, where the folder can be written and no other
    process works in it. `after` are the stages that it follows from.
    """
    stamp, path = folder / f"{part.stage}.json", folder / part.file
    stamps = {other.stage: _read_stamp(folder / f"{other.stage}.json") for other in after}
    upstream = {stage: found["digest"] for stage, found in stamps.items()}
    identity = {
        "stage": part.stage, "file": part.file, "settings": _hash(read_settings(folder)),
        "upstream": upstream,
    }  # fmt: skip
    if _kept(path, stamp, identity)[0] is not None:
        return load(path)
    start = time.perf_counter()
    result = make()
    with contextlib.suppress(OSError), take_lock(folder):
        _write_result(result, save, path, stamp, identity, start)
    return result


def _read_stamp(stamp: Path) -> dict[str, Any]:
    try:
        return check_checksum(json.loads(stamp.read_text(encoding="utf-8")))
    except FileNotFoundError as error:
        raise FileNotFoundError(f"{stamp} is missing; make the run again") from error
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{stamp} is damaged; make the run again") from error


def _hash(settings: Mapping[str, Any]) -> str:
    """A digest of all that settings.json says: what tells this run from others."""
    return hashlib.sha256(_canonical(settings).encode()).hexdigest()


# -- settings ------------------------------------------------------------------------------------


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
    if SETTINGS not in names:
        if all(name.startswith(OURS) for name in names):
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
        there = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
        if there["taskspace"]["format"] != FORMAT:
            raise ValueError("another program's")
    except FileNotFoundError:
        raise FileNotFoundError(
            f"{folder} is not a run folder: {SETTINGS} is missing; use a new folder"
        ) from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError(
            f"{folder} is not a run folder: {SETTINGS} is damaged or not ours; use a new folder"
        ) from None
    version = there["taskspace"].get("format version")
    if version != FORMAT_VERSION:
        raise ValueError(
            f"{folder} was made by taskspace {there['taskspace'].get('version')}, in another format"
            " of run folders; make it again, in a new folder"
        )
    try:
        return check_checksum(there)
    except ValueError as error:
        raise ValueError(
            f"{folder / SETTINGS} is damaged: {error}; restore it from a copy, or use a new folder"
        ) from error


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Each setting as JSON text, in which 1, 1.0 and true differ, by its dotted name."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves(inner, f"{name}.{key}" if name else key)
    else:
        yield name, _canonical(value)


def _clean(folder: Path) -> None:
    """Remove what killed runs left behind; only the holder of the lock may."""
    for path in set(folder.glob(f"{OURS}*")) - {folder / LOCK}:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _write_stamp(path: Path, value: dict[str, Any]) -> None:
    with atomic_path(path) as temporary:
        write_json(with_checksum(value), temporary)


def _write_result(
    result: T, save: Callable[[T, Path], object], path: Path, stamp: Path,
    identity: dict[str, Any], start: float,
) -> str:  # fmt: skip
    """Write a result and its stamp, all or nothing; the digest of the result."""
    with (
        explain_errors(path),
        tempfile.TemporaryDirectory(prefix=OURS, dir=path.parent) as temporary,
    ):
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

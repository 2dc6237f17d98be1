"""The settings of a run folder, which identify the run: a folder holds one run."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from taskspace.files import OURS, check_checksum
from taskspace.runs.layout import SETTINGS

FORMAT, FORMAT_VERSION = "taskspace run", 2
_RESULTS = "results"  # the setting that is a digest of a table, which says nothing to readers
_LISTED = 5  # most differences that a message lists


def hash_of(values: Mapping[str, Any]) -> str:
    """A digest of settings.json, which identifies the run, or of what identifies a stage."""
    return hashlib.sha256(_canonical(values).encode()).hexdigest()


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, allow_nan=False, separators=(",", ":"))


def plain_settings(settings: Mapping[str, Any]) -> Any:
    """A copy of settings as JSON has them."""
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


def is_run(folder: Path) -> bool:
    """Whether `run` or `fit` wrote the folder, which may be unfinished or damaged."""
    try:  # a folder of logs may have a file of this name, too
        return f'"{FORMAT}"' in (folder / SETTINGS).read_text("utf-8", "replace")
    except OSError:
        return False


def check_settings(folder: Path, wanted: dict[str, Any]) -> None:
    """Raise if the folder holds anything but a run with these settings."""
    if not (check_folder(folder) / SETTINGS).exists():
        return
    there = read_settings(folder)
    old, new = dict(_leaves(there)), dict(_leaves(wanted))
    # Settings that both have come first: the others follow from them.
    names = sorted({**old, **new}, key=lambda name: name not in old or name not in new)
    differing = [
        _difference(name.removeprefix("settings."), old.get(name), new.get(name))
        for name in names
        if old.get(name) != new.get(name)
    ]
    if differing:
        more = [f"{len(differing) - _LISTED} more"] if len(differing) > _LISTED else []
        listed = "; ".join([*differing[:_LISTED], *more])
        raise ValueError(f"{folder} holds a run with other settings ({listed}); use a new folder")


def _difference(name: str, old: str | None, new: str | None) -> str:
    """One setting that differs, in words."""
    if name == _RESULTS:
        if old and new:
            return "the results have changed since, or are read differently"
        old, new = ("given results" if digest else None for digest in (old, new))
    return f"{name}: {old or 'nothing'} in the folder, {new or 'nothing'} requested"


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

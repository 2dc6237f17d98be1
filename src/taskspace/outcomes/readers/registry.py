"""The readers: those of the library, and those that other packages add."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path

from taskspace.outcomes.plugins import load, plugins
from taskspace.outcomes.readers import tables
from taskspace.outcomes.readers.base import Reader
from taskspace.outcomes.readers.collector import LogWarning
from taskspace.outcomes.readers.every_eval_ever import EveryEvalEver
from taskspace.outcomes.readers.helm import Helm
from taskspace.outcomes.readers.inspect_logs import Inspect
from taskspace.outcomes.readers.lm_eval import LmEval
from taskspace.outcomes.readers.py_irt import PyIrt

GROUP = "taskspace.readers"  # of entry points
_OWN = (LmEval, Inspect, Helm, EveryEvalEver, PyIrt)


def readers() -> list[Reader]:
    """All readers, those of other packages first; one that cannot be loaded is left out."""
    found: list[Reader] = []
    for entry in plugins(GROUP).values():
        try:
            found.append(load(entry, Reader))
        except ImportError as error:
            warnings.warn(str(error), LogWarning, stacklevel=2)
    return [*found, *(kind() for kind in _OWN)]


def reader_of(path: Path, known: Iterable[Reader]) -> Reader | None:
    """The reader that recognises a file."""
    return next((reader for reader in known if reader.recognises(path)), None)


def formats(known: Iterable[Reader]) -> str:
    """The formats and their files, for messages."""
    found = [(reader.name, reader.files) for reader in known]
    return "; ".join(f"{name} ({files})" for name, files in [*found, (tables.NAME, tables.FILES)])

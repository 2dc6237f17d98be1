"""What takes long to make of a finished map, kept in its folder for the next time."""

from __future__ import annotations

import contextlib
import hashlib
import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace._version import __version__
from taskspace.applications.posterior import AgentPosterior
from taskspace.explore.views import lay_out
from taskspace.files import atomic_path, check_seal, seal
from taskspace.finished import FinishedMap
from taskspace.progress import progress_bar

FILE = "explorer.npz"
FORMAT_VERSION = 1
_VIEW = "view "  # how the names of views begin in the file


@dataclass(frozen=True, eq=False)
class Prepared:
    """The views of a map, and what a quiz tells about an agent."""

    views: dict[str, NDArray[np.float32]]  # (tasks, 2) each
    posterior: AgentPosterior


def prepare(finished: FinishedMap) -> Prepared:
    """Read the file that an earlier call left in the run folder, or make it.

    A folder that cannot be written is left as it is; the next call works anew then.
    """
    kept = _read(finished)
    if kept is not None:
        return kept
    with progress_bar("Getting ready", 2) as advance:
        advance(0, "learning what a quiz tells")
        posterior = finished.known_agents
        advance(1, "drawing the map")
        made = Prepared(lay_out(finished.index.vectors), posterior)
        advance(1)
    with contextlib.suppress(OSError):
        keep(made, finished)
    return made


def keep(made: Prepared, finished: FinishedMap) -> None:
    """Write the file that `prepare` reads, all or nothing."""
    posterior = made.posterior
    arrays: dict[str, Any] = {f"{_VIEW}{name}": view for name, view in made.views.items()}
    arrays |= {"profiles": posterior.profiles, "prior": posterior.prior}
    arrays |= {"temper": posterior.temper, "strength": posterior.strength}
    with atomic_path(finished.folder / FILE) as temporary:
        with temporary.open("wb") as file:
            np.savez(file, key=_key(finished), **arrays)
        seal(temporary)


def _key(finished: FinishedMap) -> str:
    """A digest of all that the file follows from."""
    outcomes = finished.outcomes
    parts = (finished.index.vectors, outcomes.successes, outcomes.rollouts)
    digest = hashlib.sha256(json.dumps([FORMAT_VERSION, __version__]).encode())
    for part in parts:
        digest.update(f"{part.shape} {part.dtype}".encode())
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()


def _read(finished: FinishedMap) -> Prepared | None:
    """What the file holds, or None where there is none for this map, or it is damaged."""
    path = finished.folder / FILE
    try:
        with np.load(path, allow_pickle=False) as file:
            if str(file["key"]) != _key(finished):
                return None
            check_seal(path)
            found = {name: file[name] for name in file.files}
        views = {n.removeprefix(_VIEW): found[n] for n in found if n.startswith(_VIEW)}
        numbers = float(found["temper"]), float(found["strength"])
        posterior = AgentPosterior(found["profiles"], found["prior"], *numbers, finished.outcomes)
    except Exception:  # whatever NumPy and zipfile make of damaged bytes: it is made anew
        return None
    return Prepared(views, posterior)

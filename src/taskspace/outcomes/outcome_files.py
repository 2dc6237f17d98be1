"""Files of outcomes: one .npz file without pickle, with a header and a seal."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from taskspace import checks
from taskspace.files import (
    atomic_path,
    check_format,
    check_seal,
    check_unfolded_size,
    read_arrays,
    seal,
)
from taskspace.outcomes.counts import same_everywhere
from taskspace.outcomes.labels import pack, unpack
from taskspace.outcomes.returns import SCALE_ARRAYS, pack_scale, unpack_scale

FORMAT = "taskspace outcomes"
FORMAT_VERSION = 1
PER_PAIR = ("successes", "rollouts", "steps", "returns", "return_spreads", "results")
DAMAGED = (
    "{} is damaged or was not written by Outcomes.save; read tables of results with"
    " Outcomes.from_table"
)
_ARRAYS = (*PER_PAIR, "agents", "tasks", "features", "labels", *SCALE_ARRAYS)


def checked_info(info: Any) -> dict[str, Any]:
    """A copy of what is stored with outcomes, as a file will have it."""
    try:
        same = json.loads(json.dumps(info))
    except (TypeError, ValueError) as error:
        raise ValueError(f"info must be a dictionary of JSON values: {error}") from error
    if not isinstance(same, dict):
        raise ValueError(f"info must be a dictionary of JSON values, got {info!r}")
    return same


def write(outcomes: Any, path: str | os.PathLike[str]) -> None:
    """Write outcomes to a file, completely or not at all."""
    parts = {**vars(outcomes), "labels": pack(outcomes.task_labels, outcomes.agent_labels)}
    parts |= pack_scale(outcomes.scale)
    arrays = {name: parts[name] for name in _ARRAYS if parts.get(name) is not None}
    if same_everywhere(outcomes.rollouts):
        arrays["rollouts"] = outcomes.rollouts[:1, :1]  # one number for all pairs
    header = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "arrays": sorted(arrays),
        "feature_names": outcomes.feature_names,
        "info": outcomes.info,
    }
    with atomic_path(path) as temporary:
        with temporary.open("wb") as file:
            np.savez(file, header=np.array(json.dumps(header)), **arrays)
        seal(temporary)


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The arguments of `Outcomes` in a file that `write` wrote; a damaged file is refused."""
    if not checks.path(path).is_file():
        raise FileNotFoundError(f"there is no file {path}")
    check_unfolded_size(path)
    try:
        check_seal(path)
        arrays = read_arrays(Path(path), ("header", *_ARRAYS))
        header = json.loads(str(arrays.pop("header")))
        form = header.get("format"), header.get("version")
    except Exception as error:  # NumPy, zipfile and json raise many types of errors on damage
        raise ValueError(DAMAGED.format(path)) from error
    check_format(path, form, (FORMAT, FORMAT_VERSION))
    try:
        return _parts(header, arrays)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{DAMAGED.format(path)}: {error}") from error


def _parts(header: dict[str, Any], arrays: dict[str, Any]) -> dict[str, Any]:
    if sorted(arrays) != header["arrays"]:
        raise ValueError("some of its parts are missing")
    if arrays["rollouts"].size == 1:
        arrays["rollouts"] = arrays["rollouts"].ravel()[0]
    if "labels" in arrays:
        arrays |= unpack(arrays.pop("labels"))
    arrays |= unpack_scale(arrays)
    return {**arrays, "feature_names": tuple(header["feature_names"]), "info": header["info"]}

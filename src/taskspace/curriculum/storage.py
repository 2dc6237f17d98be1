"""Curricula as files: arrays with a checksum, no pickle."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks
from taskspace.curriculum.curriculum import Curriculum
from taskspace.curriculum.handover import NEVER
from taskspace.curriculum.history import History
from taskspace.curriculum.targets import Target
from taskspace.files import check_format, read_sealed_arrays, write_sealed_arrays

_FORMAT, _VERSION = "taskspace curriculum", 1
_FUNCTION = "function"  # the name of a rule that is not saved
_PARTS = ("forgetting", "history")


def save(curriculum: Curriculum, path: str | os.PathLike[str]) -> None:
    """Write a curriculum."""
    settings = {
        "format": _FORMAT,
        "version": _VERSION,
        "rule": curriculum.rule if isinstance(curriculum.rule, str) else _FUNCTION,
        "share": curriculum.share,
        "handover": None if curriculum.handover == NEVER else curriculum.handover,
        "updates": curriculum.updates,
        "random": curriculum._rng.bit_generator.state,
    }
    arrays: dict[str, NDArray[Any]] = {
        "settings": np.array(json.dumps(settings)),
        "tasks": curriculum.tasks,
        "target": curriculum.target.weights,
        "chosen": curriculum.target.chosen,
        "similarity": curriculum.target.similarity,
    }
    if curriculum.basis is not None:
        arrays["basis"] = curriculum.basis
    waiting = curriculum._waiting or [(np.zeros(0, np.int64), np.zeros(0))]
    arrays["waiting_tasks"] = np.concatenate([tasks for tasks, _ in waiting])
    arrays["waiting_successes"] = np.concatenate([successes for _, successes in waiting])
    parts: tuple[Mapping[str, NDArray[Any]], ...] = (
        curriculum.forgetting.state(), curriculum.history.as_arrays()
    )  # fmt: skip
    for name, part in zip(_PARTS, parts, strict=True):
        arrays |= {f"{name}/{key}": value for key, value in part.items()}
    write_sealed_arrays(arrays, checks.path(path))


def load(
    path: str | os.PathLike[str], rule: Any = None, *, instead: str | None = None
) -> Curriculum:
    """Read a curriculum; `instead` names a rule for files whose function is not given."""
    file = checks.path(path)
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {file}")
    try:
        arrays = read_sealed_arrays(file)
        settings = json.loads(str(arrays.get("settings", "{}")))
    except (ValueError, KeyError, OSError) as error:
        raise ValueError(f"{file} must be a curriculum written by save, got {error}") from error
    check_format(file, (settings.get("format"), settings.get("version")), (_FORMAT, _VERSION))
    chosen = _rule(file, settings["rule"], rule, instead)
    try:
        return _restored(arrays, settings, chosen)
    except (KeyError, ValueError, IndexError, TypeError) as error:
        raise ValueError(f"{file} must be a curriculum written by save, got {error}") from error


def _rule(file: Path, saved: str, given: Any, instead: str | None) -> Any:
    """The rule of a file: the one that is named there, or the function that is given."""
    if saved != _FUNCTION:
        if given is not None:
            raise ValueError(
                f"rule must be None for {file}, whose rule is {saved!r}, got {checks.brief(given)}"
            )
        return saved
    if given is None and instead is not None:
        return instead
    if not callable(given):
        raise ValueError(f"rule must be the function of {file}, got {checks.brief(given)}")
    return given


def _restored(arrays: dict[str, NDArray[Any]], settings: dict[str, Any], rule: Any) -> Curriculum:
    found = Curriculum.__new__(Curriculum)
    found.tasks, found.basis = arrays["tasks"], arrays.get("basis")
    found._set_rule(rule, has_target=True)
    found.share = settings["share"]
    found.handover = NEVER if settings["handover"] is None else settings["handover"]
    found._rng = np.random.default_rng()
    found._rng.bit_generator.state = settings["random"]
    found.target = Target(arrays["target"], arrays["chosen"], arrays["similarity"])
    found._start()
    forgetting, history = (_part(arrays, name) for name in _PARTS)
    found.forgetting.restore(forgetting)
    found.history = History.from_arrays(history)
    found.updates = settings["updates"]
    if len(arrays["waiting_tasks"]):
        found._waiting = [(arrays["waiting_tasks"], arrays["waiting_successes"])]
    found._refresh()
    return found


def _part(arrays: dict[str, NDArray[Any]], name: str) -> dict[str, NDArray[Any]]:
    start = f"{name}/"
    return {k.removeprefix(start): value for k, value in arrays.items() if k.startswith(start)}

"""A fitted embedding of any kind as a folder: `embedder.json` and `weights.safetensors`."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from taskspace._version import __version__
from taskspace.files import check_format

FORMAT, FORMAT_VERSION = "taskspace embedder", 1
_SETTINGS, _WEIGHTS = "embedder.json", "weights.safetensors"


def save(embedder: Any, folder: str | os.PathLike[str]) -> None:
    """Write the folder, all or nothing; an older one of the same name is replaced."""
    if callable(embedder.hidden):
        raise ValueError("an embedder with a network of your own cannot be saved; save its weights")
    target = Path(folder)
    if target.exists() and not (target / _SETTINGS).is_file():
        raise ValueError(f"{target} is there already and is not an embedder; choose another folder")
    target.parent.mkdir(parents=True, exist_ok=True)
    settings = json.dumps(_settings(embedder), indent=2, default=_plain)
    temporary = Path(tempfile.mkdtemp(prefix=".taskspace-", dir=target.parent))
    try:
        (temporary / _SETTINGS).write_text(settings)
        tensors = dict(embedder.network_.state_dict())
        tensors |= {name: torch.tensor(getattr(embedder, f"{name}_")) for name in _kept(embedder)}
        save_file(tensors, temporary / _WEIGHTS)
        (temporary / _WEIGHTS).chmod(0o644)  # both are made for the owner's eyes only
        temporary.chmod(0o755)
        if target.exists():
            old = Path(tempfile.mkdtemp(prefix=".taskspace-", dir=target.parent))
            target.replace(old / "old")
            temporary.replace(target)
            shutil.rmtree(old)
        else:
            temporary.replace(target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _settings(embedder: Any) -> dict[str, Any]:
    names, tasks = getattr(embedder, "feature_names_in_", None), embedder.task_names_
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "kind": type(embedder).__name__,
        "taskspace": __version__,
        "parameters": embedder.get_params(),
        "components": embedder.n_components_,
        "features": embedder.n_features_in_,
        "feature_names": None if names is None else [str(name) for name in names],
        "task_names": None if tasks is None else tasks.tolist(),
        **embedder._findings(),
    }


def _kept(embedder: Any) -> tuple[str, ...]:
    """What is saved beside the network; names of tasks, unlike features, have no scale."""
    return embedder.kept if embedder.task_names_ is None else ()


def _plain(value: Any) -> Any:
    """A parameter that JSON does not know: numbers and arrays of NumPy, ranges."""
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else list(value)


def load(cls: Any, folder: str | os.PathLike[str]) -> Any:
    """Read the folder back into an embedder."""
    source = Path(folder)
    if not (source / _SETTINGS).is_file():
        raise FileNotFoundError(f"there is no embedder in {source}: {_SETTINGS} is missing")
    try:
        settings = json.loads((source / _SETTINGS).read_text())
        kind, version = settings.get("format"), settings.get("version")
    except (ValueError, AttributeError) as error:
        raise ValueError(f"{source / _SETTINGS} is damaged; expected JSON") from error
    check_format(source, (kind, version), (FORMAT, FORMAT_VERSION))
    _check_kind(cls, settings.get("kind", "TaskEmbedder"), source)
    try:
        return _restore(cls, settings, load_file(source / _WEIGHTS))
    except (KeyError, TypeError, RuntimeError, OSError, ValueError, SafetensorError) as error:
        raise ValueError(
            f"the embedder in {source} is damaged ({type(error).__name__}); save it again"
        ) from error


def _check_kind(cls: Any, kind: Any, source: Path) -> None:
    """Refuse a model of another class. The first files name none: all are of a TaskEmbedder."""
    if kind != cls.__name__:
        raise ValueError(f"{source} holds a {kind}, not a {cls.__name__}; load it with {kind}.load")


def _restore(cls: Any, settings: dict[str, Any], tensors: dict[str, torch.Tensor]) -> Any:
    parameters = settings["parameters"].items()
    embedder = cls(**{k: tuple(v) if isinstance(v, list) else v for k, v in parameters})
    if settings.get("task_names") is not None:  # older files have no such line
        embedder.task_names_ = np.array(settings["task_names"], np.str_)
    for name in _kept(embedder):
        setattr(embedder, f"{name}_", tensors.pop(name).numpy())
    embedder.n_features_in_ = int(settings["features"])
    if settings["feature_names"] is not None:
        embedder.feature_names_in_ = np.array(settings["feature_names"], dtype=object)
    embedder.n_components_ = int(settings["components"])
    with torch.random.fork_rng(devices=[]):  # fresh layers draw weights, which no one will see
        network = embedder._network(embedder.n_features_in_, embedder.n_components_)
    embedder.network_ = network.to(embedder.precision)
    embedder.network_.load_state_dict(tensors)
    embedder._restore_findings(settings)
    return embedder

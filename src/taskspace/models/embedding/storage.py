"""Fitted embeddings of any type as folders: `embedder.json` and `weights.safetensors`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import torch

from taskspace.models.folders import ModelFolder

_FOLDER = ModelFolder("embedder", "embedder.json", version=1)


def save(embedder: Any, folder: str | os.PathLike[str]) -> None:
    """Write the folder completely or not at all; an existing embedder is replaced."""
    if callable(embedder.hidden):
        raise ValueError("an embedder with a custom network cannot be saved; save its weights")
    tensors = dict(embedder.network_.state_dict())
    tensors |= {name: torch.tensor(getattr(embedder, f"{name}_")) for name in _saved(embedder)}
    _FOLDER.save(folder, _settings(embedder), tensors)


def _settings(embedder: Any) -> dict[str, Any]:
    names, tasks = getattr(embedder, "feature_names_in_", None), embedder.task_names_
    return {
        "kind": type(embedder).__name__,
        "parameters": {name: _plain(value) for name, value in embedder.get_params().items()},
        "components": embedder.n_components_,
        "features": embedder.n_features_in_,
        "feature_names": None if names is None else [str(name) for name in names],
        "task_names": None if tasks is None else tasks.tolist(),
        **embedder._findings(),
    }


def _saved(embedder: Any) -> tuple[str, ...]:
    """What is saved besides the network; names of tasks, unlike features, have no scale."""
    return embedder.saved if embedder.task_names_ is None else ()


def _plain(value: Any) -> Any:
    """A parameter as a JSON value; NumPy numbers, arrays, ranges and tuples are converted."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return list(value) if isinstance(value, (tuple, range)) else value


def load(cls: Any, folder: str | os.PathLike[str]) -> Any:
    """Read an embedder from the folder."""
    settings = _FOLDER.load_settings(folder)
    _check_kind(cls, settings.get("kind", "TaskEmbedder"), Path(folder))
    tensors = _FOLDER.load_tensors(folder, settings)
    try:
        return _restore(cls, settings, tensors)
    except (KeyError, TypeError, RuntimeError, ValueError) as error:
        raise _FOLDER.damaged(folder, error) from error


def class_name(folder: str | os.PathLike[str]) -> str:
    """The name of the class of a saved embedder."""
    return str(_FOLDER.load_settings(folder).get("kind", "TaskEmbedder"))


def _check_kind(cls: Any, kind: Any, source: Path) -> None:
    """Refuse a model of another class; the oldest files name no class and are TaskEmbedders."""
    if kind != cls.__name__:
        raise ValueError(f"{source} must hold a {cls.__name__}, got a {kind}; use {kind}.load")


def _restore(cls: Any, settings: dict[str, Any], tensors: dict[str, torch.Tensor]) -> Any:
    parameters = settings["parameters"].items()
    embedder = cls(**{k: tuple(v) if isinstance(v, list) else v for k, v in parameters})
    if settings.get("task_names") is not None:  # older files lack this key
        embedder.task_names_ = np.array(settings["task_names"], np.str_)
    for name in _saved(embedder):
        setattr(embedder, f"{name}_", tensors.pop(name).numpy())
    embedder.n_features_in_ = int(settings["features"])
    if settings["feature_names"] is not None:
        embedder.feature_names_in_ = np.array(settings["feature_names"], dtype=object)
    embedder.n_components_ = int(settings["components"])
    with torch.random.fork_rng(devices=[]):  # new layers draw weights, which are then overwritten
        network = embedder._network(embedder.n_features_in_, embedder.n_components_)
    embedder.network_ = network.to(embedder.precision)
    embedder.network_.load_state_dict(tensors)
    embedder._restore_findings(settings)
    return embedder

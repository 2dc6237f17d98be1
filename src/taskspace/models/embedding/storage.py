"""Fitted embeddings of any type as folders: `embedder.json` and `weights.safetensors`.

A map of a success model also has the folder of that model.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taskspace.models.folders import ModelFolder
from taskspace.models.success.predicting import Predicting

if TYPE_CHECKING:
    from taskspace.models.success.model import SuccessModel

MODEL = "success-model"
FOLDER = ModelFolder("embedder", "embedder.json", version=1, inner=MODEL)

# What 0.1.0 called the classes. Its TaskEmbedder was the paper's; the oldest files name no class.
_OLD_NAMES = {None: "OrdinalEmbedder", "TaskEmbedder": "OrdinalEmbedder"}
_NEW = "class"  # its key in the settings; 0.1.0 used "kind"


@dataclass(frozen=True, eq=False)
class State:
    """What `fit` has found: JSON values, arrays, and the success model of an information map."""

    settings: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    model: SuccessModel | None = None


def save(embedder: Any, folder: str | os.PathLike[str]) -> None:
    """Write the folder completely or not at all; an existing embedder is replaced."""
    state = embedder._state()
    names, tasks = getattr(embedder, "feature_names_in_", None), embedder.task_names_
    settings = {
        _NEW: type(embedder).__name__,
        "parameters": {name: _plain(value) for name, value in _parameters(embedder).items()},
        "components": embedder.n_components_,
        "features": embedder.n_features_in_,
        "feature_names": None if names is None else [str(name) for name in names],
        "outcomes_feature_names": list(embedder.feature_names_),
        "task_names": None if tasks is None else tasks.tolist(),
        **state.settings,
    }
    model = None if state.model is None else state.model.save
    FOLDER.save(folder, settings, state.arrays, model)


def _parameters(embedder: Any) -> dict[str, Any]:
    """The parameters that a file can hold: a success model is saved only after it was fitted."""
    found = embedder.get_params(deep=False).items()
    return {name: value for name, value in found if not isinstance(value, Predicting)}


def _plain(value: Any) -> Any:
    """A parameter as a JSON value; NumPy numbers, arrays, ranges and tuples are converted."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return list(value) if isinstance(value, (tuple, range)) else value


def load(cls: Any, folder: str | os.PathLike[str]) -> Any:
    """Read an embedder from the folder."""
    settings = FOLDER.load_settings(folder)
    name = class_name(settings, folder)
    if name != cls.__name__:
        raise ValueError(f"{folder} must hold a {cls.__name__}, got a {name}; use {name}.load")
    arrays = FOLDER.load_arrays(folder, settings)
    inner = FOLDER.inner_folder(folder, settings)
    model = None if inner is None else _load_model(inner)
    try:
        return _restored(cls, State(settings, arrays, model))
    except (AttributeError, KeyError, TypeError, RuntimeError, ValueError) as error:
        raise FOLDER.damaged(folder, error) from error


def _load_model(folder: Path) -> SuccessModel:
    from taskspace.models.success.model import SuccessModel  # imports torch

    return SuccessModel.load(folder)


def load_any(folder: str | os.PathLike[str], classes: Mapping[str, str]) -> Any:
    """Read an embedder that is of one of these classes, whose modules are imported when needed."""
    name = class_name(FOLDER.load_settings(folder), folder)
    if name not in classes:
        raise ValueError(f"{folder} must hold a {' or '.join(classes)}, got a {name}")
    return load(getattr(importlib.import_module(classes[name]), name), folder)


def class_name(settings: dict[str, Any], folder: str | os.PathLike[str]) -> str:
    """The name of the class of a saved embedder."""
    found = settings.get(_NEW, settings.get("kind"))
    if found is not None and not isinstance(found, str):
        raise FOLDER.damaged(folder, "the name of its class is not text")
    return str(found) if _NEW in settings else _OLD_NAMES.get(found, str(found))


def _restored(cls: Any, state: State) -> Any:
    settings = state.settings
    parameters = settings["parameters"].items()
    embedder = cls(**{k: tuple(v) if isinstance(v, list) else v for k, v in parameters})
    restore_names(embedder, settings)
    if settings["feature_names"] is not None:
        embedder.feature_names_in_ = np.array(settings["feature_names"], dtype=object)
    embedder._restore(state)
    return embedder


def restore_names(embedder: Any, settings: dict[str, Any]) -> None:
    """Set the number of dimensions and features, and the names of tasks and features."""
    if settings.get("task_names") is not None:  # older files lack this key
        embedder.task_names_ = np.array(settings["task_names"], np.str_)
    embedder.n_features_in_ = int(settings["features"])
    embedder.feature_names_ = tuple(settings.get("outcomes_feature_names", ()))  # older: none
    embedder.n_components_ = int(settings["components"])

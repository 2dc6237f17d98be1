"""Saved maps that answer with NumPy alone: `StoredMap` and, for the paper's, `StoredPerceptron`."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from taskspace.models.embedding.forward import forward
from taskspace.models.embedding.reading import Reading, ReadingInformation
from taskspace.models.embedding.storage import FOLDER, class_name, restore_names
from taskspace.models.success.stored import StoredModel
from taskspace.similarity.profiles import INFORMATION


class StoredMap(ReadingInformation):
    """A `TaskEmbedder` as it was saved, which answers but cannot be fitted again.

    It answers bit for bit what the `TaskEmbedder` answers, without importing torch or scikit-learn.

    Args:
        settings: What the settings file says.
        arrays: The weights by name.
        model: The success model of the map, if tasks have features.

    >>> import tempfile
    >>> import taskspace as ts
    >>> solved = np.random.default_rng(0).integers(0, 2, (400, 2)).repeat([3, 4], axis=1)
    >>> embedder = ts.TaskEmbedder(random_state=0).fit(ts.Outcomes(solved, 1))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     embedder.save(folder + "/map")
    ...     stored = load_stored(folder + "/map")
    >>> stored.similarity("task-0", ["task-1", "task-5"]).round(1) + 0.0
    array([[1., 0.]])
    """

    def __init__(
        self, settings: dict[str, Any], arrays: dict[str, NDArray[Any]], model: StoredModel | None
    ) -> None:
        self.measure = settings["parameters"]["measure"]
        restore_names(self, settings)
        self._restore_arrays(settings, arrays, model)


class StoredPerceptron(Reading):
    """An `OrdinalEmbedder` as it was saved, which answers but cannot be fitted again.

    Args:
        settings: What the settings file says.
        arrays: The weights by name.

    >>> settings = {"features": 1, "components": 1, "test_scores": {}}
    >>> scales = {"mean": np.ones(1), "scale": np.ones(1)}
    >>> layer = {"0.weight": np.array([[2.0]]), "0.bias": np.zeros(1)}
    >>> StoredPerceptron(settings, scales | layer).transform([[3.0]])
    array([[4.]])
    """

    def __init__(self, settings: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        restore_names(self, settings)
        self.test_scores_, self._arrays = settings["test_scores"], arrays
        numbers = sorted(int(name.split(".")[0]) for name in arrays if name.endswith(".weight"))
        self._layers = [(arrays[f"{n}.weight"], arrays[f"{n}.bias"]) for n in numbers]
        self._vectors(np.zeros((1, self.n_features_in_)))  # fails if a part is missing

    def _vectors(self, tasks: NDArray[Any]) -> NDArray[np.float64]:
        if self.task_names_ is not None:
            return np.asarray(self._arrays["vectors"][tasks[:, 0].astype(np.int64)], np.float64)
        return forward(self._layers, (tasks - self._arrays["mean"]) / self._arrays["scale"])


def load_stored(folder: str | os.PathLike[str]) -> StoredMap | StoredPerceptron | None:
    """Read a saved map without importing torch.

    Args:
        folder: The path of the folder.

    Returns:
        The map; None if its tasks are structured, or its network is of another type.

    Raises:
        FileNotFoundError: If there is no map in the folder.
        ValueError: If the map is damaged.
    """
    settings = FOLDER.load_settings(folder)
    name = class_name(settings, folder)
    inner = FOLDER.inner_folder(folder, settings)
    model = None if inner is None else StoredModel.load(inner)
    if name not in ("TaskEmbedder", "OrdinalEmbedder") or (inner is not None and model is None):
        return None
    arrays = FOLDER.load_arrays(folder, settings)
    try:
        if name == "OrdinalEmbedder":
            return StoredPerceptron(settings, arrays)
        return StoredMap(settings, arrays, model)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise FOLDER.damaged(folder, error) from error


class Facts(NamedTuple):
    """What is known about a saved map without reading all of it."""

    has_model: bool  # whether it has a success model, of tasks of any type
    measure: str  # of similarity


def facts(folder: str | os.PathLike[str]) -> Facts:
    """Read what is known about a saved map without reading all of it."""
    settings = FOLDER.load_settings(folder)
    if class_name(settings, folder) != "TaskEmbedder":
        return Facts(False, INFORMATION)
    has_model = FOLDER.inner_folder(folder, settings) is not None
    return Facts(has_model, settings["parameters"]["measure"])

"""`StoredMap`: a saved information map that answers with NumPy alone."""

from __future__ import annotations

import os
from typing import Any

from numpy.typing import NDArray

from taskspace.models.embedding.reading import ReadingInformation
from taskspace.models.embedding.storage import FOLDER, class_name, restore_names
from taskspace.models.success.stored import StoredModel


class StoredMap(ReadingInformation):
    """A `TaskEmbedder` as it was saved, which answers but cannot be fitted again.

    It answers bit for bit what the `TaskEmbedder` answers, without importing torch or scikit-learn.

    Args:
        settings: What the settings file says.
        arrays: The weights by name.
        model: The success model of the map, if tasks have features.

    >>> import tempfile
    >>> import numpy as np
    >>> import taskspace as ts
    >>> solved = np.random.default_rng(0).integers(0, 2, (400, 1)).repeat(5, axis=1)
    >>> embedder = ts.TaskEmbedder(random_state=0).fit(ts.Outcomes(solved, 1))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     embedder.save(folder + "/map")
    ...     stored = StoredMap.load(folder + "/map")
    >>> stored.transform(["task-3"]).round(1)
    array([[1.]])
    """

    def __init__(
        self, settings: dict[str, Any], arrays: dict[str, NDArray[Any]], model: StoredModel | None
    ) -> None:
        self.measure = settings["parameters"]["measure"]
        restore_names(self, settings)
        self._restore_arrays(settings, arrays, model)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> StoredMap | None:
        """Read a map written by `TaskEmbedder.save`.

        Args:
            folder: The path of the folder.

        Returns:
            The map; None if it is the paper's, or of structured tasks, which need torch.

        Raises:
            FileNotFoundError: If there is no map in the folder.
            ValueError: If the map is damaged.
        """
        settings = FOLDER.load_settings(folder)
        if class_name(settings, folder) != "TaskEmbedder":
            return None
        inner = FOLDER.inner_folder(folder, settings)
        model = None if inner is None else StoredModel.load(inner)
        if inner is not None and model is None:
            return None
        arrays = FOLDER.load_arrays(folder, settings)
        try:
            return cls(settings, arrays, model)
        except (AttributeError, KeyError, TypeError, RuntimeError, ValueError) as error:
            raise FOLDER.damaged(folder, error) from error

"""`StoredModel`: a saved success model that answers with NumPy alone."""

from __future__ import annotations

import os
from typing import Any

from numpy.typing import NDArray

from taskspace.models.success.forward import Forward
from taskspace.models.success.predicting import FOLDER, Floats, Predicting


class StoredModel(Predicting):
    """A success model as it was saved, which predicts but cannot be fitted again.

    It predicts bit for bit what the `SuccessModel` predicts, without importing torch. It is for
    tasks that are rows of numbers, or known by name; structured tasks need the encoder of torch.

    Args:
        settings: What the settings file says.
        arrays: The weights by name.

    >>> import tempfile
    >>> import numpy as np
    >>> import taskspace as ts
    >>> tasks = np.random.default_rng(0).uniform(size=(400, 1))
    >>> outcomes = ts.Outcomes(1 * (tasks < [0.3, 0.6]).T, 1, features=tasks)
    >>> model = ts.SuccessModel(epochs=1, random_state=0).fit(outcomes)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(folder + "/model")
    ...     stored = StoredModel.load(folder + "/model")
    >>> bool((stored.predict_proba(tasks) == model.predict_proba(tasks)).all())
    True
    """

    def __init__(self, settings: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        self._restore(settings, arrays)
        self._forward = Forward(arrays)

    def _probabilities(self, features: NDArray[Any]) -> Floats:
        return self._forward.probabilities(features)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> StoredModel | None:
        """Read a model written by `SuccessModel.save`.

        Args:
            folder: The path of the folder.

        Returns:
            The model, or None if its tasks are structured.

        Raises:
            FileNotFoundError: If there is no success model in the folder.
            ValueError: If the model is damaged.
        """
        settings = FOLDER.load_settings(folder)
        if "encoder" in settings:
            return None
        arrays = FOLDER.load_arrays(folder, settings)
        try:
            return cls(settings, arrays)
        except (AttributeError, KeyError, TypeError, RuntimeError, ValueError) as error:
            raise FOLDER.damaged(folder, error) from error

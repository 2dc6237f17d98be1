"""`RandomModel`: the network of the map without training, a baseline for every map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from taskspace import checks
from taskspace.models.embedding.base import features_of
from taskspace.models.embedding.network_embedding import NetworkEmbedding, check_layers
from taskspace.outcomes.outcomes import Outcomes
from taskspace.torch_state import torch_seed


class RandomModel(NetworkEmbedding):
    """The network of `OrdinalEmbedder` with random weights; only the scale of the tasks is learned.

    Args:
        n_components: The number of dimensions.
        hidden: The sizes of the hidden layers.
        random_state: The seed; None draws one from the operating system.

    Attributes:
        mean_: The mean of each feature.
        scale_: The standard deviation of each feature.
        network_: The network.
        n_components_: The number of dimensions.

    >>> import taskspace as ts
    >>> from taskspace.models.embedding.random_model import RandomModel
    >>> tasks = ts.make("MultiKeyNav").sample_tasks(100, seed=0)
    >>> RandomModel(n_components=6, random_state=0).fit(tasks).transform(tasks).shape
    (100, 6)
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        hidden: Sequence[int] = (32, 32),
        random_state: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.hidden = hidden
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> RandomModel:
        """Draw the weights and learn the scale of the tasks.

        Args:
            X: Rows of features, or `Outcomes` with features.
            y: Ignored; it exists for compatibility with scikit-learn.

        Returns:
            The model itself.

        Raises:
            ValueError: If an argument is invalid.
        """
        size = checks.whole(self.n_components, "n_components", 1, checks.MOST_DIMENSIONS)
        check_layers(self.hidden)
        tasks = features_of(X) if isinstance(X, Outcomes) else X
        tasks = self._validated(tasks, ensure_min_samples=2)
        self._learn_scale(tasks)
        with torch_seed(int(np.random.default_rng(self.random_state).integers(2**31))):
            network = self._network(tasks.shape[1], size)
        self.network_, self.n_components_ = network.to(self.precision), size
        return self

"""`KarelEmbedder`: the map of Karel tasks, from their input-output examples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from taskspace import checks
from taskspace.agents.karel.network import Encoder, Size
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.worlds import SIDE
from taskspace.models.embedding.base import features_of
from taskspace.models.embedding.ordinal_embedder import OrdinalEmbedder
from taskspace.models.embedding.pools import Constraints
from taskspace.models.embedding.scoring import accuracies
from taskspace.models.success.karel_encoder import encode
from taskspace.outcomes.outcomes import Outcomes

SIZES = (
    "side",
    "radius",
    "channels",
    "blocks",
    "code",
)  # which must agree with those of a given encoder


class KarelEmbedder(OrdinalEmbedder):
    """Learns a vector for every Karel task, given as a row of 1800 bytes.

    The input of the network is the first five examples of a task, in any order, but neither its
    program nor the sixth example. A synthesizer's encoder turns each example into a code, and a
    perceptron turns the mean and the maximum of the codes into the vector.

    Args:
        n_components: The number of dimensions, or "auto", as in `OrdinalEmbedder`.
        side: The side of the grids that the encoder sees.
        radius: The radius of the view around the agent; 0 shows the whole world.
        channels: The number of channels of the convolutions.
        blocks: The number of residual blocks.
        code: The size of the code of an example.
        freeze: Whether the encoder passed to `fit` stays fixed. All tasks are then encoded once,
            and only the perceptron learns, which is far faster.
        norm_weight: The weight of the difficulty constraints, as in `OrdinalEmbedder`.
        hidden: The sizes of the hidden layers of the perceptron.
        learning_rate: The initial learning rate.
        batch_size: The number of constraints of each type per step.
        steps: The largest number of training steps; with 0, all weights stay random.
        patience: The number of checks without improvement, as in `OrdinalEmbedder`.
        n_constraints: The number of constraints to draw once, as in `OrdinalEmbedder`.
        random_state: The seed; None draws one from the operating system.
        device: The torch device to train on.
        progress: Whether to show a progress bar; by default only on a terminal.

    Attributes:
        n_components_: The number of dimensions.
        network_: The trained encoder and perceptron.
        test_scores_: The held-out accuracies, as in `OrdinalEmbedder`.
        dimension_losses_: The test loss for each tried number of dimensions.
        history_: The training and validation losses, with their steps.

    >>> import numpy as np, taskspace as ts
    >>> from taskspace.envs.karel.generate import generate_tasks
    >>> tasks = generate_tasks(100, side=6)[0]["training"][:60]
    >>> solved = np.isin(tasks.kinds, ["plain"]), np.isin(tasks.kinds, ["plain", "loops"])
    >>> outcomes = ts.Outcomes(1 * np.array(solved), 1, features=tasks.rows())
    >>> embedder = KarelEmbedder(side=6, channels=4, code=16, steps=5, random_state=0)
    >>> embedder.fit(outcomes).transform(tasks.rows()).shape
    (60, 2)
    """

    precision: ClassVar[torch.dtype] = torch.float32  # convolutions in double precision are slow
    saved: ClassVar[tuple[str, ...]] = ()

    _start: Encoder | None = None  # only while `fit` runs

    def __init__(
        self,
        n_components: int | str = 2,
        *,
        side: int = SIDE,
        radius: int = 0,
        channels: int = 32,
        blocks: int = 2,
        code: int = 512,
        freeze: bool = False,
        norm_weight: float = 0.4,
        hidden: Sequence[int] | Callable[[int, int], torch.nn.Module] = (256,),
        learning_rate: float = 1e-3,
        batch_size: int = 32,
        steps: int = 1_000,
        patience: int = 20,
        n_constraints: int | None = None,
        random_state: int | None = None,
        device: str = "cpu",
        progress: bool | None = None,
    ) -> None:
        super().__init__(
            n_components, norm_weight=norm_weight, hidden=hidden, learning_rate=learning_rate,
            batch_size=batch_size, steps=steps, patience=patience, n_constraints=n_constraints,
            random_state=random_state, device=device, progress=progress,
        )  # fmt: skip
        self.side = side
        self.radius = radius
        self.channels = channels
        self.blocks = blocks
        self.code = code
        self.freeze = freeze

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        outcomes: Outcomes | None = None,
        encoder: Encoder | None = None,
    ) -> KarelEmbedder:
        """Learn the map.

        Args:
            X: `Outcomes` with features, or the tasks as rows of bytes.
            y: The scores of agents (tasks, agents), if neither `X` nor `outcomes` is `Outcomes`.
            outcomes: The outcomes, if `X` is the tasks.
            encoder: The encoder of a trained synthesizer to start from, `policy.network.encoder`.
                It is copied. It was trained on the programs of the synthesizer's own tasks.

        Returns:
            The embedder itself.

        Raises:
            ValueError: If an argument is invalid, or if the encoder has another size.
        """
        if isinstance(X, Outcomes):
            X, outcomes = features_of(X), X
        self._start = encoder
        try:
            super().fit(X, y, outcomes=outcomes)
        finally:
            del self._start
        return self

    def _check_settings(self) -> None:
        super()._check_settings()
        for name in SIZES:
            least = 0 if name in ("blocks", "radius") else 1
            checks.whole(getattr(self, name), name, least, checks.WIDEST)
        if self._start is None:
            if self.freeze:
                raise ValueError(
                    "freeze requires the encoder of a trained synthesizer; pass it to fit"
                )
            return
        if not isinstance(self._start, Encoder):
            kind = type(self._start).__name__
            raise ValueError(f"encoder must be the Encoder of a trained synthesizer, got {kind}")
        for name in SIZES:
            given, expected = getattr(self._start.size, name), getattr(self, name)
            if given != expected:
                raise ValueError(
                    f"the encoder must have {name}={expected} like the embedder, got {name}={given}"
                )

    def _validated(self, X: Any, **options: Any) -> NDArray[np.uint8]:
        tasks = KarelTasks.from_rows(validate_data(self, X, dtype="numeric", **options)).check()
        largest = int(tasks.sizes.max())
        if largest > self.side and not self.radius:
            raise ValueError(f"the side of a world must be at most {self.side}, got {largest}")
        return tasks.rows()

    def _inputs(self, tasks: NDArray[Any]) -> torch.Tensor:
        return torch.from_numpy(tasks)

    def _training_inputs(self, tasks: NDArray[Any]) -> torch.Tensor:
        rows = self._inputs(tasks)
        if not self.freeze:
            return rows
        assert self._start is not None
        with torch.no_grad():
            return encode(self._start.to(self.device), rows)

    def _network(self, inputs: int, outputs: int) -> KarelNetwork:
        encoder = Encoder(Size(**{name: getattr(self, name) for name in SIZES}))
        if self._start is not None:
            encoder.load_state_dict(self._start.state_dict())
        encoder.requires_grad_(not self.freeze)
        return KarelNetwork(encoder, super()._network(2 * self.code, outputs))

    def _turned(self, network: Any, rotation: Any) -> KarelNetwork:
        return KarelNetwork(network.encoder, super()._turned(network.head, rotation))

    def _accuracies(self, tasks: NDArray[Any], constraints: Constraints) -> dict[str, float]:
        # Encoding is slow, and the constraints concern only some of the tasks.
        used = np.union1d(constraints.triplets.tasks, constraints.pairs)
        vectors = np.zeros((len(tasks), self.n_components_))
        if len(used):
            vectors[used] = self._array(tasks[used])
        return accuracies(vectors, np.linalg.norm(vectors, axis=1), constraints)


class KarelNetwork(torch.nn.Module):
    """Maps rows of Karel tasks, or their codes, to vectors."""

    def __init__(self, encoder: Encoder, head: torch.nn.Module) -> None:
        super().__init__()
        self.encoder = encoder
        self.head = head

    def forward(self, tasks: torch.Tensor) -> torch.Tensor:
        """Vectors of codes or of rows (uint8); equal rows are encoded once."""
        if tasks.is_floating_point():
            return self.head(tasks)
        distinct, index = torch.unique(tasks, dim=0, return_inverse=True)
        return self.head(encode(self.encoder, distinct))[index]

"""`KarelEmbedder`: the map of Karel tasks, from their examples of input and output."""

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
from taskspace.envs.karel.grids import to_grids
from taskspace.envs.karel.worlds import SIDE
from taskspace.models.embedding.base import features_of
from taskspace.models.embedding.estimator import TaskEmbedder, accuracies
from taskspace.models.embedding.training import Constraints
from taskspace.outcomes.outcomes import Outcomes

BATCH = 128  # tasks that are encoded at a time: their grids and activations bound the memory
SIZES = (
    "side",
    "radius",
    "channels",
    "blocks",
    "code",
)  # what makes one encoder as large as another


class KarelEmbedder(TaskEmbedder):
    """Learns a vector for every Karel task, given as rows of 1800 small numbers.

    The network sees the first five examples, in whatever order, and neither program nor sixth
    example. A synthesizer's encoder turns each example into a code, and a perceptron with the
    layers `hidden` turns mean and maximum of the codes into the vector. (An agent's encoder, which
    `fit` may start from, has learned from the programs of the tasks that the agent was trained on.)

    `side`, `radius`, `channels`, `blocks` and `code` are the encoder's size, as in `Size`. `fit`
    may start from the `encoder` of a trained agent. With `freeze` that encoder stays as it is: all
    tasks are encoded once, and only the perceptron learns, which is far quicker.
    With 0 `steps` all weights stay random, the least that a map must beat.

    >>> import numpy as np, taskspace as ts
    >>> from taskspace.envs.karel.generate import generate_tasks
    >>> tasks = generate_tasks(100, side=6)[0]["training"][:60]
    >>> solved = np.isin(tasks.kinds, ["plain"]), np.isin(tasks.kinds, ["plain", "loops"])
    >>> outcomes = ts.Outcomes(1 * np.array(solved), 1, features=tasks.rows())
    >>> embedder = KarelEmbedder(side=6, channels=4, code=16, steps=5, random_state=0)
    >>> embedder.fit(outcomes).transform(tasks.rows()).shape
    (60, 2)
    """

    precision: ClassVar[torch.dtype] = torch.float32  # convolutions of doubles are slow
    kept: ClassVar[tuple[str, ...]] = ()

    _start: Encoder | None = None  # while `fit` runs

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
        """Learn from `Outcomes`, or from tasks and their outcomes, as `TaskEmbedder` does.

        `encoder` is that of a trained synthesizer, `policy.network.encoder`; it is copied.
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
            checks.whole(getattr(self, name), name, 0 if name in ("blocks", "radius") else 1)
        if self._start is None:
            if self.freeze:
                raise ValueError("freeze needs a trained synthesizer's encoder; pass it to fit")
            return
        if not isinstance(self._start, Encoder):
            kind = type(self._start).__name__
            raise ValueError(f"encoder must be the Encoder of a trained synthesizer, not {kind}")
        for name in SIZES:
            given, expected = getattr(self._start.size, name), getattr(self, name)
            if given != expected:
                raise ValueError(
                    f"the encoder has {name}={given}, but this embedder {name}={expected}"
                )

    def _validated(self, X: Any, **options: Any) -> NDArray[np.uint8]:
        tasks = KarelTasks.from_rows(validate_data(self, X, dtype="numeric", **options)).check()
        largest = int(tasks.sizes.max())
        if largest > self.side and not self.radius:
            raise ValueError(f"there is a world of side {largest}; expected at most {self.side}")
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
        # To encode a task takes long, and the constraints are about a few of them.
        used = np.union1d(constraints.triplets.tasks, constraints.pairs)
        vectors = np.zeros((len(tasks), self.n_components_))
        if len(used):
            vectors[used] = self.transform(tasks[used])
        return accuracies(vectors, constraints)


class KarelNetwork(torch.nn.Module):
    """From rows of Karel tasks, or from their codes, to vectors."""

    def __init__(self, encoder: Encoder, head: torch.nn.Module) -> None:
        super().__init__()
        self.encoder = encoder
        self.head = head

    def forward(self, tasks: torch.Tensor) -> torch.Tensor:
        """Vectors of rows (uint8), equal ones of which are encoded once, or of their codes."""
        if tasks.is_floating_point():
            return self.head(tasks)
        distinct, places = torch.unique(tasks, dim=0, return_inverse=True)
        return self.head(encode(self.encoder, distinct))[places]


def encode(encoder: Encoder, rows: torch.Tensor) -> torch.Tensor:
    """Mean and maximum of the codes of each task's examples: (tasks, 2 x code)."""
    return torch.cat([_encode(encoder, part) for part in rows.split(BATCH)])  # type: ignore[no-untyped-call]


def _encode(encoder: Encoder, rows: torch.Tensor) -> torch.Tensor:
    size, tasks = encoder.size, KarelTasks.from_rows(rows.cpu().numpy())
    grids = to_grids(tasks, size.side, radius=size.radius)
    codes = encoder(torch.from_numpy(grids).to(encoder.out.weight.device))
    return torch.cat([codes.mean(1), codes.amax(1)], dim=1)

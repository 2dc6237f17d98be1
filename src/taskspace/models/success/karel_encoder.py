"""`KarelEncoder`: the code of a Karel task, from its input-output examples."""

from __future__ import annotations

import copy
from dataclasses import asdict
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from taskspace.agents.karel.network import Encoder, Size
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.effects import NAMES, effects
from taskspace.envs.karel.grids import to_grids

BATCH = 128  # tasks that are encoded at once, to bound memory
FARTHEST = 5.0  # standard deviations; numbers that hardly vary are clipped in unusual tasks
_SUMMARIES = 4  # of each effect: mean, least, largest, and whether it differs


class KarelEncoder(torch.nn.Module):
    """Maps Karel tasks, rows of 1800 bytes, to codes for a `SuccessModel`.

    The code consists of the mean and the maximum of the codes that a synthesizer's encoder gives
    to the first five examples, and of their effects (`taskspace.envs.karel.effects`): the mean, the
    least and the largest of each, and whether it differs between examples. Neither the program nor
    the sixth example is read, and the order of the examples does not matter. Every number is
    standardized. Nothing is trained.

    Args:
        encoder: The encoder of a trained synthesizer, `policy.network.encoder`; it is copied.
        tasks: The tasks whose codes get mean 0 and standard deviation 1.

    Attributes:
        size: The number of values in a code.

    >>> from taskspace.envs.karel.generate import generate_tasks
    >>> rows = generate_tasks(100, side=6)[0]["training"].rows()
    >>> encoder = KarelEncoder(Encoder(Size(side=6, channels=4, blocks=1, code=16)), rows)
    >>> encoder(torch.from_numpy(rows)).shape == (82, encoder.size)
    True
    """

    mean: torch.Tensor  # (size,)
    scale: torch.Tensor  # (size,)

    def __init__(self, encoder: Encoder, tasks: NDArray[np.uint8] | None = None) -> None:
        super().__init__()
        self.encoder = copy.deepcopy(encoder).requires_grad_(False)
        self.size = 2 * encoder.size.code + _SUMMARIES * len(NAMES)
        self.register_buffer("mean", torch.zeros(self.size))
        self.register_buffer("scale", torch.ones(self.size))
        if tasks is not None:
            codes = self._codes(torch.from_numpy(tasks))
            self.mean, self.scale = codes.mean(0), codes.std(0, correction=0).clamp(min=1e-6)

    def forward(self, tasks: torch.Tensor) -> torch.Tensor:
        """Encode tasks.

        Args:
            tasks: Rows of Karel tasks (n, 1800), uint8.

        Returns:
            Codes (n, size) in single precision.
        """
        standard = (self._codes(tasks) - self.mean) / self.scale
        return standard.clamp(-FARTHEST, FARTHEST)

    def _codes(self, rows: torch.Tensor) -> torch.Tensor:
        shown = torch.from_numpy(effects(KarelTasks.from_rows(rows.numpy()).check()))
        least, largest = shown.amin(1), shown.amax(1)
        summaries = [shown.mean(1), least, largest, (least != largest).float()]
        return torch.cat([encode(self.encoder, rows), *summaries], dim=1)

    def spec(self) -> dict[str, Any]:
        """The sizes of the synthesizer's encoder, as JSON values."""
        return asdict(self.encoder.size)

    @classmethod
    def from_spec(cls, spec: dict[str, Any]) -> KarelEncoder:
        """An encoder of these sizes, with random weights."""
        return cls(Encoder(Size(**spec)))


def encode(encoder: Encoder, rows: torch.Tensor) -> torch.Tensor:
    """Mean and maximum of the codes of each task's examples: (tasks, 2 x code)."""
    return torch.cat([_encode(encoder, part) for part in rows.split(BATCH)])  # type: ignore[no-untyped-call]


def _encode(encoder: Encoder, rows: torch.Tensor) -> torch.Tensor:
    size, tasks = encoder.size, KarelTasks.from_rows(rows.cpu().numpy())
    grids = to_grids(tasks, size.side, radius=size.radius)
    codes = encoder(torch.from_numpy(grids).to(encoder.out.weight.device))
    return torch.cat([codes.mean(1), codes.amax(1)], dim=1)

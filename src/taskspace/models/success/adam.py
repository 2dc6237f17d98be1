"""AdamW without torch's optimizer classes, whose first use imports its compiler for a second."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch.optim.adamw import adamw


class AdamW:
    """AdamW in one fused kernel, bit-identical to `torch.optim.AdamW(…, fused=True)`.

    >>> weight = torch.nn.Parameter(torch.ones(2))
    >>> optimizer = AdamW([weight], weight_decay=0.0)
    >>> weight.sum().backward()
    >>> optimizer.step(0.1)
    >>> weight.detach(), weight.grad
    (tensor([0.9000, 0.9000]), None)
    """

    def __init__(self, parameters: Iterable[torch.nn.Parameter], weight_decay: float) -> None:
        self._weight_decay = weight_decay
        self._state = [
            (one, torch.zeros_like(one), torch.zeros_like(one), torch.zeros(()))
            for one in parameters
            if one.requires_grad
        ]

    def step(self, learning_rate: float) -> None:
        """Update the parameters from their gradients, which are cleared."""
        used = [state for state in self._state if state[0].grad is not None]
        parameters, means, squares, steps = (list(part) for part in zip(*used, strict=True))
        with torch.no_grad():
            adamw(
                parameters, [one.grad for one in parameters], means, squares, [], steps,
                fused=True, amsgrad=False, beta1=0.9, beta2=0.999, lr=learning_rate,
                weight_decay=self._weight_decay, eps=1e-8, maximize=False,
            )  # fmt: skip
        for one in parameters:
            one.grad = None

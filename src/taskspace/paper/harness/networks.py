"""Small networks with hand-written gradients, for a learner whose time is mostly not overhead."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_KEEP, _KEEP_SQUARE, _TINY = 0.9, 0.999, 1e-5


class Network:
    """Layers with ReLU between them; the parameters are a list of arrays.

    >>> network = Network((3, 8, 2), np.random.default_rng(0))
    >>> network.forward(np.ones((5, 3), np.float32)).shape
    (5, 2)
    """

    def __init__(self, sizes: Sequence[int], rng: np.random.Generator, last: float = 1.0) -> None:
        self.parameters: list[Floats] = []
        for index, (inputs, outputs) in enumerate(pairwise(sizes)):
            scale = last if index == len(sizes) - 2 else np.sqrt(2.0)
            self.parameters.append(_orthogonal(inputs, outputs, rng) * np.float32(scale))
            self.parameters.append(np.zeros(outputs, np.float32))
        self._values: list[Floats] = []

    def forward(self, inputs: Floats) -> Floats:
        """The outputs; values of all layers are kept for `backward`."""
        self._values = [inputs]
        layers = len(self.parameters) // 2
        for k in range(layers):
            outputs = self._values[-1] @ self.parameters[2 * k] + self.parameters[2 * k + 1]
            if k + 1 < layers:
                np.maximum(outputs, 0, out=outputs)
            self._values.append(outputs)
        return self._values[-1]

    def backward(self, slope: Floats) -> list[Floats]:
        """Gradients of all parameters, given those of the outputs of the last `forward`."""
        gradients: list[Floats] = []
        for k in range(len(self.parameters) // 2 - 1, -1, -1):
            values = self._values[k]
            gradients[:0] = [values.T @ slope, slope.sum(0)]
            if k > 0:
                slope = (slope @ self.parameters[2 * k].T) * (values > 0)
        return gradients


class Adam:
    """Adam over a list of parameters, with the norm of the gradient clipped."""

    def __init__(self, parameters: list[Floats], rate: float, largest: float = 0.5) -> None:
        self.parameters, self.rate, self.largest, self.count = parameters, rate, largest, 0
        self.means = [np.zeros_like(p) for p in parameters]
        self.squares = [np.zeros_like(p) for p in parameters]

    def step(self, gradients: list[Floats]) -> None:
        """One step against the gradients."""
        self.count += 1
        norm = np.sqrt(sum(float((g * g).sum()) for g in gradients))
        clip = np.float32(min(1.0, self.largest / (norm + 1e-8)))
        rate = np.float32(self.rate / (1 - _KEEP**self.count))
        spread = np.float32(1 - _KEEP_SQUARE**self.count)
        parts = zip(self.parameters, self.means, self.squares, gradients, strict=True)
        for parameter, mean, square, gradient in parts:
            slope = gradient * clip
            mean += np.float32(1 - _KEEP) * (slope - mean)
            square += np.float32(1 - _KEEP_SQUARE) * (slope * slope - square)
            parameter -= rate * mean / (np.sqrt(square / spread) + np.float32(_TINY))


def _orthogonal(inputs: int, outputs: int, rng: np.random.Generator) -> Floats:
    matrix = rng.normal(size=(max(inputs, outputs), min(inputs, outputs)))
    q, r = np.linalg.qr(matrix)
    q = q * np.sign(np.diag(r))
    return (q if inputs >= outputs else q.T).astype(np.float32)

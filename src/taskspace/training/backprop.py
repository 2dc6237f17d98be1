"""Compiled training of a small network to predict actions.

In PyTorch, a training step of such a network is mostly the overhead of its two dozen calls. This
loop takes a third of the time, releases the interpreter lock, and is bit-identical in any thread.

Layers are matrices (inputs + 1, outputs); the last row is the bias, for an input of ones.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from taskspace.envs.compiling import build
from taskspace.envs.views import row

_F32 = np.float32
_ZERO, _ONE = _F32(0), _F32(1)
_KEEP_1, _KEEP_2, _TINY = _F32(0.9), _F32(0.999), _F32(1e-8)  # Adam's usual constants

Matrices = tuple[NDArray[np.float32], ...]


@dataclass(frozen=True, eq=False)
class Learner:
    """A network in training, and the state of Adam."""

    layers: Matrices
    means: Matrices
    squares: Matrices
    actions: int

    @classmethod
    def untrained(cls, sizes: Sequence[int], rng: np.random.Generator) -> Learner:
        """Uniform weights and biases within 1 / sqrt(inputs), as PyTorch initializes them."""
        layers = tuple(
            rng.uniform(-1, 1, (inputs + 1, outputs)).astype(_F32) / np.sqrt(_F32(inputs))
            for inputs, outputs in itertools.pairwise(sizes)
        )
        # The processor adds eight numbers at a time, so rows are padded with zeros.
        last = np.pad(layers[-1], ((0, 0), (0, -sizes[-1] % 8)))
        layers = (*layers[:-1], last)
        zeros = [np.zeros_like(layer) for layer in layers]
        return cls(layers, tuple(zeros), tuple(zero.copy() for zero in zeros), sizes[-1])

    def weights_and_biases(self) -> tuple[list[NDArray[np.float32]], list[NDArray[np.float32]]]:
        """Copies in the form of `MLPPolicy`: matrices (outputs, inputs) and vectors."""
        layers = [*self.layers[:-1], self.layers[-1][:, : self.actions]]
        return [layer[:-1].T.copy() for layer in layers], [layer[-1].copy() for layer in layers]

    def fit(
        self,
        inputs: NDArray[np.float32],
        actions: NDArray[np.int64],
        batches: NDArray[np.int64],
        done: int,
        rate: float,
    ) -> None:
        """One step of Adam per row of `batches` (steps, examples), after `done` earlier steps."""
        examples = batches.shape[1]
        # All but the last have a last column of ones, for the biases.
        values = tuple(np.ones((examples, len(layer)), _F32) for layer in self.layers)
        slopes = tuple(np.zeros((examples, layer.shape[1]), _F32) for layer in self.layers)
        gradients = tuple(np.zeros_like(layer) for layer in self.layers)
        build(_fit_factory)(
            self.layers, self.means, self.squares,
            inputs, actions, self.actions, batches, done, _F32(rate),
            (*values, slopes[-1]), slopes, gradients,
        )  # fmt: skip


@njit(fastmath={"contract"}, error_model="numpy")
def _add_product(a, b, c):  # type: ignore[no-untyped-def]
    """C += a @ b, four rows of b at a time, so that c is read and written less often.

    Columns of `a` and `c` beyond the rows and columns of `b` are ignored.
    """
    inner, columns = b.shape
    whole = inner - inner % 4
    for k in range(0, whole, 4):
        b0, b1, b2, b3 = row(b, k), row(b, k + 1), row(b, k + 2), row(b, k + 3)
        for i in range(len(c)):
            a0, a1, a2, a3 = a[i, k], a[i, k + 1], a[i, k + 2], a[i, k + 3]
            out = row(c, i)
            for j in range(columns):
                out[j] = out[j] + a0 * b0[j] + a1 * b1[j] + a2 * b2[j] + a3 * b3[j]
    for k in range(whole, inner):
        for i in range(len(c)):
            for j in range(columns):
                c[i, j] += a[i, k] * b[k, j]


@njit(error_model="numpy")
def _forward(layers, values):  # type: ignore[no-untyped-def]
    """Fill in the values of all layers; `values[0]` holds the inputs."""
    for k in range(len(layers)):
        inputs, outputs = layers[k].shape[0] - 1, layers[k].shape[1]
        target = values[k + 1]
        for i in range(len(target)):
            for j in range(outputs):
                target[i, j] = layers[k][inputs, j]
        _add_product(values[k], layers[k][:inputs], target)
        if k + 1 < len(layers):
            for i in range(len(target)):
                for j in range(outputs):
                    target[i, j] = max(target[i, j], _ZERO)


@njit(error_model="numpy")
def _loss_slope(logits, count, actions, batch):  # type: ignore[no-untyped-def]
    """Turn `count` logits per row into the gradient of the mean cross entropy, in place."""
    share = _ONE / _F32(len(batch))
    for i in range(len(batch)):
        top, total = logits[i, 0], _ZERO
        for j in range(1, count):
            top = max(top, logits[i, j])
        for j in range(count):
            logits[i, j] = np.exp(logits[i, j] - top)
            total += logits[i, j]
        for j in range(count):
            logits[i, j] *= share / total
        logits[i, actions[batch[i]]] -= share
        logits[i, count:] = _ZERO


@njit(error_model="numpy")
def _backward(layers, values, slopes, gradients):  # type: ignore[no-untyped-def]
    """Gradients of all layers; the last of `slopes` is given, the others are filled in."""
    for k in range(len(layers) - 1, -1, -1):
        gradients[k][:] = _ZERO
        _add_product(values[k].T, slopes[k], gradients[k])
        if k > 0:
            below = slopes[k - 1]
            below[:] = _ZERO
            _add_product(slopes[k], np.ascontiguousarray(layers[k][:-1].T), below)
            for i in range(below.shape[0]):
                for j in range(below.shape[1]):
                    below[i, j] = below[i, j] if values[k][i, j] > _ZERO else _ZERO


@njit(error_model="numpy")
def _adam(layer, mean, square, gradient, count, rate):  # type: ignore[no-untyped-def]
    """One step of Adam for one matrix."""
    scale = rate / _F32(1.0 - 0.9**count)
    spread = _F32(1.0 - 0.999**count)
    for i in range(layer.shape[0]):
        for j in range(layer.shape[1]):
            slope = gradient[i, j]
            mean[i, j] = _KEEP_1 * mean[i, j] + (_ONE - _KEEP_1) * slope
            square[i, j] = _KEEP_2 * square[i, j] + (_ONE - _KEEP_2) * slope * slope
            layer[i, j] -= scale * mean[i, j] / (np.sqrt(square[i, j] / spread) + _TINY)


def _fit_factory() -> Callable[..., Any]:
    def fit(  # type: ignore
        layers, means, squares, inputs, actions, count, batches, done, rate,
        values, slopes, gradients,  # work space
    ):  # fmt: skip
        for step in range(len(batches)):
            batch = batches[step]
            for i in range(len(batch)):
                for j in range(inputs.shape[1]):
                    values[0][i, j] = inputs[batch[i], j]
            _forward(layers, values)
            _loss_slope(slopes[-1], count, actions, batch)
            _backward(layers, values, slopes, gradients)
            for k in range(len(layers)):
                _adam(layers[k], means[k], squares[k], gradients[k], done + step + 1, rate)

    return fit

"""The forward pass of the success network with NumPy alone, in double precision.

Answers need no torch: importing it takes longer than everything else that a command does. The
layers are those of `network.py`, which trains them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Arrays = Mapping[str, NDArray[Any]]

PARTS = ("mean", "scale", "columns", "edges")  # of the encoding of features
FARTHEST = 1e6  # standard deviations; values farther away are clipped
NARROWEST = 1e-6  # bin, in standard deviations
_EPSILON = 1e-5  # of a normalization, as in torch
_BLOCK = 1024  # tasks per pass, so that a layer stays in the cache


@dataclass(frozen=True, eq=False)
class Forward:
    """The network of a success model of tasks with features.

    Attributes:
        arrays: Its parameters, by the names that torch gives them.
    """

    arrays: Arrays

    def probabilities(self, tasks: NDArray[Any]) -> Floats:
        """The probability (tasks, agents) of each agent's success, the same on any number of cores.

        >>> parts = {"mean": np.zeros(1), "scale": np.ones(1), "columns": np.arange(0)}
        >>> layer = {"1.weight": np.array([[1.0], [1000.0]]), "1.bias": np.array([1.0, 0.0])}
        >>> arrays = {f"0.{name}": part for name, part in parts.items()} | layer
        >>> Forward(arrays | {"0.edges": np.empty((0, 2))}).probabilities(np.array([[-1.0]]))
        array([[0.5, 0. ]])
        """
        from threadpoolctl import threadpool_limits

        double = {
            name: array if name == "0.columns" else array.astype(np.float64)
            for name, array in self.arrays.items()
        }
        starts = range(0, max(len(tasks), 1), _BLOCK)
        with threadpool_limits(1):
            parts = [sigmoid(_logits(double, tasks[start : start + _BLOCK])) for start in starts]
        return np.concatenate(parts)


def sigmoid(logits: Floats) -> Floats:
    """The logistic function, in the memory of its argument.

    >>> sigmoid(np.array([-1000.0, 0.0, 1000.0]))
    array([0. , 0.5, 1. ])
    """
    with np.errstate(over="ignore"):  # infinity becomes 0
        np.exp(np.negative(logits, out=logits), out=logits)
    logits += 1.0
    return np.reciprocal(logits, out=logits)


def _logits(arrays: Arrays, tasks: NDArray[Any]) -> Floats:
    values = _linear(arrays, "1", _encoded(arrays, tasks))
    layer = 2
    while f"{layer}.layers.0.weight" in arrays:
        values += _residual(arrays, f"{layer}.layers", values)
        layer += 1
    if f"{layer}.weight" not in arrays:  # no hidden layers
        return values
    values = np.maximum(_normalized(arrays, f"{layer}", values), 0.0)
    return _linear(arrays, f"{layer + 2}", values)


def _encoded(arrays: Arrays, tasks: NDArray[Any]) -> Floats:
    """Standardized columns, and ramps across the bins of some of them; see `network.Encoding`."""
    mean, scale, columns, edges = (arrays[f"0.{name}"] for name in PARTS)
    standard = np.clip((tasks - mean) / scale, -FARTHEST, FARTHEST)
    low, high = edges[:, :-1], edges[:, 1:]
    ramps = standard[:, columns, None] - low
    ramps /= np.maximum(high - low, NARROWEST)
    np.clip(ramps, 0.0, 1.0, out=ramps)
    ramps *= 2.0
    ramps -= 1.0
    return np.concatenate([standard, ramps.reshape(len(tasks), -1)], axis=1)


def _residual(arrays: Arrays, name: str, values: Floats) -> Floats:
    hidden = _linear(arrays, f"{name}.1", _normalized(arrays, f"{name}.0", values))
    return _linear(arrays, f"{name}.3", np.maximum(hidden, 0.0, out=hidden))


def _normalized(arrays: Arrays, name: str, values: Floats) -> Floats:
    apart = values - values.mean(1, keepdims=True)
    variance = np.einsum("tw,tw->t", apart, apart) / values.shape[1]
    apart /= np.sqrt(variance + _EPSILON)[:, None]
    apart *= arrays[f"{name}.weight"]
    apart += arrays[f"{name}.bias"]
    return apart


def _linear(arrays: Arrays, name: str, values: Floats) -> Floats:
    found: Floats = values @ arrays[f"{name}.weight"].T
    found += arrays[f"{name}.bias"]
    return found

"""The network of the map, and a forward pass in which the rows are independent."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

ROWS_AT_ONCE = 4096  # so that the outputs of a layer stay in the cache


def perceptron(sizes: Sequence[int]) -> torch.nn.Sequential:
    """Linear layers with ReLU in between."""
    layers: list[torch.nn.Module] = []
    for inputs, outputs in itertools.pairwise(sizes):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1])


def layers_of(network: torch.nn.Module) -> list[torch.nn.Linear]:
    """The linear layers of a perceptron; an empty list for any other network.

    >>> [layer.out_features for layer in layers_of(perceptron((3, 8, 2)))]
    [8, 2]
    >>> layers_of(torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Tanh()))
    []
    """
    parts = list(network) if isinstance(network, torch.nn.Sequential) else []
    layers = [part for part in parts[::2] if isinstance(part, torch.nn.Linear)]
    between = [part for part in parts[1::2] if isinstance(part, torch.nn.ReLU)]
    alternate = len(layers) == len(parts[::2]) == len(parts[1::2]) + 1 == len(between) + 1
    return layers if alternate else []


def forward(layers: Sequence[torch.nn.Linear], rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The outputs of a perceptron (rows, outputs) for rows of inputs (rows, inputs).

    A matrix product sums in an order that depends on the number of rows, so rounding in one row
    would depend on the number of other rows. Here each sum runs over the inputs one by one, with
    multiplications and additions that every processor rounds in the same way.
    """
    found = np.empty((len(rows), layers[-1].out_features))
    for start in range(0, len(rows), ROWS_AT_ONCE):
        some = slice(start, start + ROWS_AT_ONCE)
        found[some] = _forward(layers, np.ascontiguousarray(rows[some].T)).T
    return found


def _forward(layers: Sequence[torch.nn.Linear], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same, transposed (inputs, rows), so that NumPy's inner loops run along the rows."""
    for layer in layers:
        if layer is not layers[0]:
            values = np.maximum(values, 0.0)
        weight, bias = layer.weight.detach().numpy(), layer.bias.detach().numpy()
        total = np.repeat(bias[:, None], values.shape[1], axis=1)
        product = np.empty_like(total)
        with np.errstate(over="ignore", invalid="ignore"):  # inputs far out of range
            for column, value in zip(weight.T, values, strict=True):
                np.multiply(column[:, None], value, out=product)
                total += product
        values = total
    return values

"""The network of the map."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import torch


def perceptron(sizes: Sequence[int]) -> torch.nn.Sequential:
    """Linear layers with ReLU between them."""
    layers: list[torch.nn.Module] = []
    for inputs, outputs in itertools.pairwise(sizes):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1])

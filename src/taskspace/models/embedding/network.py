"""The network of the map."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import torch

from taskspace.models.embedding.forward import Layer


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


def weights_of(layers: Sequence[torch.nn.Linear]) -> list[Layer]:
    """The weight and the bias of each layer."""
    return [(layer.weight.detach().numpy(), layer.bias.detach().numpy()) for layer in layers]

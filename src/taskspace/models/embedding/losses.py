"""The loss of Algorithm 1: ordinal constraints under the Bradley-Terry-Luce model."""

from __future__ import annotations

import torch
from torch.nn.functional import softplus


def triplet_loss(
    anchor: torch.Tensor, one: torch.Tensor, other: torch.Tensor, probability: torch.Tensor
) -> torch.Tensor:
    """Expected loss of "`one` is more similar to the anchor than `other`".

    The statement is true with the given probability. For a probability of 1, the loss is
    log(1 + exp(<E1, E3> - <E1, E2>)), the first term of the paper's objective. The expectation
    over the random order has the same mean gradient and less noise.
    """
    margin = (anchor * (one - other)).sum(-1)
    # softplus(margin) = margin + softplus(-margin), so one softplus serves both orders.
    return (softplus(-margin) + (1.0 - probability) * margin).mean()


def norm_loss(easier: torch.Tensor, harder: torch.Tensor) -> torch.Tensor:
    """log(1 + exp(|E4| - |E5|)): the vector of the harder task should be longer."""
    return softplus(_length(easier) - _length(harder)).mean()


def _length(vectors: torch.Tensor) -> torch.Tensor:
    """The Euclidean norm, with a finite gradient at 0."""
    return (vectors.square().sum(-1) + 1e-12).sqrt()

"""The choice of a model when tasks are few: cross-validation over tasks compares the candidates.

The simplest candidate predicts each agent's mean success rate. Another one replaces it only if it
is better by more than the noise of the comparison, so that features which say nothing do no harm.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from taskspace.models.success.linear import LinearModel, Penalty, agent_means, fit_linear
from taskspace.models.success.network import Counts, last_layer, linear_network, logits_of, outputs

FOLDS = 5
PENALTIES = tuple(Penalty(own, shared) for own in (4, 64, 1024) for shared in (1, 10))
ERRORS = 1.5  # standard errors by which a candidate must be better than the agents' means


@dataclass(frozen=True, eq=False)
class Candidate:
    """A kind of model, and a function that fits it to some tasks."""

    kind: str
    fit: Callable[[Counts], torch.nn.Sequential]


@dataclass(frozen=True, eq=False)
class Choice:
    """The best candidate, with out-of-fold logits (tasks, agents): of it, and of the means."""

    candidate: Candidate
    logits: torch.Tensor
    means: torch.Tensor


def means_candidate(encoder: torch.nn.Module) -> Candidate:
    """The agents' means; they ignore what the encoder says."""
    return Candidate("means", functools.partial(_fit_linear, encoder=encoder, penalty=None))


def linear_candidates(encoder: torch.nn.Module) -> list[Candidate]:
    """Linear models of the encoded features, one for each penalty."""
    return [
        Candidate("linear", functools.partial(_fit_linear, encoder=encoder, penalty=penalty))
        for penalty in PENALTIES
    ]


def _fit_linear(
    counts: Counts, encoder: torch.nn.Module, penalty: Penalty | None
) -> torch.nn.Sequential:
    tables = (counts.successes.double().numpy(), counts.rollouts.double().numpy())
    network = linear_network(encoder, counts.successes.shape[1])
    layer = last_layer(network)
    model = agent_means(*tables, layer.in_features)
    if penalty is not None:
        model = fit_linear(outputs(encoder, counts.tasks).double().numpy(), *tables, penalty, model)
    _fill(layer, model)
    return network


def _fill(layer: torch.nn.Linear, model: LinearModel) -> None:
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(model.weights))
        layer.bias.copy_(torch.from_numpy(model.biases))


def choose(
    means: Candidate, others: list[Candidate], counts: Counts, rng: np.random.Generator
) -> Choice:
    """Compare the candidates by cross-validation; the folds are divisions of the tasks."""
    folds = torch.from_numpy(rng.permutation(np.arange(len(counts)) % FOLDS))
    base = _out_of_fold(means, counts, folds)
    best = Choice(means, base, base)
    for candidate in others:
        logits = _out_of_fold(candidate, counts, folds)
        if counts.losses(logits).sum() < counts.losses(best.logits).sum():
            best = Choice(candidate, logits, base)
    gain = (counts.losses(base) - counts.losses(best.logits)).sum(1).double().numpy()
    noise = gain.std() * np.sqrt(len(gain))
    return best if gain.sum() > ERRORS * noise else Choice(means, base, base)


def _out_of_fold(candidate: Candidate, counts: Counts, folds: torch.Tensor) -> torch.Tensor:
    """Logits of every task, each by a model that was fitted to the other folds."""
    logits = torch.zeros(counts.successes.shape)
    for fold in range(FOLDS):
        tested = (folds == fold).nonzero()[:, 0]
        if not len(tested):
            continue  # fewer tasks than folds
        network = candidate.fit(counts.of((folds != fold).nonzero()[:, 0]))
        logits[tested] = logits_of(network, counts.tasks[tested])
    return logits

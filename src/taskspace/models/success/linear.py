"""Logistic regression of every agent's success on the features of the tasks, for few tasks.

The logit of agent a on task t is bias[a] + weights[a] · x[t] with standardized features x. Agents
share strength: their weights are drawn to common weights, and those to 0. The objective is

    sum over agents of  (log loss of its results + own / 2 |weights[a] - common|²
                         + shared / 2 |common|²),

in which every agent has one more success and one more failure on an average task (x = 0). With
an infinite penalty, an agent's prediction is therefore its mean success rate with two
pseudo-attempts. Each step solves the least-squares problem of a quadratic bound of the log loss
(Jaakkola and Jordan), so that the objective never increases.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ITERATIONS = 100
_ENOUGH = 1e-3  # fitting ends when no logit on a training task changes by more


@dataclass(frozen=True)
class Penalty:
    """How strongly the weights are drawn together and to 0."""

    own: float
    shared: float


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Weights (agents, features) and biases (agents,)."""

    weights: Floats
    biases: Floats

    def logits(self, features: Floats) -> Floats:
        """Logits (tasks, agents)."""
        return features @ self.weights.T + self.biases


def agent_means(successes: Floats, rollouts: Floats, size: int) -> LinearModel:
    """The model that predicts each agent's mean success rate for every task."""
    solved, failed = successes.sum(0) + 1, (rollouts - successes).sum(0) + 1
    return LinearModel(np.zeros((len(solved), size)), np.log(solved / failed))


def fit_linear(
    features: Floats, successes: Floats, rollouts: Floats, penalty: Penalty, start: LinearModel
) -> LinearModel:
    """Fit the model to tables (tasks, features) and (tasks, agents), from a start.

    >>> features = np.array([[-1.0], [0.0], [1.0]])
    >>> successes = np.array([[0.0, 9.0], [5.0, 5.0], [9.0, 0.0]])
    >>> rollouts = np.full((3, 2), 10.0)
    >>> start = agent_means(successes, rollouts, 1)
    >>> fit_linear(features, successes, rollouts, Penalty(0.1, 0.1), start).weights.round(1)
    array([[ 2.7],
           [-2.7]])
    """
    inputs = np.column_stack([features, np.ones(len(features))])
    inputs = np.vstack([inputs, np.eye(inputs.shape[1])[-1]])  # the average task
    tried = np.vstack([rollouts, np.full(rollouts.shape[1], 2.0)])
    surplus = np.vstack([successes - rollouts / 2, np.zeros(rollouts.shape[1])]).T @ inputs
    products = (inputs[:, :, None] * inputs[:, None, :]).reshape(len(inputs), -1)
    found = np.column_stack([start.weights, start.biases])
    logits = inputs @ found.T
    for _ in range(ITERATIONS):
        width = np.maximum(np.abs(logits), 1e-6)
        curvature = (tried * np.tanh(width / 2) / (2 * width)).T @ products
        found = _solve(curvature.reshape(len(found), *2 * found.shape[1:]), surplus, penalty)
        before, logits = logits, inputs @ found.T
        if np.abs(logits - before).max() < _ENOUGH:
            break
    return LinearModel(found[:, :-1], found[:, -1])


def _solve(curvature: Floats, surplus: Floats, penalty: Penalty) -> Floats:
    """Minimize the sum of the agents' quadratics plus the penalty.

    Given the common weights, each agent's solution is linear in them: alone + pull @ common.
    """
    size = curvature.shape[1] - 1
    precision = curvature + np.diag(np.append(np.full(size, penalty.own), 0.0))
    towards = np.vstack([penalty.own * np.eye(size), np.zeros(size)])
    right = np.concatenate([surplus[:, :, None], np.tile(towards, (len(curvature), 1, 1))], axis=2)
    solved = np.linalg.solve(precision, right)
    alone, pull = solved[:, :, 0], solved[:, :, 1:]
    # The common weights minimize what is left: own (common - mean weights) + shared common = 0.
    left = (penalty.own + penalty.shared) * np.eye(size) - penalty.own * pull[:, :-1].mean(0)
    common = np.linalg.solve(left, penalty.own * alone[:, :-1].mean(0))
    return alone + pull @ common

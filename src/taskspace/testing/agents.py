"""Policies that are trained in a second, so that episodes have realistic lengths."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from taskspace.agents.policies import Categorical, ExpertPolicy, Gaussian, MLPPolicy
from taskspace.envs.base import Environment
from taskspace.envs.pointmass import FRICTION, GATE, GOAL_Y, VX, VY, X, Y
from taskspace.models.embedding.network import perceptron
from taskspace.rollouts.trajectories import record

HIDDEN = {"BasicKarel": (64, 32), "PointMass": (64, 64)}
SNAPSHOTS = (100, 300, 1000)  # training steps of a weak, a medium and a good agent


def trained_like(env: Environment, seed: int = 0) -> list[MLPPolicy]:
    """Three policies cloned from the expert (PointMass: from a simple controller)."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    teacher: Any = ExpertPolicy(env) if env.expert is not None else _steer
    episodes = record(teacher, env, env.sample_tasks(2000, seed=seed), seed=seed)
    inputs = torch.tensor(episodes.states, dtype=torch.float32)
    mean, spread = inputs.mean(0), inputs.std(0).clamp_min(1e-3)
    module = perceptron((env.state_size, *HIDDEN.get(env.name, (32, 32)), len(env.action_names)))
    snapshots = []
    for done in _clone(module, (inputs - mean) / spread, episodes.actions):
        if done in SNAPSHOTS:
            snapshots.append(_unstandardized(module, mean, spread, env))
    return snapshots


def as_torch(policy: MLPPolicy) -> torch.nn.Sequential:
    """The same network as a torch module."""
    module = perceptron(policy.sizes)
    linear = [layer for layer in module if isinstance(layer, torch.nn.Linear)]
    with torch.no_grad():
        for layer, weight, bias in zip(linear, policy.weights, policy.biases, strict=True):
            layer.weight.copy_(torch.from_numpy(weight))
            layer.bias.copy_(torch.from_numpy(bias))
    return module


def _clone(module: torch.nn.Module, inputs: torch.Tensor, actions: NDArray[Any]) -> Any:
    """Fit the module to the actions; yields the number of steps so far."""
    discrete = actions.ndim == 1
    targets = torch.tensor(actions) if discrete else torch.tensor(actions, dtype=torch.float32)
    loss_function = torch.nn.CrossEntropyLoss() if discrete else torch.nn.MSELoss()
    optimizer = torch.optim.Adam(module.parameters(), lr=3e-3)
    for step in range(1, max(SNAPSHOTS) + 1):
        batch = torch.randint(len(inputs), (256,))
        loss = loss_function(module(inputs[batch]), targets[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield step


def _unstandardized(
    module: torch.nn.Module, mean: torch.Tensor, spread: torch.Tensor, env: Environment
) -> MLPPolicy:
    """The policy for raw observations; the scaling is merged into the first layer."""
    scaled = MLPPolicy.from_torch(module)
    first = scaled.weights[0] / spread.numpy()
    weights = [first, *scaled.weights[1:]]
    biases = [scaled.biases[0] - first @ mean.numpy(), *scaled.biases[1:]]
    output = Categorical() if env.discrete else Gaussian((0.0,) * len(env.action_names))
    return MLPPolicy(weights, biases, "relu", output)


def _steer(observations: NDArray[np.float32]) -> NDArray[np.float32]:
    """A controller for PointMass: align with the gate, pass it, then go to the goal."""
    x, y = observations[:, X], observations[:, Y]
    vx, vy = observations[:, VX], observations[:, VY]
    above = y > 0.1
    lined_up = np.abs(x - observations[:, GATE]) < 0.2
    target_x = np.where(above, observations[:, GATE], 0.0)
    target_y = np.where(above & ~lined_up, 1.0, GOAL_Y)
    braking = 3.0 - 0.5 * observations[:, FRICTION]
    forces = np.stack([6 * (target_x - x) - braking * vx, 3 * (target_y - y) - braking * vy], 1)
    return np.clip(forces, -10, 10).astype(np.float32)

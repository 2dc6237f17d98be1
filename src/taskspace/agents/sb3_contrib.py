"""Models of sb3-contrib that play one episode at a time: recurrent and maskable ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np


class RecurrentAgent:
    """A recurrent model, e.g. RecurrentPPO; it has one hidden state per episode."""

    def __init__(self, policy: Any) -> None:
        self.policy = policy

    def start(self, env: gym.Env[Any, Any], seed: int) -> Callable[[Any], Any]:
        """Begin an episode with an empty hidden state; actions are sampled."""
        import torch

        policy, rng = self.policy, np.random.default_rng(seed)
        state: Any = (torch.zeros(policy.lstm_hidden_state_shape),) * 2
        starts = torch.ones(1)

        def act(observation: Any) -> Any:
            nonlocal state, starts
            with torch.no_grad():
                rows = policy.obs_to_tensor(observation)[0]
                found, state = policy.get_distribution(rows, state, starts)
            starts = torch.zeros(1)
            return _draw(found.distribution, policy.action_space, rng)

        return act


class MaskableAgent:
    """A model that takes a mask of the allowed actions, e.g. MaskablePPO.

    The mask comes from the environment's method `action_masks`; without that method all actions
    are allowed.
    """

    def __init__(self, policy: Any) -> None:
        self.policy = policy

    def start(self, env: gym.Env[Any, Any], seed: int) -> Callable[[Any], Any]:
        """Begin an episode; actions are sampled from the allowed ones."""
        import torch

        policy, rng = self.policy, np.random.default_rng(seed)
        has_masks = env.has_wrapper_attr("action_masks")

        def act(observation: Any) -> Any:
            allowed = env.get_wrapper_attr("action_masks")() if has_masks else None
            with torch.no_grad():
                rows = policy.obs_to_tensor(observation)[0]
                found = policy.get_distribution(rows, action_masks=allowed)
            return _draw(found.distribution, policy.action_space, rng)

        return act


def episode_agent(model: Any) -> RecurrentAgent | MaskableAgent | None:
    """The agent for a model that must play one episode at a time; None for other models."""
    alone: RecurrentAgent | MaskableAgent
    if hasattr(model.policy, "lstm_actor"):
        alone = RecurrentAgent(model.policy)
    elif "Maskable" in type(model.policy).__name__:
        alone = MaskableAgent(model.policy)
    else:
        return None
    if not isinstance(model.action_space, (gym.spaces.Discrete, gym.spaces.Box)):
        raise ValueError(
            f"the actions of a {type(model).__name__} must be Discrete or Box,"
            f" got {model.action_space}"
        )
    return alone


def _draw(distribution: Any, space: gym.Space[Any], rng: np.random.Generator) -> Any:
    if isinstance(space, gym.spaces.Discrete):
        probabilities = distribution.probs[0].double().numpy()
        index = rng.choice(len(probabilities), p=probabilities / probabilities.sum())
        return int(index) + int(space.start)
    assert isinstance(space, gym.spaces.Box)
    mean, deviation = distribution.mean[0].numpy(), distribution.stddev[0].numpy()
    drawn = mean + deviation * rng.standard_normal(mean.shape)
    return np.clip(drawn.reshape(space.shape), space.low, space.high).astype(space.dtype)

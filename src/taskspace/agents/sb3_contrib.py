"""Models of sb3-contrib that play an episode alone: they remember it, or ask what is allowed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np


class RecurrentAgent:
    """A recurrent model, such as RecurrentPPO: its state is that of the episode."""

    def __init__(self, policy: Any) -> None:
        self.policy = policy

    def start(self, env: gym.Env[Any, Any], seed: int) -> Callable[[Any], Any]:
        """Begin with an empty memory; actions are drawn."""
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
    """A model that is told which actions are allowed, such as MaskablePPO.

    Environments tell by a method `action_masks`; where there is none, all actions are allowed.
    """

    def __init__(self, policy: Any) -> None:
        self.policy = policy

    def start(self, env: gym.Env[Any, Any], seed: int) -> Callable[[Any], Any]:
        """Begin; actions are drawn among those allowed."""
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
    """How the model plays an episode, if it cannot play many at once."""
    alone: RecurrentAgent | MaskableAgent
    if hasattr(model.policy, "lstm_actor"):
        alone = RecurrentAgent(model.policy)
    elif "Maskable" in type(model.policy).__name__:
        alone = MaskableAgent(model.policy)
    else:
        return None
    if not isinstance(model.action_space, (gym.spaces.Discrete, gym.spaces.Box)):
        raise ValueError(
            f"a {type(model).__name__} needs Discrete or Box actions here, not {model.action_space}"
        )
    return alone


def _draw(distribution: Any, space: gym.Space[Any], rng: np.random.Generator) -> Any:
    if isinstance(space, gym.spaces.Discrete):
        chances = distribution.probs[0].double().numpy()
        return int(rng.choice(len(chances), p=chances / chances.sum())) + int(space.start)
    assert isinstance(space, gym.spaces.Box)
    mean, deviation = distribution.mean[0].numpy(), distribution.stddev[0].numpy()
    drawn = mean + deviation * rng.standard_normal(mean.shape)
    return np.clip(drawn.reshape(space.shape), space.low, space.high).astype(space.dtype)

"""Adapters that turn agents of all types into policies that the rollouts can play."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Protocol, TypeGuard, runtime_checkable

import gymnasium as gym
import numpy as np

from taskspace import checks
from taskspace.agents.policies import Categorical, ExpertPolicy, Gaussian, MLPPolicy
from taskspace.agents.sb3_contrib import RecurrentAgent, episode_agent
from taskspace.envs.base import Environment
from taskspace.envs.from_gymnasium import Spaces

# From observations (lanes, columns) to actions, to logits (lanes, actions) or, if actions are
# continuous, to a pair (means, log deviations). Observations of a Gymnasium environment may also
# be other arrays, or dicts of arrays.
BatchFunction = Callable[[Any], Any]


@runtime_checkable
class EpisodeAgent(Protocol):
    """An agent that plays a Gymnasium environment one episode at a time, with access to it.

    A planner may inspect the environment, but should not change it.

    Example:
        >>> class RandomAgent:
        ...     def start(self, env, seed):
        ...         env.action_space.seed(seed)
        ...         return lambda observation: env.action_space.sample()
        >>> isinstance(RandomAgent(), EpisodeAgent)
        True
    """

    def start(self, env: gym.Env[Any, Any], seed: int) -> Callable[[Any], Any]:
        """Begin an episode, right after its reset.

        Args:
            env: The environment in which the episode is played.
            seed: The seed for all randomness of the agent in this episode.

        Returns:
            A function from an observation to an action.
        """


def as_policy(
    agent: Any, env: Environment | Spaces
) -> MLPPolicy | ExpertPolicy | EpisodeAgent | BatchFunction:
    """Convert an agent to a policy, or raise a TypeError or ValueError that explains why not."""
    torch, sb3 = sys.modules.get("torch"), sys.modules.get("stable_baselines3.common.base_class")
    policy: Any = agent
    if sb3 is not None and isinstance(agent, sb3.BaseAlgorithm):
        policy = _from_sb3(agent, env)
    elif torch is not None and isinstance(agent, torch.nn.Module):
        policy = _torch_function(agent)
    if isinstance(policy, MLPPolicy):
        return _fitting(policy, env)
    if isinstance(policy, ExpertPolicy):
        if policy.env.name != env.name:
            raise ValueError(
                f"the expert must be the expert of {env.name}, got that of {policy.env.name}"
            )
        return policy
    if isinstance(env, Spaces) and isinstance(policy, EpisodeAgent):
        return policy
    if callable(policy):
        return policy  # type: ignore[no-any-return]
    alone = ", or an object with a method start" if isinstance(env, Spaces) else ""
    raise TypeError(
        "an agent must be an MLPPolicy, an ExpertPolicy, a torch module, a Stable-Baselines3 model"
        f" or a function of a batch of observations{alone}, got {type(agent).__name__}"
    )


def named_policy(name: str, agent: Any, env: Environment | Spaces) -> Any:
    """Like `as_policy`, with the name of the agent in errors."""
    try:
        return as_policy(agent, env)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from error


def _fitting(policy: MLPPolicy, env: Environment | Spaces) -> MLPPolicy:
    """Check that a network's inputs and outputs match the environment."""
    if not _is_row(env.observation_space):
        raise ValueError(
            "the observations for a network must be rows of numbers, got"
            f" {env.observation_space} from {env.name}"
        )
    if policy.sizes[0] != env.observation_space.shape[0]:
        raise ValueError(
            f"the policy must have {env.observation_space.shape[0]} inputs, one per column of"
            f" {env.name}, got {policy.sizes[0]}"
        )
    if isinstance(policy.output, Categorical) != env.discrete:
        required = "discrete" if env.discrete else "continuous"
        raise ValueError(
            f"the policy must have {required} actions as in {env.name}, got {checks.brief(policy)}"
        )
    space = env.action_space
    actions = int(space.n) if isinstance(space, gym.spaces.Discrete) else space.shape
    if (policy.actions if env.discrete else (policy.actions,)) != actions:
        expected = actions if env.discrete else space
        raise ValueError(
            f"the actions of the policy must be {expected} as in {env.name}, got {policy.actions}"
        )
    return policy


def _is_row(space: gym.Space[Any]) -> TypeGuard[gym.spaces.Box]:
    return isinstance(space, gym.spaces.Box) and len(space.shape) == 1


def _torch_function(module: Any) -> BatchFunction:
    """A function that computes a torch module's outputs without gradients."""
    import torch

    def tensors(observations: Any) -> Any:
        if isinstance(observations, dict):
            return {name: tensors(part) for name, part in observations.items()}
        return (
            torch.from_numpy(observations) if isinstance(observations, np.ndarray) else observations
        )

    def outputs(observations: Any) -> Any:
        with torch.no_grad():
            return module(tensors(observations))

    return outputs


def _from_sb3(model: Any, env: Environment | Spaces) -> MLPPolicy | EpisodeAgent | BatchFunction:
    """A plain network if the model has one, else a function to its distribution of actions.

    Models that have neither (DQN, TD3, …) act by their deterministic predictions.
    """
    _check_spaces(model, env)
    alone = episode_agent(model)
    if alone is not None and isinstance(env, Spaces):
        return alone
    if isinstance(alone, RecurrentAgent):
        raise ValueError(
            f"an agent of {env.name} must play many episodes at a time, got a"
            f" {type(model).__name__}, which plays one; use"
            f" GymEnvironment('taskspace/{env.name}-v0', …)"
        )
    network, output = sb3_network(model.policy)
    # The model preprocesses other observations, e.g. to one-hot numbers or scaled pictures.
    if network is not None and _is_row(env.observation_space):
        try:
            return MLPPolicy.from_torch(network, output=output)
        except ValueError:
            pass  # not a plain perceptron: it plays on the general path
    distribution = hasattr(model.policy, "get_distribution") and not getattr(
        model, "use_sde", False
    )
    if distribution and isinstance(env.action_space, (gym.spaces.Discrete, gym.spaces.Box)):
        return _sb3_distribution(model.policy)
    return lambda observations: model.predict(observations, deterministic=True)[0]


def _check_spaces(model: Any, env: Environment | Spaces) -> None:
    if _shapes(model.observation_space) != _shapes(env.observation_space):
        raise ValueError(
            f"the observations of the model must have shape {_shapes(env.observation_space)} as in"
            f" {env.name}, got {_shapes(model.observation_space)}"
        )
    if model.action_space != env.action_space:
        raise ValueError(
            f"the actions of the model must be {env.action_space} as in {env.name},"
            f" got {model.action_space}"
        )
    normalized = model.get_vec_normalize_env()
    if normalized is not None and normalized.norm_obs:
        raise ValueError(
            "the observations of the model must be unscaled, got VecNormalize, which is not part of"
            " the model; use a function that scales the observations and calls the model"
        )


def _shapes(space: gym.Space[Any]) -> Any:
    """Shapes to compare; pictures have their channels first, as in Stable-Baselines3."""
    if isinstance(space, gym.spaces.Dict):
        return {name: _shapes(part) for name, part in space.items()}
    picture = space.dtype == np.uint8 and space.shape is not None and len(space.shape) == 3
    if picture and space.shape is not None and min(space.shape) == space.shape[2]:
        return (space.shape[2], *space.shape[:2])
    return space.shape


def sb3_network(policy: Any) -> tuple[Any, Categorical | Gaussian | None]:
    """The actor as one module, or None if it is not a plain network, and its type of output.

    The deviation of PPO and A2C does not depend on the state; that of SAC does.
    """
    import torch
    from stable_baselines3.common.torch_layers import FlattenExtractor

    if hasattr(policy, "mlp_extractor"):
        log_std = getattr(policy, "log_std", None)
        output: Categorical | Gaussian = Categorical()
        if log_std is not None:
            output = Gaussian(tuple(float(x) for x in log_std.detach().cpu().ravel()))
        network = torch.nn.Sequential(policy.mlp_extractor.policy_net, policy.action_net)
        return network if type(policy.features_extractor) is FlattenExtractor else None, output
    actor: Any = getattr(policy, "actor", None)
    linear = isinstance(getattr(actor, "log_std", None), torch.nn.Linear)
    if linear and type(actor.features_extractor) is FlattenExtractor:
        both = torch.nn.Linear(actor.mu.in_features, 2 * actor.mu.out_features)
        with torch.no_grad():
            both.weight.copy_(torch.cat([actor.mu.weight, actor.log_std.weight]))
            both.bias.copy_(torch.cat([actor.mu.bias, actor.log_std.bias]))
        return torch.nn.Sequential(actor.latent_pi, both), Gaussian(squashed=True)
    return None, None


def _sb3_distribution(policy: Any) -> BatchFunction:
    """A function to the logits, or means and log deviations, of any actor-critic policy."""
    import torch

    def outputs(observations: Any) -> Any:
        with torch.no_grad():
            found = policy.get_distribution(policy.obs_to_tensor(observations)[0]).distribution
        if hasattr(found, "logits"):
            return found.logits
        return found.mean, found.stddev.log()

    return outputs

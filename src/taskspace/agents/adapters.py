"""Whatever plays, as something the rollouts can use: a compiled network or a batch function."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Protocol, TypeGuard, runtime_checkable

import gymnasium as gym
import numpy as np

from taskspace.agents.policies import Categorical, ExpertPolicy, Gaussian, MLPPolicy
from taskspace.agents.sb3_contrib import RecurrentAgent, episode_agent
from taskspace.envs.base import Environment
from taskspace.envs.from_gymnasium import Spaces

# From observations (lanes, columns) to actions, to logits (lanes, actions), or, where actions are
# continuous, to a pair (means, log deviations). A Gymnasium environment's observations may also
# be other arrays, or dicts of them.
BatchFunction = Callable[[Any], Any]


@runtime_checkable
class EpisodeAgent(Protocol):
    """An agent that plays a Gymnasium environment alone, with that environment in hand.

    A planner may look into it, but should not change it.
    """

    def start(self, env: gym.Env[Any, Any], seed: int) -> Callable[[Any], Any]:
        """Begin an episode, just after its reset: a function from an observation to an action.

        Whatever is random about the agent should come from `seed`.
        """


def as_policy(
    agent: Any, env: Environment | Spaces
) -> MLPPolicy | ExpertPolicy | EpisodeAgent | BatchFunction:
    """Turn an agent into what the rollouts play; a TypeError or ValueError says why it cannot."""
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
            raise ValueError(f"this is the expert of {policy.env.name}, not of {env.name}")
        return policy
    if isinstance(env, Spaces) and isinstance(policy, EpisodeAgent):
        return policy
    if callable(policy):
        return policy  # type: ignore[no-any-return]
    alone = " (or, here, an object with a method start)" if isinstance(env, Spaces) else ""
    raise TypeError(
        "an agent is an MLPPolicy, an ExpertPolicy, a torch module, a Stable-Baselines3 model or"
        f" a function of a batch of observations{alone}; got {type(agent).__name__}"
    )


def named_policy(name: str, agent: Any, env: Environment | Spaces) -> Any:
    """As `as_policy`; an error names the agent."""
    try:
        return as_policy(agent, env)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from error


def _fitting(policy: MLPPolicy, env: Environment | Spaces) -> MLPPolicy:
    """Check that a network's sizes and kind of actions are those of the environment."""
    if not _is_row(env.observation_space):
        raise ValueError(
            f"a network takes rows of numbers; {env.name} gives {env.observation_space}"
        )
    if policy.sizes[0] != env.observation_space.shape[0]:
        raise ValueError(
            f"the policy takes {policy.sizes[0]} inputs, {env.name} has"
            f" {env.observation_space.shape[0]} columns"
        )
    if isinstance(policy.output, Categorical) != env.discrete:
        kinds = "discrete" if env.discrete else "continuous"
        raise ValueError(f"{env.name} has {kinds} actions; the policy is {policy!r}")
    space = env.action_space
    actions = int(space.n) if isinstance(space, gym.spaces.Discrete) else space.shape
    if (policy.actions if env.discrete else (policy.actions,)) != actions:
        expected = actions if env.discrete else space
        raise ValueError(f"the policy has {policy.actions} actions, {env.name} has {expected}")
    return policy


def _is_row(space: gym.Space[Any]) -> TypeGuard[gym.spaces.Box]:
    return isinstance(space, gym.spaces.Box) and len(space.shape) == 1


def _torch_function(module: Any) -> BatchFunction:
    """A torch module's outputs, computed without gradients."""
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
    """A plain network where the model has one, else what the model says about its actions.

    Models of which neither can be had (DQN, TD3, …) act by their deterministic predictions.
    """
    _check_spaces(model, env)
    alone = episode_agent(model)
    if alone is not None and isinstance(env, Spaces):
        return alone
    if isinstance(alone, RecurrentAgent):
        raise ValueError(
            f"a {type(model).__name__} plays one episode at a time, but {env.name} many at once;"
            f" give it GymEnvironment('taskspace/{env.name}-v0', …)"
        )
    network, output = sb3_network(model.policy)
    # Other observations are prepared by the model: one-hot numbers, scaled pictures.
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
            f"the model takes observations of shape {_shapes(model.observation_space)},"
            f" {env.name} gives {_shapes(env.observation_space)}"
        )
    if model.action_space != env.action_space:
        raise ValueError(
            f"the model's actions are {model.action_space}, those of {env.name} are"
            f" {env.action_space}"
        )
    normalized = model.get_vec_normalize_env()
    if normalized is not None and normalized.norm_obs:
        raise ValueError(
            "the model was trained on observations scaled by VecNormalize, which it does not hold;"
            " pass a function that scales them and asks the model"
        )


def _shapes(space: gym.Space[Any]) -> Any:
    """Shapes to compare; those of pictures with their channels first, as SB3 puts them."""
    if isinstance(space, gym.spaces.Dict):
        return {name: _shapes(part) for name, part in space.items()}
    picture = space.dtype == np.uint8 and space.shape is not None and len(space.shape) == 3
    if picture and space.shape is not None and min(space.shape) == space.shape[2]:
        return (space.shape[2], *space.shape[:2])
    return space.shape


def sb3_network(policy: Any) -> tuple[Any, Categorical | Gaussian | None]:
    """The actor as one module and its kind of output; no module where it is not a plain one.

    PPO and A2C have a deviation that does not depend on the state, SAC one that does.
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
    """Logits, or means and log deviations, of an actor-critic policy of any shape."""
    import torch

    def outputs(observations: Any) -> Any:
        with torch.no_grad():
            found = policy.get_distribution(policy.obs_to_tensor(observations)[0]).distribution
        if hasattr(found, "logits"):
            return found.logits
        return found.mean, found.stddev.log()

    return outputs

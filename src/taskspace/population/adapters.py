"""Whatever plays, as something the rollouts can use: a compiled network or a batch function."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.envs.base import Environment
from taskspace.population.policies import Categorical, ExpertPolicy, Gaussian, MLPPolicy

# From observations (lanes, columns) to actions, to logits (lanes, actions), or, where actions are
# continuous, to a pair (means, log deviations).
BatchFunction = Callable[[NDArray[np.float32]], Any]


def as_policy(agent: Any, env: Environment) -> MLPPolicy | ExpertPolicy | BatchFunction:
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
    if callable(policy):
        return policy  # type: ignore[no-any-return]
    raise TypeError(
        "an agent is an MLPPolicy, an ExpertPolicy, a torch module, a Stable-Baselines3 model or"
        f" a function of a batch of observations; got {type(agent).__name__}"
    )


def _fitting(policy: MLPPolicy, env: Environment) -> MLPPolicy:
    """Check that a network's sizes and kind of actions are those of the environment."""
    if policy.sizes[0] != env.state_size:
        raise ValueError(
            f"the policy takes {policy.sizes[0]} inputs, {env.name} has {env.state_size} columns"
        )
    if isinstance(policy.output, Categorical) != env.discrete:
        kinds = "discrete" if env.discrete else "continuous"
        raise ValueError(f"{env.name} has {kinds} actions; the policy is {policy!r}")
    if policy.actions != len(env.action_names):
        raise ValueError(
            f"the policy has {policy.actions} actions, {env.name} has {len(env.action_names)}"
        )
    return policy


def _torch_function(module: Any) -> BatchFunction:
    """A torch module's outputs, computed without gradients."""
    import torch

    def outputs(observations: NDArray[np.float32]) -> Any:
        with torch.no_grad():
            return module(torch.from_numpy(observations))

    return outputs


def _from_sb3(model: Any, env: Environment) -> MLPPolicy | BatchFunction:
    """A plain network where the model has one, else what the model says about its actions.

    Models of which neither can be had (DQN, TD3, …) act by their deterministic predictions.
    """
    _check_spaces(model, env)
    network, output = _sb3_network(model.policy)
    if network is not None:
        try:
            return MLPPolicy.from_torch(network, output=output)
        except ValueError:
            pass  # not a plain perceptron: it plays on the general path
    if hasattr(model.policy, "get_distribution") and not getattr(model, "use_sde", False):
        return _sb3_distribution(model.policy)
    return lambda observations: model.predict(observations, deterministic=True)[0]


def _check_spaces(model: Any, env: Environment) -> None:
    if model.observation_space.shape != env.observation_space.shape:
        raise ValueError(
            f"the model takes observations of shape {model.observation_space.shape},"
            f" {env.name} gives {env.observation_space.shape}"
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


def _sb3_network(policy: Any) -> tuple[Any, Categorical | Gaussian | None]:
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

    def outputs(observations: NDArray[np.float32]) -> Any:
        with torch.no_grad():
            found = policy.get_distribution(torch.from_numpy(observations)).distribution
        if hasattr(found, "logits"):
            return found.logits
        return found.mean, found.stddev.log()

    return outputs

"""`as_policy`: whatever plays, checked, and compiled where that is the same thing."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from stable_baselines3 import A2C, DQN, PPO, SAC, TD3
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize
from torch import nn

import taskspace as ts
from taskspace.agents.adapters import as_policy
from taskspace.agents.policies import Categorical, ExpertPolicy, Gaussian
from taskspace.rollouts.trajectories import record
from tests.agents.test_policies import outputs
from tests.messages import says


def model(algorithm: Any, name: str, **options: Any) -> Any:
    """A tiny untrained model; its weights are made large enough to matter."""
    kwargs = {"net_arch": [8, 8], **options.pop("policy_kwargs", {})}
    if algorithm in (SAC, TD3, DQN):
        options["buffer_size"] = 10
    env = options.pop("env", None) or gymnasium.make(f"taskspace/{name}-v0")
    made = algorithm("MlpPolicy", env, policy_kwargs=kwargs, seed=0, device="cpu", **options)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in made.policy.parameters():
            parameter += 0.3 * torch.randn(parameter.shape, generator=generator)
    return made


def observations(name: str) -> Any:
    """States of real episodes, as the engine sees them."""
    env = ts.make(name)
    agent = ts.MLPPolicy.random(env, seed=0)
    return record(agent, env, env.sample_tasks(20, seed=0)).states.astype(np.float32)


# -- networks, experts, functions ------------------------------------------------------------------


def test_a_fitting_network_is_taken_as_it_is() -> None:
    env = ts.make("MultiKeyNav")
    policy = ts.MLPPolicy.random(env, seed=0)
    assert as_policy(policy, env) is policy


@pytest.mark.parametrize(
    ("made_for", "played_on", "tokens"),
    [
        ("BasicKarel", "MultiKeyNav", "policy 88 MultiKeyNav 7"),
        ("MultiKeyNav", "CartPoleVar", "policy 7 actions CartPoleVar 2"),
        (
            "PointMass",
            "CartPoleVar",
            "CartPoleVar discrete gaussian",
        ),
        (
            "CartPoleVar",
            "PointMass",
            "PointMass continuous categorical",
        ),
    ],
)
def test_a_network_for_another_environment_is_refused(
    made_for: str, played_on: str, tokens: str
) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        as_policy(ts.MLPPolicy.random(ts.make(made_for), seed=0), ts.make(played_on))


def test_an_expert_of_another_environment_is_refused() -> None:
    expert = ExpertPolicy(ts.make("CartPoleVar"))
    assert as_policy(expert, ts.make("CartPoleVar")) is expert
    with pytest.raises(ValueError, match=says("expert CartPoleVar MultiKeyNav")):
        as_policy(expert, ts.make("MultiKeyNav"))


def test_a_function_is_taken_as_it_is() -> None:
    def function(observations: Any) -> Any:
        return np.zeros(len(observations), int)

    assert as_policy(function, ts.make("MultiKeyNav")) is function


@pytest.mark.slow
def test_a_torch_module_becomes_a_function_of_arrays() -> None:
    module = nn.Sequential(nn.Linear(7, 4), nn.GELU(), nn.Linear(4, 7))
    function: Any = as_policy(module, ts.make("MultiKeyNav"))
    batch = observations("MultiKeyNav")
    with torch.no_grad():
        np.testing.assert_array_equal(function(batch), module(torch.from_numpy(batch)).numpy())


@pytest.mark.slow
def test_a_torch_module_may_give_means_and_deviations() -> None:
    class Both(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.means, self.deviations = nn.Linear(7, 2), nn.Linear(7, 2)

        def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return self.means(x), self.deviations(x)

    env = ts.make("PointMass")
    function: Any = as_policy(Both(), env)
    means, deviations = function(observations("PointMass"))
    assert means.shape == deviations.shape
    assert ts.evaluate([Both()], env, env.sample_tasks(3, seed=0), 2).n_agents == 1


@pytest.mark.parametrize("agent", [None, 5, "agent", [1], {}, np.zeros(3), object()])
def test_what_does_not_play_is_refused(agent: Any) -> None:
    with pytest.raises(TypeError, match=says("MLPPolicy ExpertPolicy torch")) as caught:
        as_policy(agent, ts.make("MultiKeyNav"))
    assert str(caught.value).endswith(f" {type(agent).__name__}")


# -- Stable-Baselines3: compiled -------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", [PPO, A2C])
def test_discrete_actor_critics_compile_to_the_same_logits(algorithm: Any) -> None:
    made = model(algorithm, "CartPoleVar")
    policy = as_policy(made, ts.make("CartPoleVar"))
    assert isinstance(policy, ts.MLPPolicy)
    assert policy.output == Categorical()
    batch = observations("CartPoleVar")
    with torch.no_grad():
        theirs = made.policy.get_distribution(torch.from_numpy(batch)).distribution.logits.numpy()
    ours = outputs(policy, batch)
    assert np.ptp(theirs[:, 0]) > 0.1
    np.testing.assert_allclose(np.diff(ours), np.diff(theirs), atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", [PPO, A2C])
def test_continuous_actor_critics_compile_to_the_same_gaussians(algorithm: Any) -> None:
    made = model(algorithm, "PointMass")
    policy = as_policy(made, ts.make("PointMass"))
    assert isinstance(policy, ts.MLPPolicy)
    assert isinstance(policy.output, Gaussian)
    assert not policy.output.squashed
    batch = observations("PointMass")
    with torch.no_grad():
        theirs = made.policy.get_distribution(torch.from_numpy(batch)).distribution
    ours = outputs(policy, batch)
    np.testing.assert_allclose(ours[:, :2], theirs.mean.numpy(), atol=1e-4)
    np.testing.assert_allclose(np.exp(ours[:, 2:]), theirs.stddev.numpy(), rtol=1e-5)


def test_sac_compiles_to_the_same_squashed_gaussian() -> None:
    made = model(SAC, "PointMass")
    policy = as_policy(made, ts.make("PointMass"))
    assert isinstance(policy, ts.MLPPolicy)
    assert policy.output == Gaussian(squashed=True)
    batch = observations("PointMass")
    with torch.no_grad():
        means, log_std, _ = made.policy.actor.get_action_dist_params(torch.from_numpy(batch))
    ours = outputs(policy, batch)
    np.testing.assert_allclose(ours[:, :2], means.numpy(), atol=1e-4)
    np.testing.assert_allclose(np.clip(ours[:, 2:], -20, 2), log_std.numpy(), atol=1e-4)


@pytest.mark.parametrize(("algorithm", "name"), [(PPO, "CartPoleVar"), (SAC, "PointMass")])
def test_a_compiled_model_acts_as_its_own_predictions_do(algorithm: Any, name: str) -> None:
    """On many copies of one state: the same mean action, within the error of the mean."""
    made, env = model(algorithm, name), ts.make(name)
    task = env.sample_tasks(1, seed=0)
    episodes = record(made, env, np.repeat(task, 4000, axis=0))
    ours = episodes.actions[episodes.starts[:-1]].astype(float)
    theirs = made.predict(np.repeat(task, 4000, axis=0).astype(np.float32), deterministic=False)[0]
    error = 5 * np.sqrt((ours.var(0) + theirs.var(0)) / 4000)
    assert (np.abs(ours.mean(0) - theirs.mean(0)) <= error).all()


def test_relu_models_compile_too() -> None:
    made = model(PPO, "CartPoleVar", policy_kwargs={"activation_fn": nn.ReLU})
    assert repr(as_policy(made, ts.make("CartPoleVar"))) == "MLPPolicy(7-8-8-2, relu, categorical)"


# -- Stable-Baselines3: on the general path --------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("algorithm", "name", "options"),
    [
        (DQN, "CartPoleVar", {}),
        (TD3, "PointMass", {}),
        (PPO, "PointMass", {"use_sde": True}),
        (PPO, "CartPoleVar", {"policy_kwargs": {"activation_fn": nn.ELU}}),
        (PPO, "CartPoleVar", {"policy_kwargs": {"net_arch": []}}),
    ],
    ids=["DQN", "TD3", "gSDE", "ELU", "linear"],
)
def test_other_models_play_by_their_own_predictions(
    algorithm: Any, name: str, options: dict[str, Any]
) -> None:
    made, env = model(algorithm, name, **options), ts.make(name)
    assert ts.evaluate([made], env, env.sample_tasks(3, seed=0), 2).successes.shape == (1, 3)
    if algorithm in (DQN, TD3):
        assert not isinstance(as_policy(made, env), ts.MLPPolicy)


def test_dqn_does_what_it_values_most() -> None:
    made, env = model(DQN, "CartPoleVar"), ts.make("CartPoleVar")
    function: Any = as_policy(made, env)
    batch = observations("CartPoleVar")
    with torch.no_grad():
        values = made.q_net(torch.from_numpy(batch)).numpy()
    np.testing.assert_array_equal(function(batch), values.argmax(1))


def test_a_model_for_another_environment_is_refused() -> None:
    with pytest.raises(ValueError, match=says("observations (88,) CartPoleVar (7,)")):
        as_policy(model(PPO, "BasicKarel"), ts.make("CartPoleVar"))
    with pytest.raises(ValueError, match=says("actions Box CartPoleVar Discrete(2)")):
        as_policy(model(SAC, "PointMass"), ts.make("CartPoleVar"))


def test_a_model_that_saw_scaled_observations_is_refused() -> None:
    def trained_on(norm_obs: bool) -> Any:
        copies = DummyVecEnv([lambda: gymnasium.make("taskspace/CartPoleVar-v0")])
        return model(PPO, "CartPoleVar", env=VecNormalize(copies, norm_obs=norm_obs))

    as_policy(trained_on(norm_obs=False), ts.make("CartPoleVar"))
    with pytest.raises(ValueError, match=says("observations VecNormalize")):
        as_policy(trained_on(norm_obs=True), ts.make("CartPoleVar"))


class _Scaled(BaseFeaturesExtractor):  # type: ignore[misc]
    def __init__(self, space: Any) -> None:
        super().__init__(space, 7)

    def forward(self, batch: torch.Tensor) -> torch.Tensor:
        return 0.01 * batch


def test_a_model_with_its_own_features_plays_as_itself() -> None:
    made = model(PPO, "CartPoleVar", policy_kwargs={"features_extractor_class": _Scaled})
    policy = as_policy(made, ts.make("CartPoleVar"))
    if isinstance(policy, ts.MLPPolicy):
        batch = observations("CartPoleVar")
        with torch.no_grad():
            theirs = made.policy.get_distribution(torch.from_numpy(batch)).distribution.logits
        np.testing.assert_allclose(
            np.diff(outputs(policy, batch)), np.diff(theirs.numpy()), atol=1e-4
        )


@pytest.mark.parametrize("case", ["bounds", "number"])
def test_a_model_with_other_actions_is_refused(case: str) -> None:
    if case == "bounds":
        env = gymnasium.make("taskspace/PointMass-v0")
        scaled = gymnasium.wrappers.RescaleAction(env, np.float32(-1), np.float32(1))
        made, name = model(SAC, "PointMass", env=scaled), "PointMass"
    else:
        made, name = model(DQN, "MultiKeyNav"), "CartPoleVar"
    with pytest.raises(ValueError, match=says(f"actions {name}")):
        as_policy(made, ts.make(name))


@pytest.mark.slow
def test_models_on_the_general_path_depend_on_the_seed_alone() -> None:
    made = model(PPO, "CartPoleVar", policy_kwargs={"activation_fn": nn.ELU})
    env = ts.make("CartPoleVar")
    tasks = env.sample_tasks(20, seed=0)
    one, other = (ts.evaluate([made], env, tasks, 5, seed=0) for _ in range(2))
    np.testing.assert_array_equal(one.steps, other.steps)

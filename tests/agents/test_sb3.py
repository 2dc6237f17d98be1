"""Models of Stable-Baselines3 and sb3-contrib as agents: checkpoints and snapshots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch

import taskspace as ts
from taskspace.agents.adapters import as_policy
from taskspace.agents.agent import Agent
from taskspace.agents.sb3 import frozen
from taskspace.agents.sb3_contrib import RecurrentAgent
from tests.messages import says

sb3 = pytest.importorskip("stable_baselines3")
contrib = pytest.importorskip("sb3_contrib")


def set_gravity(env: Any, task: dict[str, float]) -> None:
    env.gravity = task["gravity"]


ENV = ts.GymEnvironment(
    "CartPole-v1", set_task=set_gravity, success=30, max_steps=30, columns=["gravity"]
)


def ppo(**options: Any) -> Any:
    settings = {"n_steps": 32, "batch_size": 32, "n_epochs": 1, "seed": 0, "device": "cpu"}
    return sb3.PPO("MlpPolicy", "CartPole-v1", **{**settings, **options})


@pytest.mark.slow
def test_a_folder_of_checkpoints_becomes_a_population(tmp_path: Path) -> None:
    for seed in (0, 1):
        saving = sb3.common.callbacks.CheckpointCallback(32, str(tmp_path / f"seed{seed}"))
        ppo(seed=seed).learn(96, callback=saving)
    population = ts.Population.from_checkpoints(tmp_path, "PPO")
    assert [(agent.subpopulation, agent.step) for agent in population.agents] == [
        (f"seed{seed}", step) for seed in (0, 1) for step in (32, 64, 96)
    ]
    assert all(isinstance(policy, ts.MLPPolicy) for policy in population.values())
    outcomes = ts.evaluate(population, ENV, [[9.8], [1.0]], rollouts=2)
    assert outcomes.n_agents == 6
    population.save(tmp_path / "all.zip")
    again = ts.evaluate(ts.Population.load(tmp_path / "all.zip"), ENV, [[9.8], [1.0]], rollouts=2)
    np.testing.assert_array_equal(again.successes, outcomes.successes)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["TRPO", "QRDQN"])
def test_models_of_sb3_contrib_are_saved_and_played(tmp_path: Path, algorithm: str) -> None:
    cls = getattr(contrib, algorithm)
    model = cls("MlpPolicy", "CartPole-v1", seed=0, device="cpu")
    model.save(tmp_path / "model.zip")
    population = ts.Population.from_checkpoints(tmp_path, cls)
    assert list(population) == ["model"]
    outcomes = ts.evaluate(population, ENV, [[9.8]], rollouts=3)
    ts.Population([Agent("model", model)]).save(tmp_path / "p.zip")
    loaded = ts.Population.load(tmp_path / "p.zip")
    again = ts.evaluate(loaded, ENV, [[9.8]], rollouts=3)
    np.testing.assert_array_equal(again.successes, outcomes.successes)


@pytest.mark.slow
def test_snapshots_do_not_learn_on() -> None:
    snapshots = ts.SnapshotCallback(every=64, name="ppo")
    model = ppo()
    start = frozen(model)
    model.learn(128, callback=snapshots)
    population = snapshots.population
    assert list(population) == ["ppo-0", "ppo-64", "ppo-128"]
    for one, other in zip(start.weights, population["ppo-0"].weights, strict=True):
        np.testing.assert_array_equal(one, other)
    last, first = population["ppo-128"].weights[0], population["ppo-0"].weights[0]
    assert not np.array_equal(last, first)
    model.learn(64, callback=snapshots, reset_num_timesteps=False)
    assert list(snapshots.population)[-1] == "ppo-192"


@pytest.mark.slow
def test_models_that_are_no_plain_network_are_copied() -> None:
    model = sb3.DQN("MlpPolicy", "CartPole-v1", seed=0, device="cpu", learning_starts=10)
    snapshots = ts.SnapshotCallback(every=30)
    model.learn(60, callback=snapshots)
    kept = snapshots.population["agent-0"]
    assert isinstance(kept, sb3.DQN)
    assert kept.get_env() is None
    outcomes = ts.evaluate(snapshots.population, ENV, [[9.8]], rollouts=1)
    assert outcomes.n_agents == len(snapshots.population)


@pytest.mark.slow
def test_a_recurrent_model_remembers_the_episode(tmp_path: Path) -> None:
    model = contrib.RecurrentPPO("MlpLstmPolicy", "CartPole-v1", seed=0, device="cpu")
    with torch.no_grad():
        model.policy.action_net.weight.mul_(1e6)  # so sure that drawing leaves no choice
    env = gym.make("CartPole-v1")
    for seed in range(5):
        observation = env.reset(seed=seed)[0]
        act = RecurrentAgent(model.policy).start(env, seed)
        state, begins, terminated = None, True, False
        while not terminated:
            expected, state = model.predict(
                observation, state=state, episode_start=np.array([begins]), deterministic=True
            )
            action = act(observation)
            assert action == expected
            observation, _, terminated, _, _ = env.step(action)
            begins = False

    model.save(tmp_path / "model.zip")
    population = ts.Population.from_checkpoints(tmp_path, "RecurrentPPO")
    one, other = (ts.evaluate(population, ENV, [[9.8], [1.0]], rollouts=3) for _ in range(2))
    np.testing.assert_array_equal(one.successes, other.successes)
    made = contrib.RecurrentPPO("MlpLstmPolicy", gym.make("taskspace/CartPoleVar-v0"), device="cpu")
    with pytest.raises(ValueError, match=says("RecurrentPPO CartPoleVar")):
        as_policy(made, ts.make("CartPoleVar"))


class OnlyRight(gym.Wrapper[Any, Any, Any, Any]):
    """Tells that action 1 alone is allowed, and counts the others."""

    def action_masks(self) -> Any:
        return np.array([False, True])

    def step(self, action: Any) -> Any:
        observation, _, terminated, truncated, info = self.env.step(action)
        return observation, float(action == 0), terminated, truncated, info


def test_a_masked_model_does_what_is_allowed() -> None:
    model = contrib.MaskablePPO("MlpPolicy", "CartPole-v1", seed=0, device="cpu")
    for wrap, others in ((OnlyRight, False), (lambda env: env, True)):
        env = ts.GymEnvironment(
            lambda gravity, wrap=wrap: wrap(gym.make("CartPole-v1")),
            set_task="constructor", success=1, max_steps=20, columns=["gravity"],
        )  # fmt: skip
        outcomes = ts.evaluate({"masked": model}, env, [[9.8]], rollouts=3)
        assert bool(outcomes.rates.any()) == others
    made = contrib.MaskablePPO("MlpPolicy", gym.make("taskspace/CartPoleVar-v0"), device="cpu")
    assert isinstance(as_policy(made, ts.make("CartPoleVar")), ts.MLPPolicy)


def test_bad_input(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=says(str(tmp_path / "nothing"))):
        ts.Population.from_checkpoints(tmp_path / "nothing", "PPO")
    with pytest.raises(ValueError, match=says(f".zip {tmp_path}")):
        ts.Population.from_checkpoints(tmp_path, "PPO")
    with pytest.raises(ImportError, match=says("'PPPO' stable_baselines3 sb3_contrib")):
        ts.Population.from_checkpoints(tmp_path, "PPPO")
    with pytest.raises(TypeError, match=says("algorithm PPO 3")):
        ts.Population.from_checkpoints(tmp_path, 3)
    (tmp_path / "model.zip").write_text("no zip")
    with pytest.raises(ValueError, match=says("model.zip PPO")):
        ts.Population.from_checkpoints(tmp_path, "PPO")
    scaled = sb3.common.vec_env.VecNormalize(
        sb3.common.vec_env.DummyVecEnv([lambda: gym.make("CartPole-v1")])
    )
    with pytest.raises(ValueError, match=says("VecNormalize")):
        frozen(sb3.PPO("MlpPolicy", scaled, device="cpu"))

"""Models of Stable-Baselines3 and sb3-contrib as agents: checkpoints and snapshots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import taskspace as ts
from taskspace.agents.agent import Agent
from taskspace.agents.sb3 import frozen
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

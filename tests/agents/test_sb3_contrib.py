"""Models of sb3-contrib that play an episode alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch

import taskspace as ts
from taskspace.agents.adapters import as_policy
from taskspace.agents.sb3_contrib import RecurrentAgent
from tests.agents.test_sb3 import set_gravity
from tests.messages import says

contrib = pytest.importorskip("sb3_contrib")
ENV = ts.GymEnvironment(
    "CartPole-v1", set_task=set_gravity, success=30, max_steps=30, columns=["gravity"]
)


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

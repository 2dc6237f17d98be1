"""PPO: gradients, episodes, and that it learns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.paper.harness.ppo import Actor, Learner, Settings, _RewardScale

SMALL = Settings(copies=32, rollout=16, batch=256, hidden=(16,))


@pytest.mark.parametrize("name", ["MultiKeyNav", "PointMass"])
def test_gradients_are_slopes_of_ppo_s_loss(name: str) -> None:
    env, rng = ts.make(name), np.random.default_rng(0)
    actor = Actor(env, Settings(hidden=(8,), log_std=0.0), rng)
    actor.network.parameters = [p.astype(np.float64) for p in actor.network.parameters]  # type: ignore[misc]
    actor.log_std = actor.log_std.astype(np.float64)  # type: ignore[assignment]
    settings = Settings(entropy=0.03)
    states: Any = rng.normal(size=(20, env.state_size))
    actions, _ = actor.draw(states, rng)
    old: Any = _logs(actor, states, actions) + 0.05 * rng.normal(size=20)
    gains: Any = rng.normal(size=20)

    def loss() -> float:
        logs = _logs(actor, states, actions)
        ratio = np.exp(logs - old)
        surrogate = np.minimum(ratio * gains, np.clip(ratio, 0.8, 1.2) * gains)
        return float(-surrogate.mean() - settings.entropy * _entropy(actor, states))

    slopes = actor.slopes(states, actions, old, gains, settings)
    for parameter, slope in zip(actor.parameters, slopes, strict=True):
        where = tuple(0 for _ in parameter.shape)
        parameter[where] += 1e-5
        above = loss()
        parameter[where] -= 2e-5
        below = loss()
        parameter[where] += 1e-5
        np.testing.assert_allclose(slope[where], (above - below) / 2e-5, rtol=1e-2, atol=1e-5)


def _logs(actor: Actor, states: Any, actions: Any) -> Any:
    outputs = actor.network.forward(states)
    if actor.discrete:
        logs = outputs - np.log(np.exp(outputs).sum(1, keepdims=True))
        return logs[np.arange(len(actions)), actions]
    noise = (actions - outputs) / np.exp(actor.log_std)
    return -(0.5 * noise**2 + actor.log_std).sum(1)


def _entropy(actor: Actor, states: Any) -> float:
    if not actor.discrete:
        return float(actor.log_std.sum())
    outputs = actor.network.forward(states)
    logs = outputs - np.log(np.exp(outputs).sum(1, keepdims=True))
    return float(-(np.exp(logs) * logs).sum(1).mean())


def test_it_learns_to_finish_at_the_door() -> None:
    env = ts.make("MultiKeyNav")
    tasks = env.sample_tasks(3000, seed=0)
    tasks = tasks[(tasks[:, 0] > 0.8) & (env.missing(tasks) == 0)]  # type: ignore[attr-defined]
    learner, rng = Learner(env, tasks, SMALL, seed=0), np.random.default_rng(0)
    before = learner.play(tasks, seed=0)[0].mean()
    for _ in range(40):
        episodes = learner.train(lambda n: rng.integers(len(tasks), size=n))
        assert len(episodes.tasks) == len(episodes.successes) == len(episodes.scores)
    after, steps = learner.play(tasks, seed=0)
    assert after.mean() > before + 0.3
    assert steps >= len(tasks)
    played = ts.evaluate([learner.actor.policy()], env, tasks, 5, seed=0, progress=False)
    assert played.rates.mean() == pytest.approx(after.mean(), abs=0.1)


def test_the_same_seed_gives_the_same_learner() -> None:
    env = ts.make("PointMass")
    tasks = env.sample_tasks(50, seed=0)
    made = []
    for _ in range(2):
        learner, rng = Learner(env, tasks, SMALL, seed=3), np.random.default_rng(0)
        for _ in range(2):
            learner.train(lambda n, rng=rng: rng.integers(50, size=n))  # type: ignore[misc]
        made.append(learner)
    for one, other in zip(made[0].actor.parameters, made[1].actor.parameters, strict=True):
        assert (one == other).all()
    assert made[0].steps == 2 * 32 * 16


def test_shaped_rewards_are_normalized() -> None:
    scale, rng = _RewardScale(64, 0.9), np.random.default_rng(0)
    over = np.zeros(64, np.bool_)
    for _ in range(300):
        found = scale.normalized(1000 * rng.normal(size=64), over)
    assert found.std() == pytest.approx(np.sqrt(1 - 0.9**2), rel=0.2)  # returns have variance 1
    env = ts.make("PointMass")
    learner = Learner(env, env.sample_tasks(20, seed=0), replace(SMALL, shaped=True), seed=0)
    for _ in range(2):
        learner.train(lambda n: np.zeros(n, np.int64))
    assert np.isfinite(learner.critic.parameters[0]).all()

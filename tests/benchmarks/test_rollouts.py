"""The benchmark measures what it says; how fast things are is not a matter for tests."""

from __future__ import annotations

import json

import numpy as np
import pytest

import taskspace as ts
from taskspace.benchmarks import rollouts
from taskspace.benchmarks.agents import as_torch, trained_like
from taskspace.benchmarks.plain_envs import plain_environments
from taskspace.benchmarks.plain_loop import steps_per_second

pytestmark = pytest.mark.slow


def test_json_has_the_promised_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rollouts, "ROUNDS", 1)
    speed = rollouts.measure("MultiKeyNav", seconds=0.05)
    numbers = json.loads(json.dumps(rollouts.as_json({"MultiKeyNav": speed})))["MultiKeyNav"]
    assert set(numbers) >= {
        "plain_steps_per_s", "general_steps_per_s", "compiled_steps_per_s",
        "ratio_per_core", "ns_per_step", "scaling", "limit_share",
    }  # fmt: skip
    assert all(number > 0 for number in numbers.values())
    assert numbers["ns_per_step"] == pytest.approx(1e9 / numbers["compiled_steps_per_s"])
    assert numbers["limit_share"] < 1


@pytest.mark.parametrize("name", rollouts.ENVIRONMENTS)
def test_benchmarked_agents_play_like_trained_ones(name: str) -> None:
    env = ts.make(name)
    outcomes = ts.evaluate(trained_like(env), env, env.sample_tasks(300, seed=0), 10)
    best = outcomes.rates.mean(axis=1)[-1]
    untrained = ts.evaluate(
        [ts.MLPPolicy.random(env, seed=0)], env, env.sample_tasks(300, seed=0), 10
    )
    assert best > 0.3
    assert best > untrained.rates.mean() + 0.2


def test_plain_loop_plays() -> None:
    env = ts.make("CartPoleVar")
    modules = [as_torch(policy) for policy in trained_like(env)]
    tasks = env.sample_tasks(5, seed=0).tolist()
    rate = steps_per_second(plain_environments()["CartPoleVar"], modules, tasks, True, 0.2)
    assert 10 < rate < 1e6
    assert np.isfinite(rate)

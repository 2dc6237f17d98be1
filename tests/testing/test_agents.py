"""Agents that are made in a second play like trained ones."""

from __future__ import annotations

import pytest

import taskspace as ts
from taskspace.bench import rollouts
from taskspace.testing.agents import trained_like

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", rollouts.ENVIRONMENTS)
def test_agents_play_like_trained_ones(name: str) -> None:
    env = ts.make(name)
    outcomes = ts.evaluate(trained_like(env), env, env.sample_tasks(300, seed=0), 10)
    best = outcomes.rates.mean(axis=1)[-1]
    untrained = ts.evaluate(
        [ts.MLPPolicy.random(env, seed=0)], env, env.sample_tasks(300, seed=0), 10
    )
    assert best > 0.3
    assert best > untrained.rates.mean() + 0.2

"""The plain loop plays; how fast it does is not a matter for tests."""

from __future__ import annotations

import numpy as np
import pytest

import taskspace as ts
from taskspace.testing.agents import as_torch, trained_like
from taskspace.testing.plain_envs import plain_environments
from taskspace.testing.plain_loop import steps_per_second


@pytest.mark.slow
def test_plain_loop_plays() -> None:
    env = ts.make("CartPoleVar")
    modules = [as_torch(policy) for policy in trained_like(env)]
    tasks = env.sample_tasks(5, seed=0).tolist()
    rate = steps_per_second(plain_environments()["CartPoleVar"], modules, tasks, True, 0.2)
    assert 10 < rate < 1e6
    assert np.isfinite(rate)

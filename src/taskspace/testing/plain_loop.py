"""A plain rollout loop: one environment, one torch policy, one step at a time."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Sequence

import torch
from torch.distributions import Categorical, Normal

from taskspace.testing.plain_envs import RUNNING, PlainEnvironment


def choose(policy: torch.nn.Module, state: list[float], discrete: bool) -> int | list[float]:
    """Sample one action for one state."""
    observation = torch.tensor(state, dtype=torch.float32).unsqueeze(0)
    with torch.no_grad():
        output = policy(observation)
    if discrete:
        return int(Categorical(probs=torch.softmax(output, dim=-1)).sample().item())
    action: list[float] = Normal(output, torch.ones_like(output)).sample()[0].tolist()
    return action


def steps_per_second(
    env: PlainEnvironment,
    policies: Sequence[torch.nn.Module],
    tasks: Sequence[Sequence[float]],
    discrete: bool,
    seconds: float,
) -> float:
    """Play episodes for about this long, policy by policy and task by task."""
    rng = random.Random(0)
    steps, start = 0, time.perf_counter()
    for task, policy in zip(itertools.cycle(tasks), itertools.cycle(policies), strict=False):
        state, status = env.reset(task), RUNNING
        while status == RUNNING:
            state, status = env.step(choose(policy, state, discrete), rng)
            steps += 1
        if time.perf_counter() - start > seconds:
            break
    return steps / (time.perf_counter() - start)

"""Whole episodes, step by step: for cloning an expert, for baselines, and for pictures."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
from taskspace.agents.adapters import as_policy
from taskspace.agents.policies import MLPPolicy
from taskspace.envs.base import Environment, Tasks, check_environment
from taskspace.envs.lanes import RUNNING, SOLVED
from taskspace.rollouts.compiled.loop import EnginePolicy
from taskspace.rollouts.compiled.python_policies import GENERAL_LANES, Lanes, choose_actions


@dataclass(frozen=True, eq=False)
class Episodes:
    """Steps of many episodes, one after the other; `starts[i]` is the first step of episode i.

    >>> import taskspace as ts
    >>> env = ts.make("MultiKeyNav")
    >>> from taskspace.agents.policies import ExpertPolicy
    >>> episodes = record(ExpertPolicy(env), env, env.sample_tasks(10, seed=0))
    >>> states, actions = episodes[0]
    >>> len(states) == len(actions) + 1
    True
    """

    states: NDArray[np.float64]  # (steps, columns), before the action
    actions: NDArray[Any]  # (steps,), or (steps, numbers) where actions are continuous
    next_states: NDArray[np.float64]  # (steps, columns)
    rewards: NDArray[np.float64]  # (steps,)
    solved: NDArray[np.bool_]  # (episodes,)
    starts: NDArray[np.int64]  # (episodes + 1,); the last entry is the number of steps

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of steps of each episode."""
        return np.diff(self.starts)

    def __len__(self) -> int:
        return len(self.solved)

    def __getitem__(self, episode: int) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """States (one more than actions) and actions of one episode, as `draw_episode` wants."""
        index = range(len(self))[operator.index(episode)]
        steps = slice(self.starts[index], self.starts[index + 1])
        states = np.vstack([self.states[steps], self.next_states[steps][-1:]])
        return states, self.actions[steps]


def record(agent: Any, env: Environment, tasks: ArrayLike, *, seed: int = 0) -> Episodes:
    """Play each task once and keep every state and action."""
    policy: Any = as_policy(agent, check_environment(env))
    if isinstance(policy, MLPPolicy):
        policy = EnginePolicy.prepare(policy, env)
    rows, key = env.check_tasks(tasks), checks.seed(seed)
    if not len(rows):
        raise ValueError("there are no tasks; expected at least one")
    parts = [
        _record_block(policy, env, rows, first, min(first + GENERAL_LANES, len(rows)), key)
        for first in range(0, len(rows), GENERAL_LANES)
    ]
    episode, moment = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    order = np.lexsort((moment, episode))
    columns = (np.concatenate([part[i] for part in parts])[order] for i in (2, 3, 4, 5))
    states, actions, next_states, rewards = columns
    solved = np.concatenate([part[6] for part in parts])
    starts = np.searchsorted(episode[order], np.arange(len(rows) + 1))
    return Episodes(states, actions, next_states, rewards, solved, starts)


def _record_block(
    policy: Any, env: Environment, tasks: Tasks, first: int, last: int, seed: int
) -> tuple[NDArray[Any], ...]:
    """Tasks first .. last - 1, a lane each: episode, moment, state, action, next state, reward."""
    lanes = Lanes.empty(env, GENERAL_LANES)
    count = last - first
    lanes.states[:] = tasks[first][:, None]
    lanes.status[count:] = SOLVED  # idle
    lanes.begin(np.arange(count), tasks, np.arange(first, last), 1, seed, 0)
    steps: list[tuple[NDArray[Any], ...]] = []
    while (playing := np.flatnonzero(lanes.status[:count] == RUNNING)).size:
        states, moment = lanes.states[:, playing].T.copy(), lanes.elapsed[playing].copy()
        actions = choose_actions(policy, env, lanes)
        lanes.step(env, actions)
        next_states = lanes.states[:, playing].T.copy()
        rewards = lanes.rewards[playing].copy()
        steps.append((first + playing, moment, states, actions[playing], next_states, rewards))
    joined = tuple(np.concatenate([step[i] for step in steps]) for i in range(6))
    return (*joined, lanes.status[:count] == SOLVED)

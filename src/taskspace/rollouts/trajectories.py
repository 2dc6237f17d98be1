"""Recorded episodes, step by step: for behavioural cloning, baselines and pictures."""

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
    """The steps of recorded episodes, one episode after the other.

    `episodes[i]` is a pair of the states and the actions of episode i, for `draw_episode`.

    Attributes:
        states: The states (steps, columns) before each action.
        actions: The actions: (steps,), or (steps, components) if they are continuous.
        next_states: The states (steps, columns) after each action.
        rewards: The rewards (steps,).
        solved: Whether each episode solved its task (episodes,).
        starts: The index of the first step of each episode, and last the number of steps
            (episodes + 1,).

    Example:
        >>> import taskspace as ts
        >>> env = ts.make("MultiKeyNav")
        >>> from taskspace.agents.policies import ExpertPolicy
        >>> episodes = record(ExpertPolicy(env), env, env.sample_tasks(10, seed=0))
        >>> states, actions = episodes[0]
        >>> len(states) == len(actions) + 1
        True
    """

    states: NDArray[np.float64]
    actions: NDArray[Any]
    next_states: NDArray[np.float64]
    rewards: NDArray[np.float64]
    solved: NDArray[np.bool_]
    starts: NDArray[np.int64]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of steps of each episode."""
        return np.diff(self.starts)

    def __len__(self) -> int:
        return len(self.solved)

    def __getitem__(self, episode: int) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """The states (one more than actions) and the actions of one episode."""
        index = range(len(self))[operator.index(episode)]
        steps = slice(self.starts[index], self.starts[index + 1])
        states = np.vstack([self.states[steps], self.next_states[steps][-1:]])
        return states, self.actions[steps]


def record(agent: Any, env: Environment, tasks: ArrayLike, *, seed: int = 0) -> Episodes:
    """Play each task once, and record every step.

    Args:
        agent: The agent.
        env: The environment.
        tasks: The tasks (tasks, columns).
        seed: The seed.

    Returns:
        One episode per task.

    Raises:
        TypeError: If the agent or the environment has the wrong type.
        ValueError: If the tasks or the seed are invalid, or if the agent does not fit the
            environment.

    Example:
        >>> import taskspace as ts
        >>> env = ts.make("CartPoleVar")
        >>> from taskspace.agents.policies import ExpertPolicy
        >>> record(ExpertPolicy(env), env, env.sample_tasks(3, seed=0)).lengths
        array([200, 200, 200])
    """
    policy: Any = as_policy(agent, check_environment(env))
    if isinstance(policy, MLPPolicy):
        policy = EnginePolicy.prepare(policy, env)
    rows, key = env.check_tasks(tasks), checks.seed(seed)
    if not len(rows):
        raise ValueError("tasks must be at least one task, got none")
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
    """Play tasks first .. last - 1, one per lane; returns one array per quantity."""
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

"""Batches of episodes ("lanes") that one compiled call steps.

Arrays have one column per lane: `states` is (state size, lanes), `streams` is (2, lanes). The
Gymnasium environments and the rollout engine use the same lane functions, so the environment's
scalar `step` is the only source of dynamics.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numba.extending import overload
from numpy.typing import NDArray

from taskspace.envs.compiling import build
from taskspace.envs.streams import integer, seed_stream, uniform
from taskspace.envs.views import column, row

RUNNING, SOLVED, FAILED, OUT_OF_TIME = 0, 1, 2, 3


@dataclass(frozen=True)
class LaneFunctions:
    """The compiled batch functions of one environment."""

    transition: Any  # one step of one episode: random failure, dynamics, horizon
    step: Any  # one step of all running lanes
    reset: Any  # a new task for each marked lane
    step_copies: Any  # one step of running lanes, and a new task for each of the others
    sample: Any  # a new task in each row of an array
    expert: Any | None  # the expert's action for each row of an array of states


def lane_functions(sample: Any, step: Any, expert: Any, reward: Any) -> LaneFunctions:
    """Build the batch functions from an environment's scalar ones."""
    transition, begin = build(_transition, step), build(_begin, sample)
    return LaneFunctions(
        transition=transition,
        step=build(_step_lanes, transition, reward or sparse_reward),
        reset=build(_reset_lanes, begin),
        step_copies=build(_step_copies, transition, begin, reward or sparse_reward),
        sample=build(_sample_rows, sample),
        expert=build(_expert_rows, expert) if expert is not None else None,
    )


def empty_lanes(state_size: int, lanes: int) -> tuple[NDArray[np.float64], NDArray[np.uint64]]:
    """States (state size, lanes) and streams (2, lanes), with each lane contiguous in memory."""
    return np.zeros((lanes, state_size)).T, np.zeros((lanes, 2), np.uint64).T


def action(actions: Any, lane: int) -> Any:
    """The action of a lane: a number of (lanes,), or a row of (lanes, components)."""
    return actions[lane]


@overload(action, inline="always")
def _action(actions, lane):
    if actions.ndim == 1:
        return lambda actions, lane: actions[lane]
    return lambda actions, lane: row(actions, lane)


@njit
def sparse_reward(state, status):
    """The paper's reward: 1 in the step that solves the task, else 0."""
    return 1.0 if status == SOLVED else 0.0


def _transition(step: Any) -> Callable[..., int]:
    def transition(state, action, stream, elapsed, gamma, horizon):
        # The random failure comes before the action takes effect.
        if gamma < 1.0 and uniform(stream) >= gamma:
            return FAILED
        status = step(state, action, stream)
        if status == RUNNING and elapsed + 1 >= horizon:
            return OUT_OF_TIME
        return status

    return transition


def _step_lanes(transition: Any, reward: Any) -> Callable[..., None]:
    def step_lanes(states, actions, streams, elapsed, status, rewards, gamma, horizon):
        for lane in range(states.shape[1]):
            rewards[lane] = 0.0
            if status[lane] == RUNNING:
                state, stream = column(states, lane), column(streams, lane)
                status[lane] = transition(
                    state, action(actions, lane), stream, elapsed[lane], gamma, horizon
                )
                elapsed[lane] += 1
                rewards[lane] = reward(state, status[lane])

    return step_lanes


def _reset_lanes(begin: Any) -> Callable[..., None]:
    def reset_lanes(states, streams, elapsed, status, marked, table, distribution):
        for lane in range(states.shape[1]):
            if marked[lane]:
                begin(column(states, lane), column(streams, lane), table, distribution)
                elapsed[lane] = 0
                status[lane] = RUNNING

    return reset_lanes


def _begin(sample: Any) -> Callable[..., None]:
    def begin(state, stream, table, distribution):
        """A new task from the table of tasks or, if that is empty, from the sampler."""
        if len(table):
            state[:] = row(table, integer(stream, len(table)))
        else:
            sample(state, stream, distribution)

    return begin


def _step_copies(transition: Any, begin: Any, reward: Any) -> Callable[..., None]:
    def step_copies(
        states, actions, streams, elapsed, status, gamma, horizon, table, distribution,
        rewards, terminated, truncated,
    ):  # fmt: skip
        """One step of each running copy, and a new task for each copy that has ended."""
        for lane in range(states.shape[1]):
            state, stream = column(states, lane), column(streams, lane)
            result, earned = RUNNING, 0.0
            if status[lane] == RUNNING:
                result = transition(
                    state, action(actions, lane), stream, elapsed[lane], gamma, horizon
                )
                elapsed[lane] += 1
                earned = reward(state, result)
            else:
                begin(state, stream, table, distribution)
                elapsed[lane] = 0
            status[lane] = result
            rewards[lane] = earned
        for lane in range(states.shape[1]):  # a separate loop, which is vectorized
            terminated[lane] = (status[lane] == SOLVED) | (status[lane] == FAILED)
            truncated[lane] = status[lane] == OUT_OF_TIME

    return step_copies


def _sample_rows(sample: Any) -> Callable[..., None]:
    def sample_rows(tasks, seed, distribution):
        stream = np.empty(2, np.uint64)
        for index in range(len(tasks)):
            seed_stream(stream, seed, 0, index, 0)
            sample(row(tasks, index), stream, distribution)

    return sample_rows


def _expert_rows(expert: Any) -> Callable[..., None]:
    def expert_rows(states, actions):
        for index in range(len(states)):
            actions[index] = expert(row(states, index))

    return expert_rows

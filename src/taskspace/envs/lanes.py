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
from taskspace.envs.normals import lane_normals
from taskspace.envs.streams import integer, seed_stream, uniform, uniform_bits, uniform_if
from taskspace.envs.views import column, row, stack_array

RUNNING, SOLVED, FAILED, OUT_OF_TIME = 0, 1, 2, 3
_BLOCK = 64  # lanes that take a substep together


@dataclass(frozen=True)
class LaneFunctions:
    """The compiled batch functions of one environment."""

    step: Any  # one step of all running lanes
    reset: Any  # a new task for each marked lane
    step_copies: Any  # one step of running lanes, and a new task for each of the others
    sample: Any  # a new task in each row of an array
    expert: Any | None  # the expert's action for each row of an array of states


def lane_functions(env: Any, reward: Any = None) -> LaneFunctions:
    """Build the batch functions from an environment's scalar ones; the reward is sparse if None."""
    begin, step = build(_begin, env.sample), step_function(env, reward)
    return LaneFunctions(
        step=step,
        reset=build(_reset_lanes, begin),
        step_copies=build(_step_copies, step, begin),
        sample=build(_sample_rows, env.sample),
        expert=build(_expert_rows, env.expert) if env.expert is not None else None,
    )


def step_function(env: Any, reward: Any = None) -> Any:
    """One step of all running lanes of an environment."""
    if env.normals:
        parts = env.step, reward or sparse_reward, env.substeps, env.normals
        return build(_step_with_normals, *parts)
    if env.substeps != 1:
        raise ValueError(f"substeps must be 1 without normals, got {env.substeps}")
    return build(_step_lanes, env.step, reward or sparse_reward)


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


def _step_lanes(step: Any, reward: Any) -> Callable[..., None]:
    def step_lanes(states, actions, streams, elapsed, status, rewards, gamma, horizon):
        # Nearly always in the engine. Then nothing is conditional, so that dynamics without
        # branches are vectorized; stores to some lanes only would make them slow on AVX2.
        if all_act(streams, status, gamma):
            for lane in range(len(status)):
                state, stream = column(states, lane), column(streams, lane)
                uniform_if(gamma < 1.0, stream)  # the one that `all_act` has seen
                result = step(state, action(actions, lane), stream)
                count_step(lane, result, elapsed, status, horizon)
                rewards[lane] = reward(state, status[lane])
            return
        for lane in range(len(status)):
            rewards[lane] = 0.0
            if status[lane] != RUNNING:
                continue
            state, stream = column(states, lane), column(streams, lane)
            # The random failure comes before the action takes effect.
            if gamma < 1.0 and uniform(stream) >= gamma:
                result = FAILED
            else:
                result = step(state, action(actions, lane), stream)
            count_step(lane, result, elapsed, status, horizon)
            rewards[lane] = reward(state, status[lane])

    return step_lanes


@njit
def all_act(streams, status, gamma):
    """Whether all lanes are running, and none fails at random before its next action."""
    ended, largest = np.int64(RUNNING), np.int64(0)
    for lane in range(len(status)):
        ended |= status[lane]
        if gamma < 1.0:
            largest = max(largest, uniform_bits(streams[0, lane], streams[1, lane]))
    return ended == RUNNING and largest * 2.0**-53 < gamma


@njit
def count_step(lane, result, elapsed, status, horizon):
    """Set the status of a lane after a step with this result."""
    elapsed[lane] += 1
    late = (result == RUNNING) & (elapsed[lane] >= horizon)
    status[lane] = OUT_OF_TIME if late else result


def _step_with_normals(step: Any, reward: Any, substeps: int, count: int) -> Callable[..., None]:
    def step_with_normals(states, actions, streams, elapsed, status, rewards, gamma, horizon):
        """The same, but all lanes take a substep before the next one, without branches.

        Both the random numbers and the dynamics are then vectorized. Lanes that have ended move
        on, too; at the end, they get back the states that they ended with.
        """
        # On the stack if sizes are constant: allocating memory takes as long as some substeps.
        running, moving = stack_array(np.bool_, _BLOCK), stack_array(np.bool_, _BLOCK)
        high, low = stack_array(np.int32, _BLOCK), stack_array(np.int32, _BLOCK)
        noise, spare = np.empty((count, _BLOCK), np.float32), stack_array(np.float32, _BLOCK)
        kept = np.empty((len(states), _BLOCK))
        for start in range(0, len(status), _BLOCK):
            lanes = min(_BLOCK, len(status) - start)
            ended = 0
            for index in range(lanes):
                lane = start + index
                moving[index], running[index] = True, status[lane] == RUNNING
                elapsed[lane] += running[index]
                ended |= status[lane]
            if gamma < 1.0:
                for index in range(lanes):
                    if running[index] and uniform(column(streams, start + index)) >= gamma:
                        status[start + index] = ended = FAILED
            if ended != RUNNING:
                keep_ended(states, status, start, lanes, moving, kept)
            for _ in range(substeps):
                for number in range(0, count, 2):
                    second = row(noise, number + 1) if number + 1 < count else spare
                    lane_normals(streams, status, start, row(noise, number), second, high, low)
                ending = 0
                for index in range(lanes):
                    lane = start + index
                    moved = step(column(states, lane), action(actions, lane), column(noise, index))
                    result = moved if status[lane] == RUNNING else RUNNING
                    status[lane] |= result
                    ending |= result
                if ending != RUNNING:
                    keep_ended(states, status, start, lanes, moving, kept)
            for index in range(lanes):
                if not moving[index]:
                    column(states, start + index)[:] = column(kept, index)
            for index in range(lanes):
                lane = start + index
                late = (status[lane] == RUNNING) & (elapsed[lane] >= horizon)
                status[lane] = OUT_OF_TIME if late else status[lane]
                earned = reward(column(states, lane), status[lane]) if running[index] else 0.0
                rewards[lane] = earned

    return step_with_normals


@njit
def keep_ended(states, status, start, lanes, moving, kept):
    """Copy the states of lanes that have ended and were moving until now."""
    for index in range(lanes):
        if moving[index] and status[start + index] != RUNNING:
            moving[index] = False
            column(kept, index)[:] = column(states, start + index)


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


def _step_copies(step_lanes: Any, begin: Any) -> Callable[..., None]:
    def step_copies(
        states, actions, streams, elapsed, status, gamma, horizon, table, distribution,
        rewards, terminated, truncated,
    ):  # fmt: skip
        """One step of each running copy, and a new task for each copy that has ended."""
        for lane in range(len(status)):
            terminated[lane] = status[lane] != RUNNING  # before this step
        step_lanes(states, actions, streams, elapsed, status, rewards, gamma, horizon)
        for lane in range(len(status)):
            if terminated[lane]:
                begin(column(states, lane), column(streams, lane), table, distribution)
                elapsed[lane] = 0
                status[lane] = RUNNING
        for lane in range(len(status)):  # a separate loop, which is vectorized
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

"""The general path: any policy, which acts in a batch of lanes, with compiled dynamics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.agents.policies import ExpertPolicy
from taskspace.envs.base import Environment, Tasks
from taskspace.envs.compiling import build
from taskspace.envs.lanes import OUT_OF_TIME, RUNNING, SOLVED, empty_lanes
from taskspace.envs.streams import seed_stream
from taskspace.rollouts.compiled.actions import draw_categorical, draw_gaussian
from taskspace.rollouts.compiled.loop import EnginePolicy, act_factory
from taskspace.rollouts.compiled.network import LANES
from taskspace.rollouts.errors import PolicyOutputError

GENERAL_LANES = 1024  # the number of actions that a policy chooses at a time


@dataclass
class Lanes:
    """Episodes in progress, one per column."""

    states: NDArray[np.float64]  # (columns, lanes)
    streams: NDArray[np.uint64]  # (2, lanes)
    elapsed: NDArray[np.int64]
    status: NDArray[np.int64]
    rewards: NDArray[np.float64]  # of the last step

    @classmethod
    def empty(cls, env: Environment, lanes: int) -> Lanes:
        """Lanes in which no episode has begun."""
        return cls(
            *empty_lanes(env.state_size, lanes),
            np.zeros(lanes, np.int64),
            np.full(lanes, RUNNING),
            np.zeros(lanes),
        )

    def begin(
        self, lanes: NDArray[np.int64], tasks: Tasks, episodes: NDArray[np.int64],
        rollouts: int, seed: int, agent: int,
    ) -> None:  # fmt: skip
        """Start these episodes (task * rollouts + rollout) in these lanes."""
        self.states[:, lanes] = tasks[episodes // rollouts].T
        self.elapsed[lanes] = 0
        self.status[lanes] = RUNNING
        build(_seed_factory)(self.streams, lanes, episodes, rollouts, seed, agent)

    def step(self, env: Environment, actions: NDArray[Any]) -> None:
        """One step of every running lane."""
        env.lanes.step(
            self.states, actions, self.streams, self.elapsed, self.status, self.rewards,
            env.gamma, env.horizon,
        )  # fmt: skip


def _seed_factory() -> Callable[..., None]:
    def seed_lanes(streams, lanes, episodes, rollouts, seed, agent):
        for index in range(len(lanes)):
            task, rollout = episodes[index] // rollouts, episodes[index] % rollouts
            seed_stream(streams[:, lanes[index]], seed, agent, task, rollout)

    return seed_lanes


def _draw_factory(draw: Any) -> Callable[..., None]:
    def draw_blocks(outputs, streams, actions, bound, squash):
        for start in range(0, streams.shape[1], LANES):
            block = outputs[:, start : start + LANES].copy()
            lanes = slice(start, start + LANES)
            draw(block, streams[:, lanes], actions[lanes], bound, squash)

    return draw_blocks


def choose_actions(policy: Any, env: Environment, lanes: Lanes) -> NDArray[Any]:
    """The policy's action in each lane, sampled with the lane's stream from a distribution."""
    if isinstance(policy, EnginePolicy):
        actions = policy.empty_actions(lanes.states.shape[1])
        act = build(act_factory, policy.draw)
        act(*policy.network, lanes.states, lanes.streams, actions)
        return actions
    if isinstance(policy, ExpertPolicy):
        return policy.act_on_states(np.ascontiguousarray(lanes.states.T))
    observations = np.ascontiguousarray(lanes.states.T, np.float32)
    output = policy(observations)
    if env.discrete:
        return _discrete_actions(output, env, lanes)
    return _continuous_actions(output, env, lanes)


def _discrete_actions(output: Any, env: Environment, lanes: Lanes) -> NDArray[np.int64]:
    count, actions = lanes.states.shape[1], len(env.action_names)
    values = as_array(output)
    if values is not None and values.shape == (count,) and values.dtype.kind in "iu":
        if values.min() < 0 or values.max() >= actions:
            span = f"{values.min()} to {values.max()}"
            raise PolicyOutputError(
                f"actions of {env.name} must be in 0 to {actions - 1}, got {span}"
            )
        return values.astype(np.int64)
    if values is None or values.shape != (count, actions) or values.dtype.kind != "f":
        raise PolicyOutputError(
            f"the output of the policy for {count} observations of {env.name} must be {count}"
            f" integers (actions) or numbers of shape ({count}, {actions}) (logits),"
            f" got {described(values)}"
        )
    if not np.isfinite(values.max(axis=1)).all():
        raise PolicyOutputError(
            "the logits of the policy must be finite or -infinity, and finite for some action,"
            " got NaN or infinity"
        )
    chosen = np.zeros(count, np.int64)
    logits = np.ascontiguousarray(values.T, np.float32)
    build(_draw_factory, draw_categorical)(logits, lanes.streams, chosen, 0.0, False)
    return chosen


def _continuous_actions(output: Any, env: Environment, lanes: Lanes) -> NDArray[np.float64]:
    shape = (lanes.states.shape[1], len(env.action_names))
    parts = [as_array(part) for part in (output if isinstance(output, tuple) else (output,))]
    arrays = [p for p in parts if p is not None and p.shape == shape and p.dtype.kind in "iuf"]
    if len(arrays) != len(parts) or len(parts) not in (1, 2):
        raise PolicyOutputError(
            f"the output of the policy for {shape[0]} observations of {env.name} must be actions of"
            f" shape {shape}, or a pair of means and log deviations of that shape, got"
            f" {', '.join(described(part) for part in parts) or 'nothing'}"
        )
    if not all(np.isfinite(array).all() for array in arrays):
        raise PolicyOutputError("the output of the policy must be finite, got NaN or infinity")
    if len(arrays) == 1:
        return arrays[0].astype(np.float64)
    chosen = np.zeros(shape)
    outputs = np.ascontiguousarray(np.hstack(arrays).T, np.float32)
    bound = float(env.action_bound or 0.0)
    build(_draw_factory, draw_gaussian)(outputs, lanes.streams, chosen, bound, False)
    return chosen


def as_array(part: Any) -> NDArray[Any] | None:
    """Convert what a policy returned to an array, also from a tensor; None if impossible."""
    if hasattr(part, "detach"):
        part = part.detach().cpu().numpy()
    try:
        return np.asarray(part)
    except (TypeError, ValueError):
        return None  # e.g. lists of different lengths


def described(values: NDArray[Any] | None) -> str:
    """Describe an array, for a message."""
    return "no array" if values is None else f"{values.dtype} of shape {values.shape}"


def play_general(
    policy: Any, env: Environment, tasks: Tasks, rollouts: int, first: int, last: int,
    seed: int, agent: int,
) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.float64]]:  # fmt: skip
    """Play episodes first .. last - 1 like the engine; returns solved, length and return."""
    solved, lengths = np.zeros(last - first, np.bool_), np.zeros(last - first, np.int64)
    returns = np.zeros(last - first)
    lanes = Lanes.empty(env, GENERAL_LANES)
    count = min(GENERAL_LANES, last - first)
    episode = np.full(GENERAL_LANES, -1)
    episode[:count] = np.arange(first, first + count)
    lanes.states[:] = tasks[first // rollouts][:, None]  # idle lanes need a state, too
    lanes.status[count:] = OUT_OF_TIME
    lanes.begin(np.arange(count), tasks, episode[:count], rollouts, seed, agent)
    earned = np.zeros(GENERAL_LANES)
    waiting = first + count
    while (episode >= 0).any():
        lanes.step(env, choose_actions(policy, env, lanes))
        earned += lanes.rewards
        ended = np.flatnonzero((lanes.status != RUNNING) & (episode >= 0))
        done = episode[ended] - first
        solved[done] = lanes.status[ended] == SOLVED
        lengths[done] = lanes.elapsed[ended]
        returns[done] = earned[ended]
        earned[ended] = 0.0
        fresh = np.arange(waiting, min(waiting + len(ended), last))
        waiting += len(fresh)
        episode[ended] = -1
        episode[ended[: len(fresh)]] = fresh
        lanes.begin(ended[: len(fresh)], tasks, fresh, rollouts, seed, agent)
    return solved, lengths, returns

"""What the tests of the environments share: streams for the plain twins, episodes, grids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from taskspace.envs.base import Environment
from taskspace.envs.lanes import RUNNING, empty_lanes
from taskspace.envs.normals import normal_pair
from taskspace.envs.streams import seed_stream, uniform

Stream = NDArray[np.uint64]


def new_stream(seed: int, agent: int = 0, task: int = 0, rollout: int = 0) -> Stream:
    stream = np.zeros(2, np.uint64)
    seed_stream(stream, seed, agent, task, rollout)
    return stream


class StreamRandom:
    """Looks like `random.Random`, draws from a compiled stream."""

    def __init__(self, stream: Stream) -> None:
        self.stream = np.array(stream, np.uint64)
        self._left: list[float] = []  # of a pair of normal numbers

    def random(self) -> float:
        return float(uniform(self.stream))

    def uniform(self, a: float, b: float, /) -> float:
        return a + (b - a) * self.random()

    def gauss(self, mu: float, sigma: float, /) -> float:
        if not self._left:
            self._left = [float(number) for number in normal_pair(self.stream)]
        return mu + sigma * self._left.pop(0)


class Batch:
    """Episodes of the compiled kernel, a lane for each state that they start from."""

    def __init__(
        self,
        env: Environment,
        starts: ArrayLike,
        *,
        gamma: float = 1.0,
        seed: int = 0,
        elapsed: int = 0,
    ) -> None:
        rows = np.atleast_2d(np.asarray(starts, np.float64))
        self.env, self.gamma = env, float(gamma)
        self.states, self.streams = empty_lanes(env.state_size, len(rows))
        self.states[:] = rows.T
        for lane in range(len(rows)):
            self.streams[:, lane] = new_stream(seed, task=lane)
        self.elapsed = np.full(len(rows), elapsed, np.int64)
        self.status = np.full(len(rows), RUNNING, np.int64)
        self.rewards = np.zeros(len(rows))

    def step(self, actions: ArrayLike) -> NDArray[np.int64]:
        """One step of the lanes that run; all statuses after it."""
        wanted = np.asarray(actions, np.int64 if self.env.discrete else np.float64)
        shape = (len(self.status), *wanted.shape[1:])
        batch = np.ascontiguousarray(np.broadcast_to(wanted, shape))
        self.env.lanes.step(
            self.states, batch, self.streams, self.elapsed, self.status, self.rewards,
            self.gamma, self.env.horizon,
        )  # fmt: skip
        return self.status.copy()


def play(
    env: Environment, start: ArrayLike, actions: Sequence[Any], **options: Any
) -> tuple[NDArray[np.float64], list[int]]:
    """One episode: the states (the start too) and the status after each action."""
    batch = Batch(env, start, **options)
    states, statuses = [batch.states[:, 0].copy()], []
    for action in actions:
        statuses.append(int(batch.step([action])[0]))
        states.append(batch.states[:, 0].copy())
    return np.array(states), statuses


def karel_task(
    cell: int = 5,
    heading: int = 0,
    *,
    to: int | None = None,
    facing: int | None = None,
    walls: Sequence[int] = (),
    markers: Sequence[int] = (),
    wanted: Sequence[int] | None = None,
) -> NDArray[np.float64]:
    """A BasicKarel state; the wanted grid is the current one in all that is not given."""
    task = np.zeros(88)
    task[list(walls)] = 1
    task[[16 + marker for marker in markers]] = 1
    task[[32 + marker for marker in (markers if wanted is None else wanted)]] = 1
    task[[48 + cell, 64 + (cell if to is None else to)]] = 1
    task[[80 + heading, 84 + (heading if facing is None else facing)]] = 1
    return task


def is_uniform(values: NDArray[np.float64], low: float, high: float) -> bool:
    return bool(stats.kstest(values, stats.uniform(low, high - low).cdf).pvalue > 0.001)


def is_fair(bits: NDArray[Any]) -> bool:
    return bool(abs(bits.mean() - 0.5) < 4 * np.sqrt(0.25 / len(bits)))

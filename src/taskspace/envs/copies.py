"""Copies of an environment that are stepped together, for its Gymnasium environments."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace.envs.base import Environment, Tasks, check_environment
from taskspace.envs.compiling import build
from taskspace.envs.lanes import OUT_OF_TIME, RUNNING, empty_lanes, lane_functions
from taskspace.envs.registry import make
from taskspace.envs.streams import seed_stream


class Copies:
    """The states of some copies of an environment, and the functions that change them."""

    def __init__(
        self,
        env: str | Environment,
        copies: int,
        tasks: ArrayLike | None,
        distribution: str,
        shaped: bool,
    ) -> None:
        self.env = make(env) if isinstance(env, str) else check_environment(env)
        if shaped and self.env.reward is None:
            raise ValueError(f"there is no shaped reward in {self.env.name}")
        cls = type(self.env)
        self.lanes = lane_functions(cls, cls.reward if shaped else None)
        self.distribution = self.env.distribution_index(distribution)
        self.table = self._task_table(tasks, distribution)
        self.states, self.streams = empty_lanes(self.env.state_size, copies)
        self.elapsed = np.zeros(copies, np.int32)
        self.status = np.full(copies, OUT_OF_TIME, np.int8)
        self.seeded = False

    def _task_table(self, tasks: ArrayLike | None, distribution: str) -> Tasks:
        """The tasks to draw from; empty if the environment's sampler makes them."""
        if tasks is not None:
            table = self.env.check_tasks(tasks)
            if not len(table):
                raise ValueError("tasks must be at least one task, got an empty array")
            return table
        known = self.env.table(distribution)
        return np.zeros((0, self.env.state_size)) if known is None else np.array(known)

    def seed(self, seeds: NDArray[np.int64], marked: NDArray[np.bool_]) -> None:
        """Give the marked copies the random streams of these seeds."""
        build(_seed_factory)(self.streams, seeds, marked)
        self.seeded = True

    def reset(self, marked: NDArray[np.bool_], tasks: Tasks | None = None) -> None:
        """Start episodes in the marked copies, on these tasks (one per copy) or on drawn ones."""
        if tasks is None:
            self.lanes.reset(
                self.states, self.streams, self.elapsed, self.status, marked,
                self.table, self.distribution,
            )  # fmt: skip
        else:
            rows = self.states.T  # contiguous, so whole rows are copied
            if marked.all():
                rows[:] = tasks
            else:
                rows[marked] = tasks[marked]
            self.elapsed[marked] = 0
            self.status[marked] = RUNNING

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
        """Observations, rewards, terminated, truncated; copies that had ended start a new task."""
        copies = len(self.status)
        rewards = np.empty(copies)
        terminated, truncated = np.empty(copies, np.bool_), np.empty(copies, np.bool_)
        self.lanes.step_copies(
            self.states, actions, self.streams, self.elapsed, self.status,
            self.env.gamma, self.env.horizon, self.table, self.distribution,
            rewards, terminated, truncated,
        )  # fmt: skip
        return self.observations(), rewards, terminated, truncated

    def observations(self) -> NDArray[np.float32]:
        """The states in single precision (copies, columns)."""
        return self.states.T.astype(np.float32)


def _seed_factory() -> Any:
    def seed_copies(streams, seeds, marked):
        for copy in range(len(seeds)):
            if marked[copy]:
                seed_stream(streams[:, copy], seeds[copy], 0, 0, 0)

    return seed_copies

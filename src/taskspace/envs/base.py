"""The contract of an environment: what a task is, what an action does, when a task is solved."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import gymnasium as gym
import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace.envs.lanes import LaneFunctions, lane_functions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Tasks = NDArray[np.float64]  # (tasks, columns)


@dataclass(frozen=True)
class Column:
    """One number of a state: its name and range at the start, and during an episode."""

    name: str
    low: float
    high: float
    whole: bool = False  # only whole numbers
    state_low: float | None = None  # during an episode, where it differs
    state_high: float | None = None

    def fault(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which of these starting values are not allowed."""
        wrong = ~((values >= self.low) & (values <= self.high))
        return wrong | (values != np.round(values)) if self.whole else wrong

    @property
    def expected(self) -> str:
        """What a starting value must be, in words."""
        if self.low == self.high:
            return f"{self.low:g}"
        if self.whole and self.high == self.low + 1:
            return f"{self.low:g} or {self.high:g}"
        return f"a {'whole ' if self.whole else ''}number in [{self.low:g}, {self.high:g}]"


class Environment:
    """What is to be solved: a space of tasks with one set of dynamics.

    A task is an initial state, a row of numbers. A subclass states the facts below, gives the
    scalar compiled functions `sample`, `step` and perhaps `expert` and `reward`, and says how
    tasks are checked, clustered and drawn. Everything else (batches, Gymnasium, the rollout
    engine) follows from these.
    """

    name: ClassVar[str]
    varies_by: ClassVar[str]  # what differs from task to task
    columns: ClassVar[tuple[Column, ...]]
    context: ClassVar[tuple[str, ...]]  # columns that are the task and not the situation
    action_names: ClassVar[tuple[str, ...]]
    action_bound: ClassVar[float | None] = (
        None  # continuous actions in [-bound, bound]; None: discrete
    )
    horizon: ClassVar[int]
    gamma: ClassVar[float]  # a step fails at random with probability 1 - gamma
    cluster_names: ClassVar[tuple[str, ...]]
    distributions: ClassVar[tuple[str, ...]] = ("all",)  # the whole task space, then biased ones

    # sample(task, stream, distribution) fills in a task; step(state, action, stream) changes the
    # state and returns RUNNING, SOLVED or FAILED; expert(state) returns an action;
    # reward(state, status) is the shaped reward of a step, for training only.
    sample: ClassVar[Any]
    step: ClassVar[Any]
    expert: ClassVar[Any] = None
    reward: ClassVar[Any] = None

    # -- what a subclass says ------------------------------------------------------------------

    def faults(self, tasks: Tasks) -> Iterator[tuple[NDArray[np.bool_], str]]:
        """Pairs of (which tasks are invalid, why) beyond each column's own range."""
        return iter(())

    def clusters(self, tasks: ArrayLike) -> NDArray[np.int64]:
        """The cluster of each task, an index into `cluster_names`."""
        raise NotImplementedError

    def draw_state(self, state: NDArray[np.float64], ax: Axes) -> None:
        """Draw a task, or the situation in the middle of an episode."""
        raise NotImplementedError

    def draw_path(self, states: NDArray[np.float64], actions: Any, ax: Axes) -> None:
        """Draw an episode: its states in order, and the action taken in each but the last."""
        raise NotImplementedError

    def text(self, state: NDArray[np.float64]) -> str:
        """The state as text, for a terminal."""
        return "  ".join(
            f"{c.name} {value:.3g}" for c, value in zip(self.columns, state, strict=True)
        )

    def table(self, distribution: str) -> Tasks | None:
        """All tasks of a distribution, where they are finitely many."""
        return None

    # -- what follows --------------------------------------------------------------------------

    @property
    def state_size(self) -> int:
        """How many columns a state has."""
        return len(self.columns)

    @property
    def state_names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def context_columns(self) -> NDArray[np.int64]:
        """Indices of the columns that make up the task (what PredModel must not see)."""
        return np.array([self.state_names.index(name) for name in self.context])

    @property
    def discrete(self) -> bool:
        """Whether an action is one of several, and not a row of numbers."""
        return self.action_bound is None

    @functools.cached_property
    def observation_space(self) -> gym.spaces.Box:
        """Gymnasium's space of states."""
        low = [c.low if c.state_low is None else c.state_low for c in self.columns]
        high = [c.high if c.state_high is None else c.state_high for c in self.columns]
        return gym.spaces.Box(
            np.array(low, np.float32), np.array(high, np.float32), dtype=np.float32
        )

    @functools.cached_property
    def action_space(self) -> gym.spaces.Discrete | gym.spaces.Box:
        """Gymnasium's space of actions."""
        if self.action_bound is None:
            return gym.spaces.Discrete(len(self.action_names))
        shape = (len(self.action_names),)
        return gym.spaces.Box(-self.action_bound, self.action_bound, shape, np.float32)

    @functools.cached_property
    def lanes(self) -> LaneFunctions:
        """The compiled batch functions."""
        cls = type(self)
        return lane_functions(cls.sample, cls.step, cls.expert, cls.reward)

    def distribution_index(self, distribution: str) -> int:
        """Check the name of a task distribution."""
        if distribution not in self.distributions:
            known = ", ".join(self.distributions)
            raise ValueError(
                f"{self.name} has no task distribution {distribution!r}; it has: {known}"
            )
        return self.distributions.index(distribution)

    def sample_tasks(self, n: int, *, seed: int | None = None, distribution: str = "all") -> Tasks:
        """Draw `n` tasks. Without a seed they differ from call to call.

        >>> import taskspace as ts
        >>> ts.make("MultiKeyNav").sample_tasks(3, seed=0).shape
        (3, 7)
        """
        index = self.distribution_index(distribution)
        if n < 0:
            raise ValueError(f"the number of tasks must not be negative, not {n}")
        key = check_seed(seed)
        table = self.table(distribution)
        if table is not None:
            if n > len(table):
                raise ValueError(
                    f"{self.name} has {len(table)} tasks in {distribution!r}; {n} were asked for"
                )
            return table[np.random.default_rng(key).choice(len(table), n, replace=False)]
        tasks = np.zeros((n, self.state_size))
        self.lanes.sample(tasks, key, index)
        return tasks

    def check_tasks(self, tasks: ArrayLike) -> Tasks:
        """The tasks as an array (tasks, columns), or a ValueError that says what is wrong."""
        array = _as_numbers(tasks, f"tasks of {self.name}")
        array = array[None] if array.ndim == 1 else array
        if array.ndim != 2 or array.shape[1] != self.state_size:
            raise ValueError(
                f"tasks of {self.name} have {self.state_size} columns"
                f" ({_shorten(self.state_names)}); got an array of shape {np.shape(tasks)}"
            )
        for column, values in zip(self.columns, array.T, strict=True):
            wrong = column.fault(values)
            if wrong.any():
                row = int(wrong.argmax())
                raise ValueError(
                    f"task {row} of {self.name}: {column.name} is {values[row]:g},"
                    f" expected {column.expected}"
                )
        for wrong, reason in self.faults(array):
            if wrong.any():
                raise ValueError(f"task {int(wrong.argmax())} of {self.name}: {reason}")
        return array

    def expert_actions(self, states: ArrayLike) -> NDArray[np.int64]:
        """What the expert does in each of these states (states, columns)."""
        if self.lanes.expert is None:
            raise ValueError(f"{self.name} has no expert")
        rows = np.ascontiguousarray(states, np.float64)
        actions = np.zeros(len(rows), np.int64)
        self.lanes.expert(rows, actions)
        return actions

    def draw_task(self, task: ArrayLike, ax: Axes | None = None) -> Axes:
        """Draw one task, on `ax` or a new figure."""
        state = self.check_tasks(task)[0]
        ax = ax if ax is not None else _new_axes()
        self.draw_state(state, ax)
        return ax

    def draw_episode(self, states: ArrayLike, actions: ArrayLike, ax: Axes | None = None) -> Axes:
        """Draw an episode, on `ax` or a new figure."""
        ax = ax if ax is not None else _new_axes()
        self.draw_path(np.asarray(states, np.float64), np.asarray(actions), ax)
        return ax

    def __repr__(self) -> str:
        return f"{self.name}({self.state_size} columns, {len(self.action_names)} actions)"


def check_seed(seed: int | None) -> int:
    """A seed as a whole number in 0 .. 2**63 - 1; None draws one from the operating system."""
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(1))
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**63:
        raise ValueError(f"a seed is a whole number from 0 to 2**63 - 1, not {seed!r}")
    return int(seed)


def _as_numbers(values: ArrayLike, what: str) -> NDArray[np.float64]:
    try:
        array = np.ascontiguousarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what} must be an array of numbers") from error
    if not np.isfinite(array).all():
        row = int(np.argwhere(~np.isfinite(array))[0][0])
        raise ValueError(f"{what} must be finite numbers; row {row} holds NaN or infinity")
    return array


def _shorten(names: Sequence[str], most: int = 8) -> str:
    shown = ", ".join(names[:most])
    return shown + (", …" if len(names) > most else "")


def _new_axes() -> Axes:
    from matplotlib.figure import Figure

    return Figure(figsize=(4, 3), layout="constrained").add_subplot()

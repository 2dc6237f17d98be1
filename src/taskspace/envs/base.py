"""The contract of an environment: what a task is, what an action does, when a task is solved."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import gymnasium as gym
import numpy as np
from numpy.typing import ArrayLike, NDArray

from taskspace import checks
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
    engine) follows from these. It needs `columns`, `action_names`, `horizon`, `sample` and
    `step`; the rest has defaults.
    """

    name: ClassVar[str]  # by default that of the class
    varies_by: ClassVar[str] = "task"  # what differs from task to task
    page_form: ClassVar[str] = "values"  # how the explorer's page asks for a new task
    columns: ClassVar[tuple[Column, ...]]
    context: ClassVar[tuple[str, ...]] = ()  # columns that are the task and not the situation
    action_names: ClassVar[tuple[str, ...]]
    action_bound: ClassVar[float | None] = (
        None  # continuous actions in [-bound, bound]; None: discrete
    )
    horizon: ClassVar[int]
    gamma: ClassVar[float] = 1.0  # a step fails at random with probability 1 - gamma
    cluster_names: ClassVar[tuple[str, ...]] = ("all tasks",)
    clusters_told: ClassVar[str] = "what the tasks are about; they were not used in learning"
    distributions: ClassVar[tuple[str, ...]] = ("all",)  # the whole task space, then biased ones
    fresh_distribution: ClassVar[str] = "all"  # of tasks that no agent has learned from

    # sample(task, stream, distribution) fills in a task; step(state, action, stream) changes the
    # state and returns RUNNING, SOLVED or FAILED; expert(state) returns an action;
    # reward(state, status) is the shaped reward of a step, for training only.
    sample: ClassVar[Any] = None
    step: ClassVar[Any] = None
    expert: ClassVar[Any] = None
    reward: ClassVar[Any] = None

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        if not hasattr(cls, "name"):
            cls.name = cls.__name__

    # -- what a subclass says ------------------------------------------------------------------

    def faults(self, tasks: Tasks) -> Iterator[tuple[NDArray[np.bool_], str]]:
        """Pairs of (which tasks are invalid, why) beyond each column's own range."""
        return iter(())

    def clusters(self, tasks: ArrayLike) -> NDArray[np.int64]:
        """The cluster of each task, an index into `cluster_names`."""
        return np.zeros(len(self.rows(tasks)), np.int64)

    def draw_state(self, state: NDArray[np.float64], ax: Axes) -> None:
        """Draw a task, or the situation in the middle of an episode."""
        ax.barh(self.state_names, state)

    def draw_path(self, states: NDArray[np.float64], actions: Any, ax: Axes) -> None:
        """Draw an episode: its states in order, and the action taken in each but the last."""
        ax.plot(states, label=self.state_names)
        ax.set_xlabel("step")
        ax.legend()

    @property
    def page_drawing(self) -> dict[str, Any] | None:
        """How the explorer's page draws a task: the kind of picture, and what it has to know."""
        return None

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
        return np.array([self.state_names.index(name) for name in self.context], np.int64)

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
        if cls.step is None:
            raise ValueError(
                f"{self.name} has no steps to play; its agents are played by"
                " taskspace.rollouts.karel"
            )
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
        n = checks.whole(n, "the number of tasks")
        key = checks.seed(seed)
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

    def rows(self, states: ArrayLike, what: str = "states") -> NDArray[np.float64]:
        """States, or one state, as an array (states, columns) of numbers."""
        array = checks.numbers(states, f"{what} of {self.name}")
        rows = array[None] if array.ndim == 1 else array
        if rows.ndim != 2 or rows.shape[1] != self.state_size:
            raise ValueError(
                f"{what} of {self.name} have {self.state_size} columns"
                f" ({_shorten(self.state_names)}); got an array of shape {array.shape}"
            )
        return rows

    def check_tasks(self, tasks: ArrayLike) -> Tasks:
        """The tasks as an array (tasks, columns), or a ValueError that says what is wrong."""
        array = self.rows(tasks, "tasks")
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
        rows = self.rows(states)
        actions = np.zeros(len(rows), np.int64)
        self.lanes.expert(rows, actions)
        return actions

    def draw_task(self, task: ArrayLike, ax: Axes | None = None) -> Axes:
        """Draw one task, on `ax` or a new figure."""
        tasks = self.check_tasks(task)
        if len(tasks) != 1:
            raise ValueError(f"expected one task to draw, not {len(tasks)}")
        ax = ax if ax is not None else _new_axes()
        self.draw_state(tasks[0], ax)
        return ax

    def draw_episode(self, states: ArrayLike, actions: ArrayLike, ax: Axes | None = None) -> Axes:
        """Draw an episode, on `ax` or a new figure."""
        rows, taken = self.rows(states), checks.array(actions, "actions")
        if len(rows) != len(taken) + 1:
            raise ValueError(
                f"an episode has one more state than actions; got {len(rows)} and {len(taken)}"
            )
        ax = ax if ax is not None else _new_axes()
        self.draw_path(rows, taken, ax)
        return ax

    def __repr__(self) -> str:
        return f"{self.name}({self.state_size} columns, {len(self.action_names)} actions)"


def check_environment(env: Any) -> Environment:
    """Check that this is one of our environments."""
    if isinstance(env, Environment):
        return env
    raise TypeError(f"expected an environment, as taskspace.make('MultiKeyNav') gives, not {env!r}")


def _shorten(names: Sequence[str], most: int = 8) -> str:
    shown = ", ".join(names[:most])
    return shown + (", …" if len(names) > most else "")


def _new_axes() -> Axes:
    from matplotlib.figure import Figure

    return Figure(figsize=(4, 3), layout="constrained").add_subplot()

"""The interface of an environment: what a task is, what an action does, when a task is solved."""

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
from taskspace.outcomes.feature_rows import in_order

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Tasks = NDArray[np.float64]  # (tasks, columns)

_CHECKED = 1000  # tasks at a time, whose columns are then read from the processor's cache


@dataclass(frozen=True)
class Column:
    """One number of a state: its name, and its range in tasks and during an episode.

    Attributes:
        name: The name of the column.
        low: The smallest value in a task (an initial state).
        high: The largest value in a task.
        integer: Whether all values in tasks are integers.
        state_low: The smallest value during an episode; `low` by default.
        state_high: The largest value during an episode; `high` by default.

    Example:
        >>> Column("fuel", 10, 40, integer=True, state_low=0).expected
        'an integer in [10, 40]'
    """

    name: str
    low: float
    high: float
    integer: bool = False
    state_low: float | None = None
    state_high: float | None = None

    def fault(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Mark the values that a task may not have.

        Args:
            values: The values of this column in several tasks.

        Returns:
            For each value, whether it is out of range or, in a column of integers, not an integer.
        """
        wrong = ~((values >= self.low) & (values <= self.high))
        return wrong | (values != np.round(values)) if self.integer else wrong

    @property
    def expected(self) -> str:
        """The values that a task may have, in words."""
        if self.low == self.high:
            return f"{self.low:g}"
        if self.integer and self.high == self.low + 1:
            return f"{self.low:g} or {self.high:g}"
        return f"{'an integer' if self.integer else 'a number'} in [{self.low:g}, {self.high:g}]"


class Environment:
    """A space of tasks with one set of dynamics, whose episodes run as compiled code.

    A task is an initial state, a row of numbers. A subclass sets the class attributes below. It
    needs `columns`, `action_names`, `horizon`, `sample` and `step`; the others have defaults. It
    may override the methods that check, cluster and draw tasks. Batches, the Gymnasium
    environments and the rollout engine are derived from these.

    Attributes:
        name: The name of the environment; by default that of the class.
        varies_by: What differs between tasks, e.g. "dynamics".
        page_form: The form with which the explorer's page asks for a new task.
        columns: The columns of a state.
        context: The names of the columns that define the task and never change in an episode.
        action_names: The names of the actions, or of the components of a continuous action.
        action_bound: Continuous actions lie in [-action_bound, action_bound]; None if actions are
            discrete.
        horizon: The largest number of steps in an episode.
        gamma: The probability that a step does not fail at random.
        goal: What an agent has to do, in one sentence for readers of a report; may be empty.
        cluster_names: The names of the clusters that `clusters` assigns.
        cluster_description: What the clusters mean, in words.
        distributions: The names of the task distributions; the first covers the whole task space.
        fresh_distribution: The distribution of tasks on which no agent was trained.
        sample: Compiled `sample(task, stream, distribution)`, which fills in a random task.
        step: Compiled `step(state, action, stream)`, which changes the state and returns RUNNING,
            SOLVED or FAILED.
        normals: How many standard normal numbers `step` takes. If not 0, it is called as
            `step(state, action, normals)`: they are drawn for many episodes at once, in single
            precision and in pairs, which is faster than drawing from a stream. Episodes that have
            ended are stepped along, without effect.
        substeps: How many calls of such a `step` make one step, unless one ends the episode.
        expert: Compiled `expert(state)`, which returns an action; None if there is no expert.
        reward: Compiled `reward(state, status)`, the shaped reward of a step, which is used in
            training only; None if there is no shaped reward.

    Example:
        >>> import taskspace as ts
        >>> ts.make("MultiKeyNav")
        MultiKeyNav(7 columns, 7 actions)
    """

    name: ClassVar[str]
    varies_by: ClassVar[str] = "task"
    page_form: ClassVar[str] = "values"
    columns: ClassVar[tuple[Column, ...]]
    context: ClassVar[tuple[str, ...]] = ()
    action_names: ClassVar[tuple[str, ...]]
    action_bound: ClassVar[float | None] = None
    horizon: ClassVar[int]
    gamma: ClassVar[float] = 1.0
    goal: ClassVar[str] = ""
    cluster_names: ClassVar[tuple[str, ...]] = ("all tasks",)
    cluster_description: ClassVar[str] = "what the tasks are about; they were not used in learning"
    distributions: ClassVar[tuple[str, ...]] = ("all",)
    fresh_distribution: ClassVar[str] = "all"

    sample: ClassVar[Any] = None
    step: ClassVar[Any] = None
    normals: ClassVar[int] = 0
    substeps: ClassVar[int] = 1
    expert: ClassVar[Any] = None
    reward: ClassVar[Any] = None

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        if not hasattr(cls, "name"):
            cls.name = cls.__name__

    # -- what a subclass may override ----------------------------------------------------------

    def faults(self, tasks: Tasks) -> Iterator[tuple[NDArray[np.bool_], str]]:
        """Check tasks for faults other than values outside a column's range.

        Args:
            tasks: Tasks (tasks, columns) whose values are all in range.

        Yields:
            For each kind of fault, the tasks that have it, as booleans, and its description.
        """
        return iter(())

    def clusters(self, tasks: ArrayLike) -> NDArray[np.int64]:
        """Assign each task to a cluster.

        Args:
            tasks: Tasks (tasks, columns), or one task.

        Returns:
            The cluster of each task, as an index into `cluster_names`.
        """
        return np.zeros(len(self.rows(tasks)), np.int64)

    def draw_state(self, state: NDArray[np.float64], ax: Axes) -> None:
        """Draw a task, or any other state of an episode.

        Args:
            state: The state.
            ax: The axes to draw on.
        """
        ax.barh(self.state_names, state)

    def draw_path(self, states: NDArray[np.float64], actions: Any, ax: Axes) -> None:
        """Draw an episode.

        Args:
            states: The states (steps + 1, columns) in order.
            actions: The action taken in each state but the last.
            ax: The axes to draw on.
        """
        ax.plot(states, label=self.state_names)
        ax.set_xlabel("step")
        ax.legend()

    @property
    def page_drawing(self) -> dict[str, Any] | None:
        """The kind of picture that the explorer's page draws of a task, with its parameters."""
        return None

    def text(self, state: NDArray[np.float64]) -> str:
        """Describe a state as text, e.g. for a terminal.

        Args:
            state: The state.

        Returns:
            One or more lines of text.
        """
        return "  ".join(
            f"{c.name} {value:.3g}" for c, value in zip(self.columns, state, strict=True)
        )

    def table(self, distribution: str) -> Tasks | None:
        """List all tasks of a distribution.

        Args:
            distribution: The name of the distribution.

        Returns:
            The tasks (tasks, columns), or None if they are generated and thus unlimited.
        """
        return None

    # -- what is derived -----------------------------------------------------------------------

    @property
    def state_size(self) -> int:
        """The number of columns of a state."""
        return len(self.columns)

    @property
    def state_names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def context_columns(self) -> NDArray[np.int64]:
        """The indices of the columns in `context`, which are hidden from PredModel."""
        return np.array([self.state_names.index(name) for name in self.context], np.int64)

    @property
    def discrete(self) -> bool:
        """Whether actions are discrete."""
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
                f"there are no steps in {self.name}; play its agents with"
                " taskspace.rollouts.karel.play"
            )
        return lane_functions(cls, cls.reward)

    def distribution_index(self, distribution: str) -> int:
        """Look up a task distribution.

        Args:
            distribution: The name of the distribution.

        Returns:
            Its index in `distributions`.

        Raises:
            ValueError: If there is no such distribution.
        """
        if distribution not in self.distributions:
            known = ", ".join(self.distributions)
            raise ValueError(
                f"there is no task distribution {distribution!r} in {self.name}; it has {known}"
            )
        return self.distributions.index(distribution)

    def sample_tasks(self, n: int, *, seed: int | None = None, distribution: str = "all") -> Tasks:
        """Sample tasks.

        Args:
            n: The number of tasks.
            seed: The seed; by default every call returns different tasks.
            distribution: The name of a task distribution, one of `distributions`.

        Returns:
            The tasks (n, columns).

        Raises:
            ValueError: If an argument is invalid, or if the distribution has fewer than `n` tasks.

        Example:
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
                    f"the number of tasks from {distribution!r} of {self.name} must be at most"
                    f" {len(table)}, got {n}"
                )
            return table[np.random.default_rng(key).choice(len(table), n, replace=False)]
        tasks = np.zeros((checks.tasks_in_memory(n, self.state_size), self.state_size))
        self.lanes.sample(tasks, key, index)
        return tasks

    def rows(self, states: ArrayLike, what: str = "states") -> NDArray[np.float64]:
        """Convert states to an array.

        Args:
            states: States (states, columns), or one state. The columns of a DataFrame may be in
                any order.
            what: What to call them in an error message.

        Returns:
            The states (states, columns).

        Raises:
            ValueError: If they are not finite numbers in the right number of columns.
        """
        of = f"{what} of {self.name}"
        array = checks.numbers(in_order(states, self.state_names, of), of)
        rows = array[None] if array.ndim == 1 else array
        if rows.ndim != 2 or rows.shape[1] != self.state_size:
            raise ValueError(
                f"{what} of {self.name} must be an array with {self.state_size} columns"
                f" ({_shorten(self.state_names)}), got shape {array.shape}"
            )
        return rows

    def check_tasks(self, tasks: ArrayLike) -> Tasks:
        """Check that tasks are valid.

        Args:
            tasks: Tasks (tasks, columns), or one task.

        Returns:
            The tasks as an array (tasks, columns).

        Raises:
            ValueError: If a task is invalid; the message names the first such task and its fault.
        """
        array = self.rows(tasks, "tasks")
        for start in range(0, len(array), _CHECKED):
            self._check_block(array[start : start + _CHECKED], start)
        return array

    def _check_block(self, tasks: Tasks, start: int) -> None:
        """Check tasks of which the first has the number `start`."""
        for column, values in zip(self.columns, tasks.T, strict=True):
            wrong = column.fault(values)
            if wrong.any():
                row = int(wrong.argmax())
                raise ValueError(
                    f"task {start + row} of {self.name}: {column.name} must be {column.expected},"
                    f" got {values[row]:g}"
                )
        for wrong, reason in self.faults(tasks):
            if wrong.any():
                raise ValueError(f"task {start + int(wrong.argmax())} of {self.name}: {reason}")

    def expert_actions(self, states: ArrayLike) -> NDArray[np.int64]:
        """Ask the expert for actions.

        Args:
            states: States (states, columns), or one state.

        Returns:
            The expert's action in each state.

        Raises:
            ValueError: If the environment has no expert, or if the states are invalid.
        """
        if self.lanes.expert is None:
            raise ValueError(f"there is no expert in {self.name}")
        rows = self.rows(states)
        actions = np.zeros(len(rows), np.int64)
        self.lanes.expert(rows, actions)
        return actions

    def draw_task(self, task: ArrayLike, ax: Axes | None = None) -> Axes:
        """Draw one task.

        Args:
            task: The task.
            ax: The axes to draw on; by default those of a new figure.

        Returns:
            The axes.

        Raises:
            ValueError: If the task is invalid, or if there are several.
        """
        tasks = self.check_tasks(task)
        if len(tasks) != 1:
            raise ValueError(f"task must be one task, got {len(tasks)} tasks")
        ax = ax if ax is not None else _new_axes()
        self.draw_state(tasks[0], ax)
        return ax

    def draw_episode(self, states: ArrayLike, actions: ArrayLike, ax: Axes | None = None) -> Axes:
        """Draw one episode.

        Args:
            states: The states (steps + 1, columns) in order.
            actions: The action taken in each state but the last.
            ax: The axes to draw on; by default those of a new figure.

        Returns:
            The axes.

        Raises:
            ValueError: If there is not exactly one state more than there are actions.
        """
        checks.listed(actions, "actions")
        rows, taken = self.rows(states), checks.array(actions, "actions")
        if len(rows) != len(taken) + 1:
            raise ValueError(
                f"states must be one more than the {len(taken)} actions, got {len(rows)} states"
            )
        ax = ax if ax is not None else _new_axes()
        self.draw_path(rows, taken, ax)
        return ax

    def __repr__(self) -> str:
        return f"{self.name}({self.state_size} columns, {len(self.action_names)} actions)"


def check_environment(env: Any) -> Environment:
    """Check that this is an `Environment`."""
    if isinstance(env, Environment):
        return env
    raise TypeError(
        f"the environment must be an Environment, got {checks.brief(env)}; use e.g."
        " taskspace.make('MultiKeyNav')"
    )


def _shorten(names: Sequence[str], most: int = 8) -> str:
    shown = ", ".join(names[:most])
    return shown + (", …" if len(names) > most else "")


def _new_axes() -> Axes:
    from matplotlib.figure import Figure

    return Figure(figsize=(4, 3), layout="constrained").add_subplot()

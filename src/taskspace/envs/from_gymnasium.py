"""A user's Gymnasium environment as a space of tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium as gym

from taskspace import checks
from taskspace.envs.base import Column, Tasks
from taskspace.envs.success_rules import At, EpisodeSummary, success_rule
from taskspace.envs.task_spaces import check_names, read_tasks, sample_rows, space_columns

Task = Mapping[str, float]  # from column names to numbers, whole ones as int


@dataclass(frozen=True)
class Spaces:
    """What agents meet in an environment: its spaces, and how long an episode may be."""

    name: str
    observation_space: gym.Space[Any]
    action_space: gym.Space[Any]
    max_steps: int

    @property
    def discrete(self) -> bool:
        """Whether an action is one of several."""
        return isinstance(self.action_space, gym.spaces.Discrete)


class GymEnvironment:
    """Any Gymnasium environment whose task can be set, for `evaluate`.

    `make` is the id of a registered environment or a function that makes one (an environment
    without `render_mode`; several copies are made). A task is a row of numbers, a column each.
    `set_task` says how a task is set:

    - `"options"`: `env.reset(options={column: number, …})`,
    - `"constructor"`: `make(column=number, …)`, a new environment for each task,
    - a function of `env.unwrapped` and the task, a dict from columns to numbers, called before
      each reset. What the environment derives from a number must be set along with it.

    `success` is the name of an entry of the info that is true (at the last step, or at any with
    `success_at="any"`), the least return (a number), or a function of an `EpisodeSummary`. What
    it means is written into the outcomes; the first line of a function's docstring says it.

    `space` is a Gymnasium space of tasks: Box, Discrete, MultiDiscrete, or a Dict of them (an
    entry of several numbers gives columns `name_0`, `name_1`, …). Tasks are sampled from it and
    must lie in it. `columns` are the names of the columns; they may be left out where a Dict
    space, or a DataFrame of tasks, names them. An episode ends after `max_steps`, by default
    those that the environment is registered with.

    >>> import gymnasium, taskspace as ts
    >>> def set_task(env, task):
    ...     env.gravity = task["gravity"]
    >>> env = GymEnvironment(
    ...     "CartPole-v1", set_task=set_task, success=475, columns=["gravity"],
    ...     space=gymnasium.spaces.Box(1.0, 20.0, (1,)),
    ... )
    >>> env.sample_tasks(3, seed=0).shape
    (3, 1)
    >>> outcomes = ts.evaluate(lambda states: (states[:, 3] > 0).astype(int), env, [[9.8], [20]])
    >>> outcomes.info["success"]
    'the return is at least 475'
    """

    def __init__(
        self,
        make: str | Callable[..., gym.Env[Any, Any]],
        *,
        set_task: str | Callable[[Any, dict[str, Any]], None],
        success: str | float | Callable[[EpisodeSummary], Any],
        success_at: At = "last",
        columns: Sequence[str] | None = None,
        space: gym.Space[Any] | None = None,
        max_steps: int | None = None,
        name: str | None = None,
    ) -> None:
        if isinstance(make, gym.Env) or not (isinstance(make, str) or callable(make)):
            raise TypeError(
                "make is the id of a registered environment or a function that makes one (copies"
                f" are needed), not {make!r}"
            )
        if isinstance(make, str):
            _check_id(make)
        if set_task not in ("options", "constructor") and not callable(set_task):
            raise ValueError(
                f"set_task must be 'options', 'constructor' or a function, not {set_task!r}"
            )
        self.make, self.set_task = make, set_task
        self.rule = success_rule(success, success_at)
        self.max_steps = None if max_steps is None else checks.whole(max_steps, "max_steps", 1)
        given = make if isinstance(make, str) else getattr(make, "__name__", "")
        self.name = name or (given if isinstance(make, str) or given.isidentifier() else "env")
        self.space = space
        names = None if columns is None else check_names(columns)
        self._ranges = None if space is None else space_columns(space, names)
        self.columns = names
        if self._ranges is not None:
            self.columns = check_names([column.name for column in self._ranges])

    # -- tasks -----------------------------------------------------------------------------------

    def sample_tasks(self, n: int, *, seed: int | None = None) -> Tasks:
        """Draw `n` tasks from the space. Without a seed they differ from call to call."""
        if self.space is None:
            raise ValueError(f"{self.name} has no space of tasks to sample from; pass space=")
        return sample_rows(self.space, n, seed)

    def check_tasks(self, tasks: Any) -> Tasks:
        """The tasks as an array (tasks, columns), or a ValueError that says what is wrong."""
        return self.read_tasks(tasks)[1]

    def read_tasks(self, tasks: Any) -> tuple[tuple[Column, ...], Tasks]:
        """Columns and rows of an array or a DataFrame of tasks, checked."""
        found, rows = read_tasks(tasks, self.columns, self.name)
        columns = tuple(found) if self._ranges is None else self._ranges
        for column, values in zip(columns, rows.T, strict=True):
            # A bound that a space keeps in single precision also holds for the number meant.
            wrong = column.fault(values) & column.fault(values.astype("f4").astype("f8"))
            if wrong.any():
                row = int(wrong.argmax())
                raise ValueError(
                    f"task {row} of {self.name}: {column.name} is {values[row]:g},"
                    f" expected {column.expected}"
                )
        return columns, rows

    # -- episodes --------------------------------------------------------------------------------

    def make_env(self, task: Task) -> gym.Env[Any, Any]:
        """A copy of the environment, for this task where tasks are set by the constructor."""
        keywords: dict[str, Any] = dict(task) if self.set_task == "constructor" else {}
        if isinstance(self.make, str):
            # The checker's advice is for authors; it would slow down every step.
            return gym.make(
                self.make, max_episode_steps=self.max_steps, disable_env_checker=True, **keywords
            )
        env = self.make(**keywords)
        if not isinstance(env, gym.Env):
            raise TypeError(f"{self.name}: make returned {env!r}, expected a gymnasium.Env")
        return env

    def begin(self, env: gym.Env[Any, Any], task: Task, seed: int) -> tuple[Any, dict[str, Any]]:
        """Set the task and reset: the first observation and info."""
        if callable(self.set_task):
            self.set_task(env.unwrapped, dict(task))
        options = dict(task) if self.set_task == "options" else None
        return env.reset(seed=seed, options=options)

    def spaces(self, task: Task) -> Spaces:
        """The spaces and the limit of steps, looked up in a copy made for this task."""
        env = self.make_env(task)
        try:
            registered = None if env.spec is None else env.spec.max_episode_steps
            limit = self.max_steps or registered
            if limit is None:
                raise ValueError(
                    f"{self.name} has no limit of steps, so an episode might never end;"
                    " pass max_steps="
                )
            return Spaces(self.name, env.observation_space, env.action_space, limit)
        finally:
            env.close()

    def __repr__(self) -> str:
        columns = "columns of its tasks" if self.columns is None else ", ".join(self.columns)
        return f"GymEnvironment({self.name}: {columns}; solved when {self.rule.words})"


def as_task(columns: Sequence[Column], row: Any) -> dict[str, Any]:
    """A row as a dict from columns to numbers."""
    return {
        column.name: int(value) if column.whole else float(value)
        for column, value in zip(columns, row, strict=True)
    }


def _check_id(name: str) -> None:
    if ":" in name:
        return  # names the module that registers it, which make imports
    try:
        gym.spec(name)
    except gym.error.Error as error:
        raise ValueError(f"there is no Gymnasium environment {name!r}: {error}") from error

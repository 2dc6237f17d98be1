"""Gymnasium environments of users as spaces of tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium as gym

from taskspace import checks
from taskspace.envs.base import Column, Tasks
from taskspace.envs.success_rules import At, EpisodeSummary, ReturnsOnly, success_rule
from taskspace.envs.task_spaces import check_names, read_tasks, sample_rows, space_columns

Task = Mapping[str, float]  # from column names to numbers; int in columns of integers


@dataclass(frozen=True)
class Spaces:
    """The spaces of an environment and the largest number of steps in an episode."""

    name: str
    observation_space: gym.Space[Any]
    action_space: gym.Space[Any]
    max_steps: int

    @property
    def discrete(self) -> bool:
        """Whether actions are discrete."""
        return isinstance(self.action_space, gym.spaces.Discrete)


class GymEnvironment:
    """A Gymnasium environment with a space of tasks, for `evaluate`.

    A task is a row of numbers, one per column. `set_task` is the way to set it:

    - `"options"`: `env.reset(options={column: number, …})`;
    - `"constructor"`: `make(column=number, …)`, which makes a new environment for each task;
    - a function that is called with `env.unwrapped` and the task, a dict from columns to numbers,
      before each reset. It must also set what the environment derives from these numbers.

    Args:
        make: The id of a registered environment, or a function that makes an environment. It is
            called several times, without `render_mode`.
        set_task: How a task is set: "options", "constructor" or a function.
        success: When an episode is a success: the name of an entry of `info` that must be true,
            the smallest return (a number), or a function of an `EpisodeSummary`. The first line of
            the function's docstring describes the rule in the outcomes. None if there is no notion
            of success: the outcomes are then returns.
        success_at: Whether the entry of `info` must be true at the "last" step or at "any" step.
        columns: The names of the columns; not needed if a Dict space or a DataFrame of tasks names
            them.
        space: A space that contains all tasks and from which tasks are sampled: Box, Discrete,
            MultiDiscrete, or a Dict of these. An entry of a Dict that has several numbers gives
            the columns `name_0`, `name_1`, ….
        max_steps: The largest number of steps in an episode; by default the limit with which the
            environment is registered.
        name: The name of the environment; by default its id or the name of the function.

    Raises:
        TypeError: If `make`, `success`, `columns` or `space` has the wrong type.
        ValueError: If there is no such Gymnasium environment, or if an argument is invalid.

    Example:
        >>> import gymnasium, taskspace as ts
        >>> def set_task(env, task):
        ...     env.gravity = task["gravity"]
        >>> env = GymEnvironment(
        ...     "CartPole-v1", set_task=set_task, success=475, columns=["gravity"],
        ...     space=gymnasium.spaces.Box(1.0, 20.0, (1,)),
        ... )
        >>> env.sample_tasks(3, seed=0).shape
        (3, 1)
        >>> agent = lambda states: (states[:, 3] > 0).astype(int)
        >>> ts.evaluate(agent, env, [[9.8], [20]]).info["success"]
        'the return is at least 475'
    """

    def __init__(
        self,
        make: str | Callable[..., gym.Env[Any, Any]],
        *,
        set_task: str | Callable[[Any, dict[str, Any]], None],
        success: str | float | Callable[[EpisodeSummary], Any] | None,
        success_at: At = "last",
        columns: Sequence[str] | None = None,
        space: gym.Space[Any] | None = None,
        max_steps: int | None = None,
        name: str | None = None,
    ) -> None:
        if isinstance(make, gym.Env) or not (isinstance(make, str) or callable(make)):
            raise TypeError(
                "make must be the id of a registered environment or a function that makes an"
                f" environment, got {checks.brief(make)}"
            )
        if isinstance(make, str):
            _check_id(make)
        if set_task not in ("options", "constructor") and not callable(set_task):
            raise ValueError(
                "set_task must be 'options', 'constructor' or a function,"
                f" got {checks.brief(set_task)}"
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
        """Sample tasks from the space.

        Args:
            n: The number of tasks.
            seed: The seed; by default every call returns different tasks.

        Returns:
            The tasks (n, columns). With the same seed, a larger `n` only adds tasks.

        Raises:
            ValueError: If there is no space, or if an argument is invalid.
        """
        if self.space is None:
            raise ValueError(f"there is no space of tasks in {self.name}; pass space=")
        return sample_rows(self.space, n, seed)

    def check_tasks(self, tasks: Any) -> Tasks:
        """Check that tasks are valid.

        Args:
            tasks: An array (tasks, columns), one task, or a DataFrame.

        Returns:
            The tasks as an array (tasks, columns).

        Raises:
            ValueError: If a task is invalid; the message names the first such task and its fault.
        """
        return self.read_tasks(tasks)[1]

    def read_tasks(self, tasks: Any) -> tuple[tuple[Column, ...], Tasks]:
        """Check tasks, and find their columns.

        Args:
            tasks: An array (tasks, columns), one task, or a DataFrame.

        Returns:
            The columns, and the tasks as an array (tasks, columns).

        Raises:
            ValueError: If a task is invalid, or if the columns have no names.
        """
        found, rows = read_tasks(tasks, self.columns, self.name)
        columns = tuple(found) if self._ranges is None else self._ranges
        for column, values in zip(columns, rows.T, strict=True):
            # Spaces hold bounds in single precision, so a number may be within them when rounded.
            wrong = column.fault(values) & column.fault(values.astype("f4").astype("f8"))
            if wrong.any():
                row = int(wrong.argmax())
                raise ValueError(
                    f"task {row} of {self.name}: {column.name} must be {column.expected},"
                    f" got {values[row]:g}"
                )
        return columns, rows

    # -- episodes --------------------------------------------------------------------------------

    def make_env(self, task: Task) -> gym.Env[Any, Any]:
        """Make a copy of the environment.

        Args:
            task: The task, which is set here only if `set_task` is "constructor".

        Returns:
            The copy.

        Raises:
            TypeError: If `make` returns something else.
        """
        keywords: dict[str, Any] = dict(task) if self.set_task == "constructor" else {}
        if isinstance(self.make, str):
            # Gymnasium's checker is for authors of environments, and would slow down every step.
            return gym.make(
                self.make, max_episode_steps=self.max_steps, disable_env_checker=True, **keywords
            )
        env = self.make(**keywords)
        if not isinstance(env, gym.Env):
            raise TypeError(
                f"what make returns for {self.name} must be a gymnasium.Env,"
                f" got {checks.brief(env)}"
            )
        return env

    def begin(self, env: gym.Env[Any, Any], task: Task, seed: int) -> tuple[Any, dict[str, Any]]:
        """Set the task and reset the environment.

        Args:
            env: A copy of the environment, from `make_env`.
            task: The task.
            seed: The seed of the episode.

        Returns:
            The first observation and info.
        """
        if callable(self.set_task):
            self.set_task(env.unwrapped, dict(task))
        options = dict(task) if self.set_task == "options" else None
        return env.reset(seed=seed, options=options)

    def spaces(self, task: Task) -> Spaces:
        """Look up the spaces of the environment and its limit of steps.

        Args:
            task: A task to make a copy of the environment for.

        Returns:
            The spaces and the limit.

        Raises:
            ValueError: If there is no limit of steps.
        """
        env = self.make_env(task)
        try:
            registered = None if env.spec is None else env.spec.max_episode_steps
            limit = self.max_steps or registered
            if limit is None:
                raise ValueError(
                    f"there is no limit of steps in {self.name}, so an episode might never end;"
                    " pass max_steps="
                )
            return Spaces(self.name, env.observation_space, env.action_space, limit)
        finally:
            env.close()

    def __repr__(self) -> str:
        columns = "columns of its tasks" if self.columns is None else ", ".join(self.columns)
        if isinstance(self.rule, ReturnsOnly):
            return f"GymEnvironment({self.name}: {columns}; outcomes are returns)"
        return f"GymEnvironment({self.name}: {columns}; solved when {self.rule.words})"


def as_task(columns: Sequence[Column], row: Any) -> dict[str, Any]:
    """Convert a row to a dict from columns to numbers."""
    return {
        column.name: int(value) if column.integer else float(value)
        for column, value in zip(columns, row, strict=True)
    }


def _check_id(name: str) -> None:
    if ":" in name:
        return  # names a module that registers it, which gym.make imports
    try:
        gym.spec(name)
    except gym.error.Error as error:
        raise ValueError(f"there is no environment {name!r} in Gymnasium; {error}") from error

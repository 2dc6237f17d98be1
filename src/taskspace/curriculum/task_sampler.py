"""`TaskSampler`: a Gymnasium wrapper that draws the task of every episode."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np

from taskspace import checks
from taskspace.curriculum.draws import DrawsTasks, TaskDraws
from taskspace.envs.success_rules import EpisodeSummary, InfoKey, success_rule
from taskspace.envs.task_spaces import check_names
from taskspace.envs.to_gymnasium import TaskEnv, task_table


class TaskSampler(DrawsTasks, gym.Wrapper[Any, Any, Any, Any]):
    """Draws a task at every reset, by weights that a curriculum sets.

    Training libraries reset environments within `step`, where no options reach them, so tasks are
    drawn here. At the end of an episode, `info["task"]` is the position of its task and
    `info["is_success"]` whether it was solved; `CurriculumCallback` reads both.

    Args:
        env: The environment. One of this library (`TaskEnv`) must have been made with `tasks`.
        tasks: The tasks to draw from: rows of numbers or any other objects. Not needed for an
            environment of this library.
        set_task: How a task is set: "options" for `env.reset(options=…)`, or a function that is
            called with `env.unwrapped` and the task before each reset.
        success: When an episode is a success: the name of an entry of `info`, the smallest return,
            or a function of an `EpisodeSummary`, as in `GymEnvironment`.
        columns: The names of the numbers of a task. If given, tasks are set as a dict from names to
            numbers, otherwise as they are, and in options as `{"task": task}`.
        seed: The seed of the draws; a seed given to `reset` replaces it.

    Raises:
        TypeError: If `success` has the wrong type.
        ValueError: If an argument is invalid, or if the first episode ends without the entry of
            `info` that `success` names.

    Example:
        >>> import gymnasium, taskspace as ts
        >>> tasks = ts.make("MultiKeyNav").sample_tasks(100, seed=0)
        >>> env = TaskSampler(gymnasium.make("taskspace/MultiKeyNav-v0", tasks=tasks))
        >>> env.set_task_weights([1] + 99 * [0])
        >>> env.reset(seed=0)[1]
        {'task': 0}
        >>> env.step(6)[4]  # finish, too early
        {'is_success': False, 'task': 0}
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        tasks: Any = None,
        *,
        set_task: str | Callable[[Any, Any], None] = "options",
        success: str | float | Callable[[EpisodeSummary], Any] = "is_success",
        columns: Sequence[str] | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(env)
        if set_task != "options" and not callable(set_task):
            raise ValueError(
                f"set_task must be 'options' or a function, got {checks.brief(set_task)}"
            )
        self._own = tasks is None and isinstance(env.unwrapped, TaskEnv)
        if self._own:
            tasks = task_table(env)
        if not checks.listed(tasks, "tasks"):
            raise ValueError("tasks must be at least one task, got none; give them to TaskEnv, too")
        self.tasks, self._set_task = tasks, set_task
        self._columns = None if columns is None else check_names(columns)
        self._check_columns()
        if success is None:
            raise TypeError(
                "success must be the name of an info entry, the smallest return or a function,"
                " because curricula learn from successes, got None"
            )
        self._rule = success_rule(success, "last")
        self._draws, self.position = TaskDraws(len(tasks), seed), -1
        self._rewards: list[float] = []
        self._key_seen = False  # whether an info had the entry that `success` names

    def _check_columns(self) -> None:
        if self._columns is None:
            return
        first = np.shape(self.tasks[0])
        if first != (len(self._columns),):
            raise ValueError(
                f"columns must be one name per number of a task, got {len(self._columns)} for a"
                f" task of shape {first}"
            )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Draw a task and start it.

        Args:
            seed: The seed of this episode and those that follow, and of the draws.
            options: `{"task_index": position}` to start a given task.

        Returns:
            The first observation, and an info with the position of the task.
        """
        if seed is not None:
            self._draws.reseed(seed)
        given = (options or {}).get("task_index")
        drawn = [given] if given is not None else self._draws.draw(1)
        self.position = int(checks.indices(drawn, len(self.tasks), "task_index")[0])
        self._rewards = []
        observation, info = self.env.reset(seed=seed, options=self._options())
        return observation, {**info, "task": self.position}

    def _options(self) -> dict[str, Any] | None:
        """Set the task, or return the options that do."""
        if self._own:
            return {"task_index": self.position}
        task = self._task()
        if callable(self._set_task):
            self._set_task(self.env.unwrapped, task)
            return None
        return task if isinstance(task, dict) else {"task": task}

    def _task(self) -> Any:
        task = self.tasks[self.position]
        return task if self._columns is None else dict(zip(self._columns, task, strict=True))

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Take one step; the info of the last one has "task" and "is_success".

        Args:
            action: The action.

        Returns:
            The observation, the reward, whether the episode terminated, whether it was truncated,
            and the info.
        """
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._rewards.append(float(reward))
        if terminated or truncated:
            task = self._task() if self._columns is not None else {}
            episode = EpisodeSummary(
                task, np.array(self._rewards), observation, info, bool(terminated), bool(truncated)
            )
            info = {**info, "is_success": self._solved(episode), "task": self.position}
        return observation, reward, terminated, truncated, info

    def _solved(self, episode: EpisodeSummary) -> bool:
        """Whether the episode was a success."""
        if isinstance(self._rule, InfoKey) and not self._key_seen:
            self._rule.check(episode.info, "the first finished episode")
            self._key_seen = True
        return self._rule.solved(episode, self._rule.noticed(episode.info, False))

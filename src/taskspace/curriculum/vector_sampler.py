"""`VectorTaskSampler`: draws the task of every episode in the library's vector environments."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector import VectorWrapper

from taskspace import checks
from taskspace.curriculum.draws import DrawsTasks, TaskDraws
from taskspace.envs.base import Tasks
from taskspace.envs.to_gymnasium import TaskVectorEnv, task_table


class VectorTaskSampler(DrawsTasks, VectorWrapper):
    """The same as `TaskSampler` for many copies that one compiled call steps.

    In other vector environments, wrap each copy in a `TaskSampler` and set the weights by
    `envs.call("set_task_weights", weights)`.

    Args:
        envs: The copies, which were made with `tasks`.
        seed: The seed of the draws; a seed given to `reset` replaces it.

    Raises:
        ValueError: If the copies are not a `TaskVectorEnv` with tasks.

    Example:
        >>> import gymnasium, taskspace as ts
        >>> tasks = ts.make("MultiKeyNav").sample_tasks(100, seed=0)
        >>> copies = gymnasium.make_vec("taskspace/MultiKeyNav-v0", num_envs=4, tasks=tasks)
        >>> envs = VectorTaskSampler(copies)
        >>> envs.reset(seed=0)[1]["task"].shape
        (4,)
        >>> envs.step(np.full(4, 6))[4]["is_success"].shape  # finish
        (4,)
    """

    def __init__(self, envs: TaskVectorEnv, *, seed: int | None = None) -> None:
        if not isinstance(getattr(envs, "unwrapped", None), TaskVectorEnv):
            raise ValueError(
                f"envs must be a TaskVectorEnv, got {checks.brief(envs)}; wrap the copies of other"
                " environments in TaskSampler"
            )
        self.tasks: Tasks = task_table(envs)
        if not len(self.tasks):
            raise ValueError("envs must be made with tasks, got copies that sample their own")
        super().__init__(envs)
        self._draws = TaskDraws(len(self.tasks), seed)
        self.positions = np.zeros(self.num_envs, np.int64)
        self._ended = np.zeros(self.num_envs, np.bool_)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Draw and start tasks in all copies, or in some of them.

        Args:
            seed: The seed of the first copy and of the draws, or one seed per copy.
            options: `{"reset_mask": mask}` with the copies to reset.

        Returns:
            The observations of all copies, and the positions of their tasks.
        """
        if isinstance(seed, (int, np.integer)):
            self._draws.reseed(int(seed))
        mask = (options or {}).get("reset_mask")
        marked = np.ones(self.num_envs, np.bool_) if mask is None else np.asarray(mask)
        self.positions[marked] = self._draws.draw(int(marked.sum()))
        observations, infos = self.env.reset(
            seed=seed,  # type: ignore[arg-type]
            options={"reset_mask": marked, "task_index": self.positions},
        )
        self._ended &= ~marked
        return observations, {**infos, "task": self.positions.copy()}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Take one step in every copy; copies that had ended start a new task.

        Args:
            actions: One action per copy.

        Returns:
            The observations, the rewards, which episodes terminated, which were truncated, and
            infos that have "task" and "is_success" in steps in which episodes end.
        """
        waiting = self._ended
        observations, rewards, terminated, truncated, infos = self.env.step(actions)
        if waiting.any():  # the copies have drawn tasks uniformly; these replace them
            observations, _ = self.reset(options={"reset_mask": waiting})
        self._ended = terminated | truncated
        if self._ended.any():
            infos = {**infos, "task": self.positions.copy(), "_task": self._ended.copy()}
        return observations, rewards, terminated, truncated, infos

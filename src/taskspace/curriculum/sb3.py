"""`CurriculumCallback`: a curriculum in the training of a Stable-Baselines3 model."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

try:
    from stable_baselines3.common.callbacks import BaseCallback
except ImportError as error:
    raise ImportError(
        "CurriculumCallback needs Stable-Baselines3; install it with: pip install 'taskspace[rl]'"
    ) from error

from taskspace import checks
from taskspace.curriculum.curriculum import Curriculum
from taskspace.curriculum.same_tasks import check_same_tasks
from taskspace.files import check_target

_TOGETHER = 100  # episodes that are shown together, which takes less time


class CurriculumCallback(BaseCallback):  # type: ignore[misc]
    """Shows finished episodes to a curriculum, and sets its weights in all environments.

    The environments must be wrapped in `TaskSampler` (in a `DummyVecEnv` or `SubprocVecEnv`), or be
    an `SB3Env` of a `VectorTaskSampler`. What `Curriculum.log` returns goes to the logger of the
    model, and thus to TensorBoard, as `curriculum/…`.

    Args:
        curriculum: The curriculum, on the same tasks in the same order; others are refused when
            the training starts.
        path: A file to which the curriculum is saved after every rollout; None saves nothing.

    Attributes:
        curriculum: The curriculum.

    Raises:
        TypeError: If `curriculum` is not a `Curriculum`.
        OSError: If the file cannot be written.

    Example:
        >>> import gymnasium, taskspace as ts
        >>> from stable_baselines3 import PPO
        >>> tasks = ts.make("MultiKeyNav").sample_tasks(100, seed=0)
        >>> env = ts.TaskSampler(gymnasium.make("taskspace/MultiKeyNav-v0", tasks=tasks))
        >>> callback = CurriculumCallback(ts.Curriculum(tasks, seed=0))
        >>> model = PPO("MlpPolicy", env, n_steps=128, batch_size=128, device="cpu", seed=0)
        >>> _ = model.learn(1024, callback=callback)
        >>> callback.curriculum.updates > 0
        True
    """

    def __init__(self, curriculum: Curriculum, path: str | os.PathLike[str] | None = None) -> None:
        super().__init__()
        if not isinstance(curriculum, Curriculum):
            raise TypeError(f"curriculum must be a Curriculum, got {checks.brief(curriculum)}")
        self.curriculum = curriculum
        self.path: Path | None = None if path is None else check_target(path)
        self._sent = -1
        self._ended: list[dict[str, Any]] = []  # infos of finished episodes

    def _on_training_start(self) -> None:
        check_same_tasks(self.curriculum.tasks, self._call("task_fingerprint"))
        self._send()

    def _on_step(self) -> bool:
        dones = self.locals["dones"]
        if dones.any():
            infos = self.locals["infos"]
            self._ended += [infos[copy] for copy in np.flatnonzero(dones)]
            if len(self._ended) >= _TOGETHER:
                self._observe()
        return True

    def _on_rollout_end(self) -> None:
        self._observe()
        for name, value in self.curriculum.log().items():
            self.logger.record(f"curriculum/{name}", value)
        if self.path is not None:
            self.curriculum.save(self.path)

    def _observe(self) -> None:
        """Show finished episodes to the curriculum, and send its weights if they have changed."""
        ended, self._ended = self._ended, []
        if ended:
            self.curriculum.observe(*_results(ended))
        if self.curriculum.updates != self._sent:
            self._send()

    def _send(self) -> None:
        """Set the weights in all environments."""
        self._call("set_task_weights", self.curriculum.weights())
        self._sent = self.curriculum.updates

    def _call(self, method: str, *arguments: Any) -> list[Any]:
        """Call a method of the samplers in all environments."""
        try:
            found: list[Any] = self.training_env.env_method(method, *arguments)
        except (AttributeError, NotImplementedError) as error:
            raise ValueError(
                "the environment must be wrapped in taskspace.TaskSampler, got one without"
                f" {method}"
            ) from error
        return found


def _results(infos: list[dict[str, Any]]) -> tuple[list[int], list[bool]]:
    """The tasks and successes in the infos of finished episodes."""
    for info in infos:
        missing = [name for name in ("task", "is_success") if name not in info]
        if missing:
            raise ValueError(
                f"the info of a finished episode must have {missing[0]!r}, got"
                f" {', '.join(map(repr, info)) or 'an empty one'}; wrap the environment in"
                " taskspace.TaskSampler"
            )
    return [int(info["task"]) for info in infos], [bool(info["is_success"]) for info in infos]

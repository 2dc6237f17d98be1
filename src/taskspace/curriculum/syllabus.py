"""A curriculum for trainings that use Syllabus. Needs the `syllabus` extra."""

from __future__ import annotations

import functools
from typing import Any

from taskspace import checks
from taskspace.curriculum.curriculum import Curriculum


def syllabus_curriculum(curriculum: Curriculum, task_space: Any, **options: Any) -> Any:
    """Make a Syllabus curriculum that follows a `Curriculum`.

    Syllabus encodes a task as its position in the task space, which must be the position in the
    curriculum too. An episode is a success if its progress (`info["task_completion"]`) reaches 1.

    Args:
        curriculum: The curriculum.
        task_space: The task space of Syllabus, with as many tasks.
        **options: Other options of Syllabus's base class.

    Returns:
        An instance of a subclass of `syllabus.core.Curriculum`.

    Raises:
        ImportError: If Syllabus is not installed.
        TypeError: If `curriculum` is not a `Curriculum`.
        ValueError: If the numbers of tasks differ.
    """
    if not isinstance(curriculum, Curriculum):
        raise TypeError(f"curriculum must be a Curriculum, got {checks.brief(curriculum)}")
    made = _subclass()(task_space, **options)
    if made.num_tasks != len(curriculum.tasks):
        raise ValueError(
            f"task_space must be {len(curriculum.tasks)} tasks, one per task of the curriculum,"
            f" got {checks.brief(made.num_tasks)}"
        )
    made.curriculum = curriculum
    return made


@functools.cache
def _subclass() -> Any:
    try:
        from syllabus.core import Curriculum as Base
    except ImportError as error:
        raise ImportError(
            "syllabus_curriculum needs Syllabus; install it with: pip install 'taskspace[syllabus]'"
        ) from error

    class SyllabusCurriculum(Base):  # type: ignore[misc]
        """Draws by the weights of a curriculum, and shows it finished episodes."""

        curriculum: Curriculum

        def _sample_distribution(self) -> list[float]:
            """The probability of each task, as a list: Syllabus compares it with []."""
            weights: list[float] = self.curriculum.weights().tolist()
            return weights

        def update_on_episode(
            self, episode_return: float, length: int, task: Any, progress: float, env_id: Any = None
        ) -> None:
            """Take in a finished episode."""
            super().update_on_episode(episode_return, length, task, progress, env_id)
            self.curriculum.observe([int(task)], [float(progress) >= 1.0])

    return SyllabusCurriculum

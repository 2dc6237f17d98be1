"""The adapter for Syllabus, with the installed package."""

from __future__ import annotations

import numpy as np
import pytest

import taskspace as ts
from taskspace.curriculum.curriculum import UPDATE
from taskspace.curriculum.syllabus import syllabus_curriculum
from tests.messages import says

TASKS = np.random.default_rng(0).uniform(size=(30, 2))


def test_without_a_curriculum() -> None:
    with pytest.raises(TypeError, match=says("curriculum")):
        syllabus_curriculum("curriculum", None)  # type: ignore[arg-type]


def test_it_samples_and_learns() -> None:
    pytest.importorskip("syllabus")
    from syllabus.task_space import DiscreteTaskSpace

    curriculum = ts.Curriculum(TASKS, seed=0, handover=False)
    made = syllabus_curriculum(curriculum, DiscreteTaskSpace(30))
    for _ in range(UPDATE):
        (task,) = made.sample()
        made.update_on_episode(float(task < 5), 7, task, float(task < 5))
    assert curriculum.updates == 1
    np.testing.assert_allclose(made._sample_distribution(), curriculum.weights())
    assert len(made.sample(k=4)) == 4


def test_numbers_of_tasks_must_agree() -> None:
    pytest.importorskip("syllabus")
    from syllabus.task_space import DiscreteTaskSpace

    with pytest.raises(ValueError, match=says("task_space 30 10")):
        syllabus_curriculum(ts.Curriculum(TASKS, seed=0), DiscreteTaskSpace(10))

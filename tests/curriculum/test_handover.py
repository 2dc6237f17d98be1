"""The more the learner solves, the more is uniform."""

from __future__ import annotations

import numpy as np
import pytest

import taskspace as ts
from taskspace.curriculum.curriculum import UPDATE
from taskspace.curriculum.handover import COMPLETE, NEVER, uniform_share


def test_the_share_rises_with_success_on_the_target_only() -> None:
    target = np.array([0.0, 0.5, 0.5])
    assert uniform_share(np.array([1.0, 0.0, 0.0]), target, 0.2) == pytest.approx(0.2)
    half = uniform_share(np.full(3, COMPLETE / 2), target, 0.2)
    assert half == pytest.approx(0.6)
    assert uniform_share(np.array([0.0, 1.0, 0.9]), target, 0.2) == 1.0


@pytest.mark.parametrize("handover", [0.5, False])
def test_training_is_handed_over_to_uniform_tasks(handover: float) -> None:
    tasks = np.linspace(0, 1, 100)[:, None]
    curriculum = ts.Curriculum(tasks, seed=0, handover=handover)
    shares = []
    for level in (0.05, 0.3, 0.9):
        for _ in range(10):
            chosen = curriculum.sample(UPDATE)
            curriculum.observe(chosen, tasks[chosen, 0] < level)
        shares.append(curriculum.log()["uniform_share"])
    if not handover:
        assert shares == [0.5, 0.5, 0.5]
        return
    assert 0.5 < shares[0] < 0.7 < shares[1] < shares[2] == 1.0
    np.testing.assert_allclose(curriculum.weights(), 1 / 100)


def test_the_default_hands_over_without_a_target_only() -> None:
    tasks = np.linspace(0, 1, 100)[:, None]
    target = tasks[:, 0] > 0.9
    assert ts.Curriculum(tasks, seed=0).handover == COMPLETE
    assert ts.Curriculum(tasks, target=target, seed=0).handover == NEVER
    assert ts.Curriculum(tasks, target=target, handover=True, seed=0).handover == COMPLETE

"""Targets: which tasks stand for them, and how similar the others are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from taskspace.curriculum.targets import STANDING_FOR, make_target, raw_similarity
from tests.messages import says

TASKS = np.random.default_rng(0).normal(size=(400, 2)) * [1, 100]


def test_chosen_tasks_are_target_tasks() -> None:
    wanted = TASKS[:, 0] > 0
    found = make_target(wanted, TASKS, TASKS, None, np.random.default_rng(0))
    assert wanted[found.chosen].all()
    assert len(found.chosen) == STANDING_FOR
    assert found.weights.sum() == pytest.approx(1)
    np.testing.assert_allclose(found.similarity[found.chosen].diagonal(), 1, atol=1e-3)


def test_raw_similarity_is_the_plain_formula() -> None:
    scaled = TASKS / TASKS.std(0)
    plain = np.exp(-np.linalg.norm(scaled[:5, None] - scaled[None, :3], axis=2))
    np.testing.assert_allclose(raw_similarity(TASKS, TASKS[:3])[:5], plain, atol=1e-6)


def test_a_model_gives_the_similarity() -> None:
    class Model:
        def similarity(self, tasks: Any, others: Any) -> Any:
            return np.full((len(tasks), len(others)), 0.25)

    found = make_target(np.arange(400) < 3, TASKS, TASKS, Model(), np.random.default_rng(0))
    assert found.similarity.shape == (400, 3)
    assert (found.similarity == 0.25).all()


@pytest.mark.parametrize("given", [[True], np.zeros(400), -np.ones(400), "all"])
def test_bad_targets_are_refused(given: Any) -> None:
    with pytest.raises(ValueError, match=says("target")):
        make_target(given, TASKS, TASKS, None, np.random.default_rng(0))
    with pytest.raises(ValueError, match=says("target features")):
        make_target([1.0], ["a"], None, None, np.random.default_rng(0))

"""A saved success model predicts the same without torch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from taskspace.models.success.model import SuccessModel
from taskspace.models.success.stored import StoredModel
from taskspace.outcomes.outcomes import Outcomes
from tests.messages import says

RNG = np.random.default_rng(0)
TASKS = RNG.uniform(size=(350, 2))
SOLVED = (RNG.uniform(size=(12, 1, 2)) > TASKS).all(2).astype(int)
ONCE = np.array(1)


def saved(outcomes: Outcomes, folder: Path) -> tuple[SuccessModel, StoredModel]:
    model = SuccessModel(width=8, epochs=1, random_state=0, progress=False).fit(outcomes)
    model.save(folder)
    stored = StoredModel.load(folder)
    assert stored is not None
    return model, stored


def test_it_predicts_the_same_bits(tmp_path: Path) -> None:
    model, stored = saved(Outcomes(SOLVED, ONCE, features=TASKS), tmp_path / "model")
    for tasks in (TASKS, TASKS[3]):
        np.testing.assert_array_equal(stored.predict_proba(tasks), model.predict_proba(tasks))
    np.testing.assert_array_equal(stored.difficulty(TASKS), model.difficulty(TASKS))
    near = stored.similarity(TASKS[:2], TASKS)
    np.testing.assert_array_equal(near, model.similarity(TASKS[:2], TASKS))
    np.testing.assert_array_equal(stored.sample_, model.sample_)
    assert stored.test_scores_ == model.test_scores_


def test_names_are_found(tmp_path: Path) -> None:
    model, stored = saved(Outcomes(SOLVED[:, :30], ONCE), tmp_path / "model")
    np.testing.assert_array_equal(stored.predict_proba("task-3"), model.predict_proba("task-3"))
    with pytest.raises(ValueError, match=says("'nowhere' 30")):
        stored.predict_proba(["nowhere"])


def test_bad_tasks_are_refused(tmp_path: Path) -> None:
    _, stored = saved(Outcomes(SOLVED, ONCE, features=TASKS), tmp_path / "model")
    for tasks, tokens in (
        (np.ones((3, 5)), "tasks 2 features 5"),
        ([[0.1, np.nan]], "tasks NaN"),
        (["task-1"], "features names"),
    ):
        with pytest.raises(ValueError, match=says(tokens)):
            stored.predict_proba(tasks)


def test_damage_is_noticed(tmp_path: Path) -> None:
    saved(Outcomes(SOLVED, ONCE, features=TASKS), tmp_path / "model")
    weights = tmp_path / "model" / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\0")
    with pytest.raises(ValueError, match=says("damaged weights.safetensors")):
        StoredModel.load(tmp_path / "model")
    with pytest.raises(FileNotFoundError, match=says("success-model.json")):
        StoredModel.load(tmp_path)

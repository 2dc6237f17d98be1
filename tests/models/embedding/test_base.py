"""What all embeddings share: vectors, inner products, lengths and directions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import taskspace as ts
from taskspace import Outcomes, TaskEmbedder
from taskspace.models.embedding.base import Embedding, features_of
from taskspace.models.embedding.random_model import RandomModel
from taskspace.models.embedding.storage import State
from tests.messages import says

TASKS = np.array([[3.0, 4.0], [0.0, 0.0], [1.0, -1.0]])


class Double(Embedding):
    """Twice the features."""

    def fit(self, X: Any) -> Double:
        self._validated(X)
        self.n_components_ = self.n_features_in_
        return self

    def _vectors(self, tasks: Any) -> Any:
        return 2 * tasks

    def _state(self) -> State:
        return State({}, {})

    def _restore(self, state: State) -> None:
        pass


def test_everything_follows_from_the_vectors() -> None:
    model = Double().fit(TASKS)
    np.testing.assert_array_equal(model.transform(TASKS), 2 * TASKS)
    np.testing.assert_array_equal(model.points(TASKS), 2 * TASKS)
    np.testing.assert_array_equal(model.similarity(TASKS, TASKS[:2]), 4 * TASKS @ TASKS[:2].T)
    np.testing.assert_allclose(model.difficulty(TASKS), [10, 0, 8**0.5])
    half = 0.5**0.5
    expected = np.array([[0.6, 0.8], [0.0, 0.0], [half, -half]])
    np.testing.assert_allclose(model.direction(TASKS), expected)


def test_one_task_is_accepted_too() -> None:
    model = Double().fit(TASKS)
    np.testing.assert_array_equal(model.similarity(TASKS[0], TASKS[2]), [[-4.0]])
    assert model.difficulty(TASKS[0]).tolist() == [10.0]
    np.testing.assert_allclose(model.direction(TASKS[0]), [[0.6, 0.8]])


def test_an_unfitted_model_says_so(tmp_path: Path) -> None:
    for action in (lambda: RandomModel().transform([[1.0]]), lambda: RandomModel().save(tmp_path)):
        with pytest.raises(NotFittedError):
            action()


@pytest.mark.parametrize(
    ("tasks", "tokens"),
    [
        (["task-0", "task-1"], "tasks features names"),
        (np.array(["task-0"]), "tasks features names"),
        ([[0.0, np.nan]], "tasks finite row 1"),
        ([[0.0, 1e308]], "tasks features 1e+308"),
        ([[0.0, 1.0, 2.0]], "features 3 2"),
    ],
)
def test_other_tasks_are_refused(tasks: Any, tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        Double().fit(TASKS).transform(tasks)


def test_vectors_that_are_not_finite_are_refused() -> None:
    model = Double().fit(TASKS)
    model._vectors = lambda tasks: np.full((len(tasks), 2), np.nan)  # type: ignore[method-assign]
    for ask in (model.transform, model.difficulty, model.direction, model.points):
        with pytest.raises(ValueError, match=says("vectors finite")):
            ask(TASKS)


def test_outcomes_without_tasks_are_refused() -> None:
    with pytest.raises(ValueError, match=says("outcomes features")):
        features_of(ts.Outcomes([[1]], 1))  # type: ignore[arg-type]


def test_tables_of_pandas_and_polars_are_wanted_of_transform_alone() -> None:
    solved = np.random.default_rng(0).integers(0, 2, (40, 6))
    outcomes = Outcomes(solved, np.ones_like(solved))
    embedder = TaskEmbedder(2, random_state=0).fit(outcomes)
    vectors, similar = embedder.transform([0, 1]), embedder.similarity([0], [1, 2])
    for package in ("pandas", "polars"):
        table = embedder.set_output(transform=package).transform([0, 1])
        assert list(table.columns) == ["v0", "v1"]
        np.testing.assert_array_equal(table.to_numpy(), vectors)
        np.testing.assert_array_equal(embedder.similarity([0], [1, 2]), similar)
        assert isinstance(embedder.direction([0]), np.ndarray)
        assert isinstance(embedder.information([0]), np.ndarray)

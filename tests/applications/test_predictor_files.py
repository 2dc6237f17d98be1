"""Files of predictors: the same bits again, and everything else is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.applications.predictor import PerformancePredictor
from taskspace.applications.predictor_files import FORMAT, FORMAT_VERSION
from taskspace.files import write_arrays
from taskspace.outcomes.outcomes import Outcomes
from tests.applications.predictors import (
    FEATURES,
    KNOWN,
    PREDICTOR,
    Kinds,
    Plain,
    predictor_of,
    table,
    two_kinds,
)
from tests.messages import says


@pytest.mark.parametrize("features", [True, False])
def test_a_saved_predictor_gives_the_same_bits(features: bool, tmp_path: Path) -> None:
    solved = two_kinds(12, np.random.default_rng(4))[:, 5:15]
    places = {"features": np.arange(10.0)[:, None]} if features else {}
    predictor = PerformancePredictor().fit(table(solved, 1, tasks=list("abcdefghij"), **places))
    predictor.save(tmp_path / "predictor.npz")
    loaded = PerformancePredictor.load(tmp_path / "predictor.npz")
    assert loaded.tasks_.tolist() == list("abcdefghij")
    for name, value in vars(predictor.posterior_).items():
        np.testing.assert_array_equal(getattr(loaded.posterior_, name), value)
    quiz, results = ["a", "j"], [1, 0]
    for one, other in zip(
        ts.predict(predictor, quiz, results, ["b", "i"], interval=0.9),
        ts.predict(loaded, quiz, results, ["b", "i"], interval=0.9),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)
    if features:
        np.testing.assert_array_equal(loaded.numbers([[3.0], [0.0]]), [3, 0])


def test_an_embedder_is_given_again(tmp_path: Path) -> None:
    predictor, path = predictor_of(Plain()), tmp_path / "predictor.npz"
    predictor.save(path)
    new = FEATURES[:2] + 0.1
    with pytest.raises(ValueError, match="embedder"):
        PerformancePredictor.load(path).predict_proba([0], [1], new)
    loaded = PerformancePredictor.load(path, embedder=Plain())
    np.testing.assert_array_equal(
        loaded.predict_proba([0], [1], new), predictor.predict_proba([0], [1], new)
    )


def test_a_predictor_of_a_model_is_saved_without_the_model(tmp_path: Path) -> None:
    path, model = tmp_path / "predictor.npz", Kinds()
    rows = model.sample_[:5]
    names = [f"question {number}" for number in range(5)]
    fitted = PerformancePredictor(random_state=3).fit(model).over(rows, names)
    fitted.save(path)
    with pytest.raises(ValueError, match=says(f"{path} model")):
        PerformancePredictor.load(path)
    loaded = PerformancePredictor.load(path, model=model)
    assert loaded.tasks_.tolist() == names
    for tasks in (names[1:], model.sample_[5:8]):
        expected = fitted.predict_proba(names[:1], [1], tasks)
        np.testing.assert_array_equal(loaded.predict_proba(names[:1], [1], tasks), expected)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nothing\.npz"):
        PerformancePredictor.load(tmp_path / "nothing.npz")


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "predictor.npz"
    PREDICTOR.save(path)
    whole = path.read_bytes()
    for place in range(0, len(whole), 97):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x40]) + whole[place + 1 :])
        with pytest.raises(ValueError, match="damaged"):
            PerformancePredictor.load(path)
    for size in (0, 1, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(ValueError, match="damaged"):
            PerformancePredictor.load(path)
    path.write_bytes(whole)
    assert PerformancePredictor.load(path).tasks_.tolist() == PREDICTOR.tasks_.tolist()


@pytest.mark.parametrize(
    ("form", "token"),
    [
        (["taskspace outcomes", "1"], "taskspace outcomes"),
        ([FORMAT, str(FORMAT_VERSION + 1)], "update"),
        ([FORMAT, "newest"], "not a predictor"),
        ([FORMAT], "not a predictor"),
        (None, "not a predictor"),
    ],
)
def test_a_file_in_another_format_is_refused(form: Any, token: str, tmp_path: Path) -> None:
    path = tmp_path / "other.npz"
    arrays = {} if form is None else {"format": np.array(form)}
    write_arrays({**arrays, "tasks": KNOWN.tasks}, path)
    with pytest.raises(ValueError, match=token):
        PerformancePredictor.load(path)


def test_a_file_of_outcomes_is_no_predictor(tmp_path: Path) -> None:
    KNOWN.save(tmp_path / "outcomes.npz")
    with pytest.raises(ValueError, match="predictor"):
        PerformancePredictor.load(tmp_path / "outcomes.npz")


def test_dependent_tasks_survive_a_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    solved = rng.random((200, 12)) < 1 / (1 + np.exp(-rng.normal(size=(200, 1))))
    solved[:, 1] = solved[:, 0]
    fitted = PerformancePredictor().fit(Outcomes(1 * solved, np.array(1)))
    found = fitted.posterior_.dependence
    assert found is not None
    assert found.pairs.tolist() == [[0, 1]]
    fitted.save(tmp_path / "predictor.npz")
    read = PerformancePredictor.load(tmp_path / "predictor.npz")
    for predictor in (fitted, read):
        failed, passed = (predictor.predict_proba([0], [result], [1, 2]) for result in (0, 1))
        assert passed[0] - failed[0] > 0.5 > passed[1] - failed[1]
    np.testing.assert_array_equal(passed, fitted.predict_proba([0], [1], [1, 2]))
    order = fitted.predict_proba([0, 3], [1, 0], [1, 2])  # the order of the answers is irrelevant
    np.testing.assert_allclose(fitted.predict_proba([3, 0], [0, 1], [1, 2]), order, atol=1e-6)

"""A saved map answers the same without torch and scikit-learn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.models.embedding.random_model import RandomModel
from taskspace.models.embedding.stored import facts, load_stored
from tests.messages import says

RNG = np.random.default_rng(0)
TASKS = RNG.uniform(size=(60, 2))
SOLVED = RNG.binomial(3, 1 / (1 + np.exp(-6 * (RNG.uniform(size=(20, 1, 2)) - TASKS).mean(2))))
THRICE = np.array(3)
NAMED, DESCRIBED = ts.Outcomes(SOLVED, THRICE), ts.Outcomes(SOLVED, THRICE, features=TASKS)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def fitted(kind: str) -> tuple[Any, Any]:
    """A map, and tasks for it."""
    described = kind.endswith("features")
    if kind.startswith("ordinal"):
        embedder: Any = ts.OrdinalEmbedder(2, steps=20, random_state=0, progress=False)
    else:
        model = ts.SuccessModel(width=8, epochs=1, random_state=0, progress=False)
        embedder = ts.TaskEmbedder(2, model=model if described else None, random_state=0)
    known = DESCRIBED if described else NAMED
    return embedder.fit(known), known.task_inputs[::7]


@pytest.mark.parametrize("kind", ["map", "map of features", "ordinal", "ordinal of features"])
def test_it_answers_the_same_bits(kind: str, tmp_path: Path) -> None:
    embedder, tasks = fitted(kind)
    embedder.save(tmp_path / "map")
    stored = load_stored(tmp_path / "map")
    assert stored is not None
    assert stored.n_components_ == embedder.n_components_
    for question in ("transform", "direction", "points", "difficulty"):
        found, expected = (getattr(each, question)(tasks) for each in (stored, embedder))
        np.testing.assert_array_equal(found, expected, err_msg=question)
    near = embedder.similarity(tasks[0], tasks)
    np.testing.assert_array_equal(stored.similarity(tasks[0], tasks), near)
    assert facts(tmp_path / "map") == (kind == "map of features", "information")


def test_other_networks_need_torch(tmp_path: Path) -> None:
    RandomModel(2, random_state=0).fit(TASKS).save(tmp_path / "map")
    assert load_stored(tmp_path / "map") is None


@pytest.mark.parametrize("kind", ["map of features", "ordinal of features"])
def test_bad_tasks_are_refused(kind: str, tmp_path: Path) -> None:
    embedder, _ = fitted(kind)
    embedder.save(tmp_path / "map")
    stored: Any = load_stored(tmp_path / "map")
    for tasks, tokens in (
        (np.ones((3, 5)), "tasks 2 features 5"),
        ([[0.1, np.nan]], "tasks NaN"),
        (["task-1"], "features names"),
    ):
        with pytest.raises(ValueError, match=says(tokens)):
            stored.transform(tasks)


@pytest.mark.parametrize("kind", ["map", "ordinal"])
def test_damage_is_noticed(kind: str, tmp_path: Path) -> None:
    fitted(kind)[0].save(tmp_path / "map")
    weights = tmp_path / "map" / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\1")
    with pytest.raises(ValueError, match=says("damaged weights.safetensors")):
        load_stored(tmp_path / "map")

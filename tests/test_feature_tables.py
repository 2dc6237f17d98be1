"""Every function that takes features of tasks finds the columns of a DataFrame by their names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import taskspace as ts
from tests import tolerances
from tests.bad_inputs.subjects import (
    FEATURES,
    ROWS,
    environment,
    featured,
    featured_map,
    featured_model,
    model_predictor,
    ordinal_map,
    policy,
    saved,
)

# The columns are in another order, there is one more, and the rows are not numbered from 0.
FRAME = pd.DataFrame(ROWS, columns=list(FEATURES)).assign(topic="sums")[
    ["topic", *reversed(FEATURES)]
]
FRAME.index = pd.Index(range(5, 5 + len(ROWS))[::-1])
NEW = [[0.2, 0.9], [0.8, 0.1]]
NEW_FRAME = pd.DataFrame(NEW, columns=list(FEATURES))[[*reversed(FEATURES)]]


def _features_of_outcomes(tasks: Any) -> Any:
    made = ts.Outcomes(
        featured().successes, featured().rollouts, features=tasks, feature_names=FEATURES
    )
    return made.features


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "transform": lambda tasks: featured_map().transform(tasks),
    "difficulty": lambda tasks: featured_map().difficulty(tasks),
    "similarity": lambda tasks: featured_map().similarity(tasks, tasks),
    "points": lambda tasks: featured_map().points(tasks),
    "ordinal": lambda tasks: ordinal_map().transform(tasks),
    "predict_proba": lambda tasks: featured_model().predict_proba(tasks),
    "predict": lambda tasks: ts.predict(model_predictor(), tasks, np.arange(len(ROWS)) % 2, tasks),
    "over": lambda tasks: model_predictor().over(tasks).predict_proba([0], [1], [1, 2, 3]),
    "select": lambda tasks: ts.select(
        featured_map(), tasks.iloc[0] if isinstance(tasks, pd.DataFrame) else tasks[0], tasks
    ),
    "index": lambda tasks: ts.TaskIndex.of(featured_map(), tasks).vectors,
    "outcomes": _features_of_outcomes,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_columns_may_be_in_any_order(name: str, recwarn: pytest.WarningsRecorder) -> None:
    expected = FUNCTIONS[name](ROWS)
    recwarn.clear()
    assert np.allclose(FUNCTIONS[name](FRAME), expected, atol=tolerances.CHANCE)
    assert not recwarn.list


def test_a_saved_map_knows_the_names(tmp_path: Path) -> None:
    for fitted in (featured_map(), ordinal_map()):
        loaded = type(fitted).load(saved(fitted, tmp_path / type(fitted).__name__))
        assert loaded.feature_names_ == FEATURES
        assert np.array_equal(loaded.transform(NEW_FRAME), fitted.transform(NEW))


def test_a_saved_success_model_knows_the_names(tmp_path: Path) -> None:
    loaded = ts.SuccessModel.load(saved(featured_model(), tmp_path / "model"))
    assert np.array_equal(loaded.predict_proba(NEW_FRAME), featured_model().predict_proba(NEW))


def test_a_saved_predictor_knows_the_names(tmp_path: Path) -> None:
    fitted = ts.PerformancePredictor().fit(featured())
    loaded = ts.PerformancePredictor.load(saved(fitted, tmp_path / "predictor.npz"))
    for predictor in (fitted, loaded):
        assert predictor.numbers(FRAME).tolist() == list(range(len(ROWS)))


def test_a_pretrained_map_knows_the_columns_of_its_environment() -> None:
    env, embedder = environment(), ts.load_pretrained("MultiKeyNav")
    tasks = env.sample_tasks(5, seed=0)
    frame = pd.DataFrame(tasks, columns=list(env.state_names))[[*reversed(env.state_names)]]
    assert np.array_equal(embedder.transform(frame), embedder.transform(tasks))


def test_an_environment_finds_its_columns() -> None:
    env = environment()
    tasks = env.sample_tasks(5, seed=0)
    frame = pd.DataFrame(tasks, columns=list(env.state_names))[[*reversed(env.state_names)]]
    assert np.array_equal(env.check_tasks(frame), tasks)
    one, other = (ts.evaluate(policy(), env, each, 2) for each in (tasks, frame))
    assert np.array_equal(one.successes, other.successes)

"""Maps that ship with the package."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import taskspace as ts
from taskspace.models.embedding.pretrained import FOLDER, METHODS, load_pretrained
from tests.messages import says

NAMES = ["BasicKarel", "CartPoleVar", "MultiKeyNav", "PointMass"]


@pytest.mark.parametrize("method", METHODS)
def test_there_is_one_for_each_environment_of_the_paper(method: str) -> None:
    assert sorted(path.name for path in (FOLDER / method).iterdir() if path.is_dir()) == NAMES


@pytest.mark.parametrize(("name", "method"), itertools.product(NAMES, METHODS))
def test_it_embeds_tasks_of_its_environment(name: str, method: str) -> None:
    env, embedder = ts.make(name), load_pretrained(name.upper(), method)  # type: ignore[call-overload]
    assert embedder.n_features_in_ == env.state_size
    tasks = env.sample_tasks(20, seed=0)
    vectors = embedder.transform(tasks)
    assert vectors.shape == (20, embedder.n_components_)
    assert np.isfinite(vectors).all()
    assert not np.array_equal(vectors[0], vectors[1])


def test_the_difficulty_of_an_information_map_is_a_probability() -> None:
    env, embedder = ts.make("MultiKeyNav"), load_pretrained("MultiKeyNav")
    difficulty = embedder.difficulty(env.sample_tasks(50, seed=0))
    assert ((difficulty >= 0) & (difficulty <= 1)).all()


def test_other_environments_and_methods_have_none() -> None:
    with pytest.raises(ValueError, match=says("Karel MultiKeyNav PointMass")):
        load_pretrained("Karel")
    with pytest.raises(ValueError, match=says("'Nothing'")):
        load_pretrained("Nothing")
    with pytest.raises(ValueError, match=says("method information ordinal 'best'")):
        load_pretrained("MultiKeyNav", "best")  # type: ignore[call-overload]

"""Embedders that ship with the package."""

from __future__ import annotations

import numpy as np
import pytest

import taskspace as ts
from taskspace.models.embedding.pretrained import FOLDER, load_pretrained
from tests.messages import says

NAMES = sorted(path.name for path in FOLDER.iterdir() if path.is_dir())


def test_there_is_one_for_each_environment_of_the_paper() -> None:
    assert NAMES == ["BasicKarel", "CartPoleVar", "MultiKeyNav", "PointMass"]


@pytest.mark.parametrize("name", NAMES)
def test_it_embeds_tasks_of_its_environment(name: str) -> None:
    env, embedder = ts.make(name), load_pretrained(name.upper())
    assert embedder.n_features_in_ == env.state_size
    # Row 0 of the identity, where it is no task, is as good as any: the network takes numbers.
    vectors = embedder.transform(np.eye(env.state_size)[:2])
    assert vectors.shape == (2, embedder.n_components_)
    assert np.isfinite(vectors).all()
    assert not np.array_equal(vectors[0], vectors[1])


def test_other_environments_have_none() -> None:
    with pytest.raises(ValueError, match=says("Karel MultiKeyNav PointMass")):
        load_pretrained("Karel")
    with pytest.raises(ValueError, match=says("'Nothing'")):
        load_pretrained("Nothing")

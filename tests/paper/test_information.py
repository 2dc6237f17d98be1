"""The information map of a study, and how it judges tasks."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.paper import information
from taskspace.paper.study import Study


@pytest.mark.parametrize(("name", "sizes"), [("MultiKeyNav", [6]), ("PointMass", [3, 6])])
def test_maps_have_the_dimensions_of_table_1_and_six(name: str, sizes: list[int]) -> None:
    assert information.sizes(name) == sizes


@pytest.mark.slow
def test_the_map_is_that_of_a_success_model_of_the_same_agents(study: Study) -> None:
    made = study.map_of("MultiKeyNav")
    embedder = information.information_map(study, made, 0)
    assert embedder.n_components_ == 6
    assert list(embedder.model_.agents_) == list(made.outcomes.agents)
    assert information.information_map(study, made, 0, 2).n_components_ == 2
    tasks = made.environment.sample_tasks(30, seed=9)
    found = information.judge(embedder, tasks)
    vectors = embedder.transform(tasks)
    np.testing.assert_allclose(found.similarity, vectors @ vectors.T, atol=1e-9)
    np.testing.assert_allclose(found.difficulty, embedder.model_.difficulty(tasks), atol=1e-9)

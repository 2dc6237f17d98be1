"""The baseline embeddings: their sizes, their seeds, and that they are made once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import taskspace as ts
from taskspace.paper import baselines
from taskspace.paper.study import Study
from taskspace.runs.run import Run
from taskspace.runs.sources.plans import ordinal_plan


@pytest.fixture
def made() -> Run:
    """Outcomes that fall with the number of keys still to be picked."""
    env, rng = ts.make("MultiKeyNav"), np.random.default_rng(0)
    features = env.sample_tasks(60, seed=0)
    rates = rng.uniform(0.2, 1, (12, 1)) * (1 - 0.9 * env.clusters(features) / 10)
    outcomes = ts.Outcomes(rng.binomial(10, rates), np.array(10), features=features)
    parts = {"environment": env, "outcomes": outcomes, "population": ts.Population([])}
    return Run("nowhere", settings={"environment": env.name}, **parts)


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study(tmp_path, ("MultiKeyNav",), seeds=1, preset="fast", log=lambda line: None)


def test_the_random_model_is_our_network_untrained(study: Study, made: Run) -> None:
    tasks = made.outcomes.features
    first, again, other = (
        baselines.random_model(study, made, seed).transform(tasks) for seed in (0, 0, 1)
    )
    assert first.shape == (60, ordinal_plan("MultiKeyNav", "fast").n_components)
    np.testing.assert_array_equal(first, again)
    assert not np.allclose(first, other)
    assert not list(study.folder.iterdir())  # too quick to be worth a file


@pytest.mark.slow
def test_the_map_without_lengths_has_the_papers_dimensions_and_is_made_once(
    study: Study, made: Run
) -> None:
    first = baselines.without_norm(study, made, 0)
    assert first.get_params()["norm_weight"] == 0
    assert first.n_components_ == baselines.PLAIN_DIMENSIONS["MultiKeyNav"]
    lines: list[str] = []
    again = Study(study.folder, study.environments, 1, "fast", log=lines.append)
    tasks = made.outcomes.features
    second = baselines.without_norm(again, made, 0)
    np.testing.assert_array_equal(first.transform(tasks), second.transform(tasks))
    assert [line.endswith("reused") for line in lines] == [True]


@pytest.mark.slow
def test_the_papers_training_draws_its_constraints_once(study: Study, made: Run) -> None:
    found = baselines.as_in_the_paper(study, made, 0)
    fast = ordinal_plan("MultiKeyNav", "fast")
    assert found.get_params()["n_constraints"] == 5000
    assert (found.n_components_, found.get_params()["steps"]) == (fast.n_components, fast.steps)


@pytest.mark.slow
def test_the_model_of_prior_work_learns_from_the_expert(
    study: Study, made: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(baselines, "EPISODES", 500)
    found = baselines.pred_model(study, made, 0).transform(made.outcomes.features)
    assert found.shape == (60, baselines.PRED_DIMENSIONS["MultiKeyNav"])
    assert np.isfinite(found).all()

"""Outcomes of an environment's population, and what a source makes of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import taskspace as ts
from taskspace.agents.policies import ExpertPolicy
from taskspace.runs.clusters import Clusters
from taskspace.runs.sources import environment
from taskspace.runs.sources.base import Played
from taskspace.runs.sources.plans import METHODS, information_plan, ordinal_plan


def source(
    preset: str = "fast", seed: int = 0, method: str = "information", executor: str | None = None
) -> environment.EnvironmentSource:
    env = ts.make("MultiKeyNav")
    return environment.EnvironmentSource(env, preset, seed, executor, method)


@pytest.mark.parametrize("method", METHODS)
def test_settings_say_what_the_preset_stands_for(method: str) -> None:
    fast = source(method=method).settings()
    default = source("default", method=method).settings()
    assert (fast["environment"], fast["method"]) == ("MultiKeyNav", method)
    assert fast["tasks"] < default["tasks"]
    assert source(seed=1, method=method).settings() == {**fast, "seed": 1}
    assert ("steps" in fast) == (method == "ordinal")


def test_an_executor_is_no_setting() -> None:
    assert source(executor="ray").settings() == source().settings()


def test_the_plan_is_that_of_the_method() -> None:
    assert source().plan == information_plan("MultiKeyNav", "fast")
    assert source(method="ordinal").plan == ordinal_plan("MultiKeyNav", "fast")


def test_the_pool_is_played_by_everybody_and_depends_on_the_seed() -> None:
    env = ts.make("MultiKeyNav")
    population = ts.Population({f"a{i}": ts.MLPPolicy.random(env, seed=i) for i in range(2)})
    plan = replace(information_plan("MultiKeyNav", "fast"), tasks=20, rollouts=3)
    first, again, other = (
        environment.evaluate_pool(env, population, plan, seed) for seed in (0, 0, 1)
    )
    assert (first.n_agents, first.n_tasks) == (2, 20)
    assert (first.rollouts == 3).all()
    np.testing.assert_array_equal(first.successes, again.successes)
    np.testing.assert_array_equal(first.task_inputs, again.task_inputs)
    assert not np.array_equal(first.task_inputs, other.task_inputs)


def test_what_is_shown_are_fresh_tasks_with_the_clusters_that_the_environment_knows() -> None:
    env = ts.make("MultiKeyNav")
    tasks = env.sample_tasks(5, seed=1)
    played = Played(ts.Outcomes(np.ones((1, 5), int), np.array(1), features=tasks), env)
    clusters = Clusters.known(env, tasks)
    shown, labels = source().shown(played, clusters)
    assert len(shown) == information_plan("MultiKeyNav", "fast").shown
    np.testing.assert_array_equal(labels, env.clusters(shown))
    assert not (shown[:, None] == tasks).all(2).any()


def test_both_maps_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("taskspace.runs.measures.NEW_TASKS", 60)
    env = ts.make("MultiKeyNav")
    agents = {f"a{i}": ts.MLPPolicy.random(env, seed=i) for i in range(4)}
    population = ts.Population({**agents, "expert": ExpertPolicy(env)})
    known = ts.evaluate(population, env, env.sample_tasks(60, seed=0), 10, progress=False)
    model = ts.SuccessModel(width=8, epochs=0, random_state=0).fit(known)
    paper = ts.OrdinalEmbedder(2, steps=5, random_state=0).fit(known)
    for embedder in (ts.TaskEmbedder(2).fit(model), paper):
        found = environment.measure(env, population, known, embedder, 50, 0)
        assert 0 < found["noise_ceiling"] <= 1
        assert len(found["silhouettes"]) > 1
        ordinal = isinstance(embedder, ts.OrdinalEmbedder)
        assert ("norm_difficulty_rank_correlation" in found) == ordinal
        assert ("similarity_error_bits" in found) == (not ordinal)

"""Outcomes of an environment's population: the presets, and what a source makes of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import taskspace as ts
from taskspace.runs.clusters import Clusters
from taskspace.runs.sources import environment
from taskspace.runs.sources.base import Played
from tests.messages import says


def source(preset: str = "fast", seed: int = 0) -> environment.EnvironmentSource:
    return environment.EnvironmentSource(ts.make("MultiKeyNav"), preset, seed, None)


def test_settings_name_every_environment() -> None:
    from taskspace.envs.registry import ENVIRONMENTS

    assert set(environment.ENVIRONMENT_SETTINGS) == set(ENVIRONMENTS)
    found = environment.map_settings("BasicKarel", "paper")
    assert (found.n_components, found.hidden, found.rollouts) == (1, (64, 32), 100)
    with pytest.raises(ValueError, match=says("'x' fast default paper")):
        environment.map_settings("BasicKarel", "x")


def test_settings_say_what_the_preset_stands_for() -> None:
    fast, default = source().settings(), source("default").settings()
    assert fast["environment"] == "MultiKeyNav"
    assert (fast["tasks"], fast["rollouts"], fast["steps"]) == (500, 10, 750)
    assert fast["tasks"] < default["tasks"]
    assert source(seed=1).settings() == {**fast, "seed": 1}


def test_an_executor_is_no_setting() -> None:
    remote = environment.EnvironmentSource(ts.make("MultiKeyNav"), "fast", 0, "ray")
    assert remote.settings() == source().settings()


def test_the_pool_is_played_by_everybody_and_depends_on_the_seed() -> None:
    env = ts.make("MultiKeyNav")
    population = ts.Population({f"a{i}": ts.MLPPolicy.random(env, seed=i) for i in range(2)})
    settings = replace(environment.map_settings("MultiKeyNav", "fast"), tasks=20, rollouts=3)
    first, again, other = (
        environment.evaluate_pool(env, population, settings, seed) for seed in (0, 0, 1)
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
    assert len(shown) == environment.map_settings("MultiKeyNav", "fast").shown
    np.testing.assert_array_equal(labels, env.clusters(shown))
    assert not (shown[:, None] == tasks).all(2).any()


def test_the_embedder_has_the_settings_of_the_map() -> None:
    settings = environment.map_settings("BasicKarel", "paper")
    embedder = environment.new_embedder(settings, 7)
    found = embedder.get_params()
    for name in ("n_components", "hidden", "norm_weight", "steps", "n_constraints"):
        assert found[name] == getattr(settings, name)
    assert found["random_state"] == 7

"""The paper's recipes, and `train_population`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import taskspace as ts
from taskspace.agents.population import Population
from taskspace.checkpoints import Checkpoints
from taskspace.envs.cartpolevar import FORCE, TYPE
from taskspace.envs.registry import ENVIRONMENTS
from taskspace.training import recipes
from taskspace.training.cloning import Cloning, clone, expert_examples
from taskspace.training.policy_gradient import PolicyGradient, reinforce
from taskspace.training.recipes import (
    Recipe,
    ignore_force_and_type,
    recipe_for,
    train_population,
)
from taskspace.training.seeds import child_seeds
from taskspace.training.subpopulations import Subpopulation
from tests.messages import says


def assert_same(one: Population, two: Population) -> None:
    assert one.table() == two.table()
    for mine, theirs in zip(one.values(), two.values(), strict=True):
        numbers = (*mine.weights, *mine.biases), (*theirs.weights, *theirs.biases)
        for ours, other in zip(*numbers, strict=True):
            assert ours.tobytes() == other.tobytes()


def quick(name: str, recipe: str = "paper") -> Recipe:
    """A recipe with hardly any training."""
    found = recipe_for(ts.make(name), recipe)
    method = found.method
    if isinstance(method, Cloning):
        return replace(found, method=replace(method, examples=2000, iterations=200, early=100))
    tiny = replace(method, steps=512, every=256, copies=8, rollout=32, batch=64)
    return replace(found, method=tiny, subpopulations=found.subpopulations[:2])


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_every_environment_has_a_recipe_that_fits_it(name: str) -> None:
    env = ts.make(name)
    recipe = recipe_for(env)
    env.check_tasks(recipe.snap_tasks(env, 0))
    for subpopulation in recipe.subpopulations:
        assert set(subpopulation.masked) < set(env.action_names)
        env.distribution_index(subpopulation.distribution)


def test_the_subpopulations_are_those_of_the_paper() -> None:
    counts = {name: len(recipe_for(ts.make(name)).subpopulations) for name in ENVIRONMENTS}
    assert counts == {
        "MultiKeyNav": 6, "MultiKeyNavAB": 6, "MultiKeyNavA": 6,
        "CartPoleVar": 5, "PointMass": 3, "BasicKarel": 4,
    }  # fmt: skip
    sizes = {
        name: len(recipe_for(env).snap_tasks(env, 0))
        for name, env in ((name, ts.make(name)) for name in ENVIRONMENTS)
    }
    assert sizes == {
        "MultiKeyNav": 192, "MultiKeyNavAB": 192, "MultiKeyNavA": 192,
        "CartPoleVar": 1000, "PointMass": 100, "BasicKarel": 2400,
    }  # fmt: skip


def test_the_new_agents_are_those_of_the_appendix() -> None:
    doors = recipe_for(ts.make("MultiKeyNav"), "new-agents")
    assert not any(subpopulation.masked for subpopulation in doors.subpopulations)
    assert len({subpopulation.distribution for subpopulation in doors.subpopulations}) == 5
    assert isinstance(recipe_for(ts.make("CartPoleVar"), "new-agents").method, PolicyGradient)


@pytest.mark.slow
def test_biased_cart_poles_ignore_sign_and_type() -> None:
    env = ts.make("CartPoleVar")
    subpopulation = recipe_for(env).subpopulations[2]
    assert subpopulation.distribution == "positive-push"
    states, actions = expert_examples(env, subpopulation, 1000, seed=0)
    groups = states.reshape(4, 1000, 7)
    assert (actions.reshape(4, 1000) == actions[:1000]).all()
    rest = [column for column in range(7) if column not in (FORCE, TYPE)]
    assert (groups[:, :, rest] == groups[0][:, rest]).all()
    assert (np.abs(groups[:, :, FORCE]) == np.abs(groups[0, :, FORCE])).all()
    assert len(np.unique(groups[:, 0, [FORCE, TYPE]], axis=0)) == 4
    shown = groups[(groups[:, :, FORCE] > 0) & (groups[:, :, TYPE] == 1)]
    assert (env.expert_actions(shown) == actions[:1000]).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["MultiKeyNav", "CartPoleVar"])
def test_any_number_of_workers_gives_the_same_bits(name: str) -> None:
    env, recipe = ts.make(name), quick(name)
    one = train_population(env, seed=1, recipe=recipe, workers=1)
    assert_same(one, train_population(env, seed=1, recipe=recipe, workers=3))
    other = train_population(env, seed=2, recipe=recipe)
    first, second = one.agents[0].policy.weights[0], other.agents[0].policy.weights[0]
    assert (first != second).any()


@pytest.mark.slow
@pytest.mark.parametrize("damaged", [False, True])
def test_finished_subpopulations_are_not_trained_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damaged: bool
) -> None:
    env, recipe, store = ts.make("MultiKeyNav"), quick("MultiKeyNav"), Checkpoints(tmp_path)
    whole = train_population(env, seed=1, recipe=recipe, checkpoints=store)
    files = sorted(tmp_path.iterdir())
    assert len(files) == len(recipe.subpopulations)
    if damaged:
        files[-1].write_bytes(files[-1].read_bytes()[:-1])
    else:
        files[-1].unlink()
    trained: list[str] = []

    def spy(env: object, subpopulation: Subpopulation, *rest: object, **named: object) -> object:
        trained.append(subpopulation.name)
        return clone(env, subpopulation, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(recipes, "clone", spy)
    assert_same(whole, train_population(env, seed=1, recipe=recipe, checkpoints=store))
    assert trained == [recipe.subpopulations[-1].name]


@pytest.mark.slow
def test_a_population_by_policy_gradient_in_processes() -> None:
    env, recipe = ts.make("PointMass"), quick("PointMass")
    population = train_population(env, recipe=recipe, workers=2)
    assert population.subpopulations == ("all", "left")
    tasks_seed, _, seed = child_seeds(0, 3)
    tasks = recipe.snap_tasks(env, tasks_seed)
    assert isinstance(recipe.method, PolicyGradient)
    here = reinforce(env, recipe.subpopulations[1], recipe.method, tasks, seed=seed)
    assert_same(population.select("left"), Population(here))


@pytest.mark.slow
def test_a_population_has_untrained_agents_and_rising_skill() -> None:
    population = train_population(ts.make("BasicKarel"), recipe=quick("BasicKarel"))
    assert population.environment == "BasicKarel"
    assert population.subpopulations == (
        "all-actions", "no-pickMarker", "no-putMarker", "no-markers",
    )  # fmt: skip
    for name in population.subpopulations:
        part = population.select(name).agents
        assert part[0].step == 0
        assert (np.diff([agent.skill for agent in part]) >= 0.01).all()


@pytest.mark.slow
def test_fast_agents_learn_something() -> None:
    population = train_population(ts.make("MultiKeyNav"), fast=True)
    best = max(agent.skill for agent in population.agents)
    assert best > 0.2
    assert len(population) > 30


def test_bad_input_is_refused() -> None:
    env = ts.make("PointMass")
    with pytest.raises(ValueError, match=says("recipe 'paper' 'new-agents' Recipe 'best'")):
        train_population(env, recipe="best")
    with pytest.raises(ValueError, match=says("PointMass 'new-agents' MultiKeyNav CartPoleVar")):
        train_population(env, recipe="new-agents")
    with pytest.raises(TypeError, match=says("environment 'MultiKeyNav'")):
        train_population("MultiKeyNav")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=says("seed -1")):
        train_population(env, seed=-1)


def test_processes_must_be_able_to_import_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    env = ts.make("PointMass")
    monkeypatch.setattr(type(env), "__module__", "__main__")
    with pytest.raises(ValueError, match=says("PointMass module")):
        train_population(env, recipe=quick("PointMass"))


@pytest.mark.parametrize(
    "subpopulation",
    [
        Subpopulation("odd", masked=("x",)),
        Subpopulation("odd", transform_examples=ignore_force_and_type),
    ],
)
def test_policy_gradient_takes_no_masks(subpopulation: Subpopulation) -> None:
    recipe = replace(quick("PointMass"), subpopulations=(subpopulation,))
    with pytest.raises(ValueError, match=says("odd masks distributions")):
        train_population(ts.make("PointMass"), recipe=recipe)

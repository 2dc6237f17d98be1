"""Populations: a mapping of agents, and files that give back the same bits."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import torch

import taskspace as ts
from taskspace.agents.agent import Agent
from taskspace.agents.policies import Categorical, ExpertPolicy
from taskspace.agents.population import Population
from tests.messages import says

ENV = ts.make("MultiKeyNav")


def network(seed: int, **options: Any) -> ts.MLPPolicy:
    policy = ts.MLPPolicy.random(ENV, seed=seed)
    return ts.MLPPolicy(policy.weights, policy.biases, **options)


def sample() -> Population:
    return Population(
        [
            Agent("a-0", network(0), "a", 0, 0.1),
            Agent("a-100", network(1, output=Categorical((2, 3))), "a", 100, 1 / 3),
            Agent("b", network(2), "b"),
        ],
        "MultiKeyNav",
    )


def test_it_maps_names_to_policies() -> None:
    population = sample()
    assert list(population) == ["a-0", "a-100", "b"]
    assert len(population) == 3
    assert population["b"] is population.agents[2].policy
    with pytest.raises(KeyError, match=says("agent 'c'")):
        population["c"]


@pytest.mark.slow
def test_evaluate_takes_it() -> None:
    tasks = ENV.sample_tasks(10, seed=0)
    outcomes = ts.evaluate(sample(), ENV, tasks, 5)
    assert outcomes.agents.tolist() == ["a-0", "a-100", "b"]
    plain = ts.evaluate([agent.policy for agent in sample().agents], ENV, tasks, 5)
    assert (outcomes.successes == plain.successes).all()


def test_it_is_made_from_policies_of_any_kind() -> None:
    module = torch.nn.Linear(7, 7)
    listed = Population([network(0), module, lambda observations: np.zeros(len(observations), int)])
    assert list(listed) == ["agent-0", "agent-1", "agent-2"]
    named = Population({"expert": ExpertPolicy(ENV)})
    assert list(named) == ["expert"]
    assert list(Population(named)) == ["expert"]
    assert ts.evaluate(listed, ENV, ENV.sample_tasks(3, seed=0), 2).n_agents == 3


def test_parts_and_sums() -> None:
    population = sample()
    assert population.subpopulations == ("a", "b")
    part = population.select("a")
    assert list(part) == ["a-0", "a-100"]
    assert part.environment == "MultiKeyNav"
    assert list(population.select("b") + part) == ["b", "a-0", "a-100"]
    assert (part + Population([network(5)])).environment == ""
    with pytest.raises(ValueError, match=says("subpopulation 'c' 'a' 'b'")):
        population.select("c")
    with pytest.raises(TypeError):
        population + [network(0)]  # noqa: RUF005


def test_it_can_be_read() -> None:
    population = sample()
    assert re.search(r"^Population\(3 .*MultiKeyNav.* 2 ", repr(population))
    lines = str(population).splitlines()
    assert re.search(r"^ *a +2 .* 0 .* 100 .*skill 0.10 .*0.33$", lines[1])
    assert re.search(r"^ *b +1 ", lines[2])
    assert str(Population([])).startswith("Population(0 ")
    assert population.table()[1] == {
        "name": "a-100", "subpopulation": "a", "step": 100, "skill": 1 / 3,
    }  # fmt: skip
    assert "skill 0.33" in repr(population.agents[1])


def test_bad_populations_are_refused() -> None:
    with pytest.raises(ValueError, match=says("agents 'a'")):
        Population([Agent("a", None), Agent("a", None)])
    with pytest.raises(TypeError, match=says("population 3")):
        Population(3)  # type: ignore[arg-type]

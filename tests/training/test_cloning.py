"""Behavioural cloning: the data, the gradient, the snapshots."""

from __future__ import annotations

import numpy as np
import pytest

import taskspace as ts
from taskspace.agents.agent import Agent
from taskspace.rollouts.trajectories import record
from taskspace.training.cloning import Cloning, clone, expert_examples
from taskspace.training.recipes import multikeynav_tasks
from taskspace.training.subpopulations import Subpopulation
from tests.messages import says

ENV = ts.make("MultiKeyNav")
TASKS = multikeynav_tasks(ENV, 0)
QUICK = Cloning(examples=5000, iterations=600)
NO_KEY_A = Subpopulation("no-A", masked=("pickKeyA",))


@pytest.fixture(scope="module")
def agents() -> list[Agent]:
    return clone(ENV, NO_KEY_A, QUICK, TASKS, seed=3)


def test_skill_is_measured_when_the_authors_did() -> None:
    moments = Cloning().moments()
    assert moments[:11] == [100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1500]
    assert moments[-1] == 20_000
    assert Cloning(iterations=250).moments() == [100, 200]


def test_examples_are_the_expert_s() -> None:
    states, actions = expert_examples(ENV, Subpopulation("all"), 3000, seed=0)
    assert states.shape == (3000, 7)
    assert (ENV.expert_actions(states) == actions).all()
    assert set(actions) == set(range(7))


def test_examples_hold_no_masked_action() -> None:
    _, actions = expert_examples(ENV, NO_KEY_A, 3000, seed=0)
    assert len(actions) == 3000
    assert ENV.action_names.index("pickKeyA") not in actions


def test_examples_come_from_the_lesson_s_tasks() -> None:
    states, _ = expert_examples(ENV, Subpopulation("door", distribution="door-2"), 1000, seed=0)
    assert (states[:, 5:] == (0, 1)).all()


def test_a_lesson_without_any_example_is_refused() -> None:
    with pytest.raises(ValueError, match=says("none MultiKeyNav masked")):
        expert_examples(ENV, Subpopulation("none", masked=ENV.action_names), 10, seed=0)


def test_the_untrained_policy_is_the_first_agent(agents: list[Agent]) -> None:
    assert agents[0].step == 0
    assert agents[0].skill < 0.05
    assert agents[0].subpopulation == "no-A"


def test_skill_rises_by_delta_at_least(agents: list[Agent]) -> None:
    skills = [agent.skill for agent in agents]
    assert len(skills) > 3
    assert (np.diff(skills) >= 0.01).all()
    assert skills[-1] > 0.1
    assert [agent.step for agent in agents] == sorted({agent.step for agent in agents})


def test_a_masked_action_is_never_played(agents: list[Agent]) -> None:
    masked = ENV.action_names.index("pickKeyA")
    for agent in (agents[0], agents[-1]):
        assert agent.policy.output.masked == (masked,)
        episodes = record(agent.policy, ENV, ENV.sample_tasks(500, seed=1))
        assert masked not in episodes.actions


def test_the_same_seed_gives_the_same_bits(agents: list[Agent]) -> None:
    again = clone(ENV, NO_KEY_A, QUICK, TASKS, seed=3)
    other = clone(ENV, NO_KEY_A, QUICK, TASKS, seed=4)
    assert [a.skill for a in again] == [a.skill for a in agents]
    for one, two, three in zip(
        agents[-1].policy.weights, again[-1].policy.weights, other[-1].policy.weights, strict=True
    ):
        assert (one == two).all()
        assert (one != three).any()


def test_standardized_training_gives_policies_on_raw_observations() -> None:
    settings = Cloning(examples=5000, iterations=600, standardize=True)
    agents = clone(ENV, Subpopulation("all"), settings, TASKS, seed=0)
    assert agents[-1].skill > 0.2


def test_progress_adds_up() -> None:
    done: list[int] = []
    clone(ENV, NO_KEY_A, QUICK, TASKS, report=done.append)
    assert sum(done) == QUICK.iterations

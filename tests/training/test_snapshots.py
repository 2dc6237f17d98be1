"""Which moments of a training become agents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.agents.policies import ExpertPolicy
from taskspace.training.snapshots import DELTA, Snapshots

ENV = ts.make("MultiKeyNav")
# At the door with all keys (`finish` solves it), and far from it (it does not).
TASKS = np.array([[0.95, 1, 1, 1, 1, 0, 0], [0.1, 1, 1, 1, 1, 0, 0]])


def left(observations: Any) -> Any:
    return np.zeros(len(observations), np.int64)


def finish(observations: Any) -> Any:
    return np.full(len(observations), 6)


def test_agents_are_those_that_do_better_by_delta() -> None:
    snapshots = Snapshots("own", ENV, TASKS, rollouts=50)
    policies = [left, left, finish, left, finish, ExpertPolicy(ENV)]
    skills = [snapshots.offer(100 * number, policy) for number, policy in enumerate(policies)]
    assert skills[0] == 0  # nobody is good, but the first is kept
    assert skills[2] == pytest.approx(0.5, abs=0.03)
    assert skills[5] is not None
    assert skills[5] > 0.9
    assert [agent.name for agent in snapshots.agents] == ["own-0", "own-200", "own-500"]
    assert [agent.step for agent in snapshots.agents] == [0, 200, 500]
    assert [agent.skill for agent in snapshots.agents] == [skills[0], skills[2], skills[5]]
    assert {agent.subpopulation for agent in snapshots.agents} == {"own"}
    assert snapshots.agents[1].policy is finish


def test_skill_is_the_success_rate_and_the_same_each_time() -> None:
    snapshots = Snapshots("own", ENV, TASKS, seed=3)
    outcomes = ts.evaluate([finish], ENV, TASKS, 10, seed=3, progress=False)
    assert snapshots.offer(0, finish) == outcomes.rates.mean()
    assert snapshots.offer(1, finish) == outcomes.rates.mean()
    assert len(snapshots.agents) == 1


@pytest.mark.parametrize(("delta", "kept"), [(-1.0, 4), (0.0, 3), (DELTA, 2), (0.9, 1)])
def test_delta_decides_how_many_are_kept(delta: float, kept: int) -> None:
    snapshots = Snapshots("own", ENV, TASKS, delta)
    for number, policy in enumerate((left, finish, finish, left)):
        snapshots.offer(number, policy)
    assert len(snapshots.agents) == kept


def test_nothing_is_measured_once_no_skill_can_rise_by_delta() -> None:
    snapshots = Snapshots("own", ENV, TASKS[:1], delta=0.5, rollouts=50)
    assert not snapshots.complete
    snapshots.offer(0, left)
    assert not snapshots.complete  # a skill of 0 may rise
    snapshots.offer(1, finish)
    assert snapshots.complete
    assert snapshots.offer(2, finish) is None
    assert [agent.step for agent in snapshots.agents] == [0, 1]

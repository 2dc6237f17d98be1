"""When an evaluation ends, and what its interval is worth then."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.applications.stopping_rule import FEWEST, StoppingRule

N_TASKS = 200


def population(seed: int, agents: int) -> Any:
    """Whether agents of different ability, which also differ in two skills, solve tasks."""
    rng = np.random.default_rng(seed)
    skills = rng.normal(size=(agents, 3)) * [1.5, 0.7, 0.7]
    loads = np.column_stack([np.ones(N_TASKS), np.arange(N_TASKS) % 2, np.arange(N_TASKS) % 3 > 0])
    return skills @ loads.T + rng.logistic(size=(agents, N_TASKS)) > rng.normal(size=N_TASKS)


@pytest.fixture(scope="module")
def known() -> ts.PerformancePredictor:
    topics = np.array(["even", "odd"] * (N_TASKS // 2), object)
    outcomes = ts.Outcomes(1 * population(0, 60)[:40], np.array(1), task_labels={"topic": topics})
    return ts.PerformancePredictor().fit(outcomes)


def evaluated(known: ts.PerformancePredictor, results: Any, seed: int, **more: Any) -> StoppingRule:
    rule = StoppingRule(known, 0.06, **more)
    for task in np.random.default_rng(seed).permutation(N_TASKS):
        if rule.reached:
            break
        rule.add(f"task-{task}", float(results[task]))
    return rule


def test_it_ends_when_the_interval_is_narrow_and_the_interval_covers(
    known: ts.PerformancePredictor,
) -> None:
    covered = []
    for agent, results in enumerate(population(0, 60)[40:52]):
        rule = evaluated(known, results, agent)
        told = rule.estimate()
        assert rule.reached
        assert FEWEST <= told["answered"] == rule.finished < N_TASKS
        assert told["high"] - told["low"] <= 2 * 0.06
        covered.append(told["low"] <= results.mean() <= told["high"])
    assert np.mean(covered) >= 0.7  # 12 agents


def test_its_interval_is_wider_than_that_of_the_predictor(known: ts.PerformancePredictor) -> None:
    rule = StoppingRule(known, 1e-9)
    results = population(0, 60)[50]
    for task in range(30):
        rule.add(f"task-{task}", float(results[task]))
    plain = known.score(np.arange(30), results[:30].astype(float))
    told = rule.estimate()
    assert not rule.reached
    assert told["score"] == pytest.approx(plain.scores[0])
    assert told["low"] < plain.low[0] < plain.high[0] < told["high"]


def test_attempts_at_a_task_are_averaged_and_a_label_is_estimated_alone(
    known: ts.PerformancePredictor,
) -> None:
    rule = StoppingRule(known, 0.001, by="topic", value="odd")
    for task, result in (("task-1", 1.0), ("task-1", 0.0), ("task-2", 1.0), ("task-3", 1.0)):
        rule.add(task, result)
    told = rule.estimate()
    assert (rule.finished, told["answered"], told["tasks"]) == (4, 2, N_TASKS // 2)
    names, results = ["task-1", "task-2", "task-3"], [0.5, 1.0, 1.0]
    assert told["score"] == pytest.approx(known.score(names, results, by="topic").scores[1])

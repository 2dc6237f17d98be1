"""Two agents side by side: means, the sign test, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

import taskspace as ts
from taskspace.applications.agent_comparison import compare_agents
from taskspace.outcomes.outcomes import Outcomes
from tests.messages import says

AGENTS = np.array(["Ada", "Ben", "Cleo"])


def outcomes_of(tried: Any = 1, **given: Any) -> Outcomes:
    rng = np.random.default_rng(0)
    solved = rng.random((3, 60)) < np.array([[0.9], [0.3], [0.3]])
    topics = np.array(["sums", "areas"], object)[np.arange(60) % 2]
    rollouts: Any = np.broadcast_to(tried, (3, 60)).astype(int)
    labels: Any = {"topic": topics}
    return Outcomes(solved * rollouts, rollouts, agents=AGENTS, task_labels=labels, **given)


def test_means_and_p_values_are_those_of_plain_counts() -> None:
    outcomes = outcomes_of(np.random.default_rng(1).random((3, 60)) < 0.8)
    found, rates = compare_agents(outcomes, "Ada", "Ben"), outcomes.rates
    assert found.groups.tolist() == ["all tasks", "areas", "sums"]
    topic, both = outcomes.task_labels["topic"], ~np.isnan(rates[0]) & ~np.isnan(rates[1])
    for number, some in enumerate((both, both & (topic == "areas"), both & (topic == "sums"))):
        assert found.n_tasks[number] == some.sum()
        assert found.first_scores[number] == pytest.approx(rates[0, some].mean())
        assert found.second_scores[number] == pytest.approx(rates[1, some].mean())
        better, worse = ((sign * (rates[0] - rates[1])[some] > 0).sum() for sign in (1, -1))
        expected = binomtest(int(better), int(better + worse)).pvalue
        assert found.p_values[number] == pytest.approx(expected)
    assert found.marked.tolist() == [1, 1, 1]
    assert "Ada is better on all tasks, areas, sums" in found.summary


def test_tasks_have_the_largest_difference_first() -> None:
    found = compare_agents(outcomes_of(), "Ben", "Ada")
    apart = np.abs(found.first_results - found.second_results)
    assert (np.diff(apart) <= 0).all()
    assert len(found.tasks) == len(set(found.tasks.tolist())) == 60
    assert found.marked[0] == -1
    assert found.columns["better"][0] == "Ada"


def test_equal_agents_differ_by_chance_only() -> None:
    rng, false = np.random.default_rng(0), 0
    once, labels = np.array(1), {"t": np.array(["a", "b"] * 20, object)}
    for _ in range(200):
        pair = Outcomes(1 * (rng.random((2, 40)) < 0.5), once, task_labels=labels)
        false += int(compare_agents(pair, "agent-0", "agent-1").marked.any())
    assert false <= 16  # 5 % of 200 are expected at most


def test_nobody_is_better_where_most_tasks_and_the_mean_disagree() -> None:
    solved = np.array([[6] * 60 + [0] * 30, [5] * 60 + [10] * 30])
    found = compare_agents(Outcomes(solved, np.array(10)), "agent-0", "agent-1")
    assert found.p_values[0] < 0.01
    assert found.marked.tolist() == [0]


def test_returns_are_compared_too() -> None:
    returns = np.array([np.arange(20.0), np.arange(20.0) - 5])
    found = compare_agents(Outcomes.from_returns(returns), "agent-0", "agent-1")
    assert found.marked.tolist() == [1]
    assert found.by == ""


def test_what_cannot_be_compared_is_refused() -> None:
    outcomes = outcomes_of()
    with pytest.raises(ValueError, match=says("agent Dan")):
        compare_agents(outcomes, "Ada", "Dan")
    with pytest.raises(ValueError, match=says("different Ada")):
        compare_agents(outcomes, "Ada", "Ada")
    apart = np.repeat([[1, 0], [0, 1], [1, 1]], 30, axis=1)
    with pytest.raises(ValueError, match=says("common Ada Ben")):
        compare_agents(outcomes_of(apart), "Ada", "Ben")
    with pytest.raises(TypeError, match=says("Outcomes Run")):
        ts.compare_agents([[1, 0]], "Ada", "Ben")
    assert outcomes.n_agents == 3

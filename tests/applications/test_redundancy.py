"""Near-copies among tasks: planted copies are found, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from taskspace import Outcomes, redundant
from taskspace.applications.near_copies import agents_needed, bounds, groups
from tests.messages import says

results_of: Any = Outcomes  # it takes lists and numbers, which its types do not say

COPIES = [0, 7, 14, 21]


def solved(
    seed: int, agents: int = 300, tasks: int = 60, topics: int = 0, copies: bool = True
) -> NDArray[Any]:
    """Results of agents that differ in ability, and in topics; tasks 7, 14 and 21 repeat task 0."""
    rng = np.random.default_rng(seed)
    logits = 1.5 * rng.normal(size=(agents, 1)) - rng.normal(size=tasks)
    if topics:
        logits = logits + 2.5 * rng.normal(size=(agents, topics))[:, np.arange(tasks) % topics]
    results = (rng.random((agents, tasks)) < 1 / (1 + np.exp(-logits))).astype(int)
    if copies:
        results[:, COPIES] = results[:, :1]
    return results


@pytest.mark.parametrize("topics", [0, 6])
def test_four_copies_are_found_and_nothing_else(topics: int) -> None:
    found = redundant(results_of(solved(0, topics=topics), 1))
    assert [set(group) for group in found.groups] == [{f"task-{task}" for task in COPIES}]
    assert found.confirmed.sum() == 6
    assert set(found.group[found.confirmed]) == {1}
    assert set(found.left_out) < set(found.groups[0])
    assert len(found.left_out) == 3
    np.testing.assert_allclose(found.agreement[:6], 1.0)
    np.testing.assert_allclose(found.correlation[:6], 1.0)
    assert (found.expected[:6] < 0.85).all()
    assert (found.low[:6] > 0.7).all()


def test_without_copies_nothing_is_claimed() -> None:
    claims = [
        redundant(results_of(solved(seed, copies=False), 1)).confirmed.any() for seed in range(8)
    ]
    assert not any(claims)


def test_tasks_on_one_topic_are_not_copies() -> None:
    outcomes = results_of(solved(0, agents=1000, tasks=40, topics=4, copies=False), 1)
    assert not redundant(outcomes).confirmed.any()


def test_copies_with_some_noise_are_found() -> None:
    results = solved(1)
    flipped = np.random.default_rng(2).random(results.shape) < 0.02
    found = redundant(results_of(np.where(flipped, 1 - results, results), 1))
    named = {frozenset(pair) for pair in zip(found.first, found.second, strict=True)}
    assert found.confirmed.sum() >= 4
    assert named <= {
        frozenset((f"task-{one}", f"task-{other}")) for one in COPIES for other in COPIES
    }


def test_missing_pairs_are_left_out() -> None:
    tried = np.random.default_rng(3).random((300, 60)) < 0.8
    found = redundant(results_of(solved(0) * tried, tried.astype(int)))
    assert found.confirmed.sum() == 6
    assert (found.agents < 250).all()


def test_scores_and_several_attempts() -> None:
    rng = np.random.default_rng(4)
    rates = 1 / (1 + np.exp(-2 * rng.normal(size=(300, 1)) - 1.5 * rng.normal(size=(300, 30))))
    assert not redundant(results_of(rng.binomial(10, rates), 10)).confirmed.any()
    rates[:, 5] = rates[:, 2]  # the same probabilities, but other attempts
    several = redundant(results_of(rng.binomial(40, rates), 40))
    assert several.groups == (("task-2", "task-5"),) or several.groups == (("task-5", "task-2"),)
    scores = redundant(results_of(rates, 1))
    assert {*scores.groups[0]} == {"task-2", "task-5"}
    assert len(scores.groups) == 1


def test_tasks_that_nearly_all_solve_are_not_copies_because_results_agree() -> None:
    results = np.ones((300, 10), int)
    results[:150, :5] = solved(0)[:150, :5]
    results[:3, 5:] = 0  # the same three agents fail five tasks
    found = redundant(results_of(results, 1))
    assert not found.confirmed.any()


def test_few_agents_prove_nothing_and_the_answer_says_how_many_would() -> None:
    found = redundant(results_of(solved(0, agents=20), 1))
    assert not found.confirmed.any()
    assert 39 <= found.enough_agents <= 60  # 39 if nothing but the tasks told agents apart
    assert "20 agents" in found.summary
    assert f"at least {found.enough_agents}" in found.summary
    assert not found.groups
    assert found.largest_change == 0
    assert 0 < len(found.first) <= 20  # candidates
    assert (found.excess >= found.threshold).all()


def test_pairs_that_too_few_agents_tried_are_not_called_different() -> None:
    results = np.random.default_rng(0).integers(0, 2, (300, 24)).astype(float)
    results[:, 5] = results[:, 4]
    results[np.random.default_rng(1).random(results.shape) > 0.1] = np.nan
    found = redundant(Outcomes.from_table(results))
    assert found.n_showable == 0
    assert found.together < found.enough_agents
    assert "can be shown" in found.summary
    assert f"{found.enough_agents} agents would be needed" in found.summary


def test_tasks_that_nearly_all_solve_are_not_called_different() -> None:
    results = (np.random.default_rng(0).random((100, 30)) < 0.97).astype(int)
    results[:, 5] = results[:, 4]
    found = redundant(results_of(results, 1))
    assert found.n_showable == 0
    assert "can be shown" in found.summary


def test_the_answer_counts_the_pairs_that_could_be_shown() -> None:
    results = np.random.default_rng(0).integers(0, 2, (300, 20))
    assert redundant(results_of(results, 1)).n_showable == 190
    results[:, 0], results[:, 1:4] = 0, 1  # solved by no agent, and by all
    results[:3, 2], results[:3, 3] = 0, 0  # the same three agents fail: this may be chance
    found = redundant(results_of(results, 1))
    assert found.n_pairs == 18 * 17 // 2
    assert found.n_showable == found.n_pairs - 1
    assert "38 other pairs cannot be judged" in found.summary
    results[:, 5] = results[:, 4]
    assert "other pairs cannot be judged" in redundant(results_of(results, 1)).summary


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_copies_of_agents_are_no_evidence(missing: float) -> None:
    rng = np.random.default_rng(1)
    results = np.repeat(rng.integers(0, 2, (6, 40)), 50, axis=0).astype(float)
    results[rng.random(results.shape) < missing] = np.nan
    found = redundant(Outcomes.from_table(results))
    assert not found.confirmed.any()
    assert found.same_agents > 280
    assert f"{found.same_agents} agents repeat" in found.summary
    assert len(found.scores) == 300


def test_enough_agents_are_enough() -> None:
    rng = np.random.default_rng(0)
    few = agents_needed(0.5, 0.025 / 3)
    for agents, confirmed in ((few, True), (few - 2, False)):
        half = rng.permutation(np.arange(agents) % 2)
        results = np.column_stack([half, half, rng.permutation(half)])
        assert redundant(results_of(results, 1)).confirmed.any() == confirmed


def test_what_is_lost_is_the_change_of_the_scores() -> None:
    results = solved(0)
    found = redundant(results_of(results, 1))
    kept = np.setdiff1d(np.arange(60), [int(name.split("-")[1]) for name in found.left_out])
    change = np.abs(results[:, kept].mean(1) - results.mean(1))
    assert found.largest_change == pytest.approx(change.max())
    assert found.mean_change == pytest.approx(change.mean())
    assert 0.99 < found.rank_correlation < 1


def test_a_higher_threshold_asks_for_more() -> None:
    outcomes = results_of(solved(0, agents=150), 1)
    assert redundant(outcomes, threshold=0.5).confirmed.sum() == 6
    assert not redundant(outcomes, threshold=0.95).confirmed.any()


def test_chains_are_not_groups() -> None:
    assert groups([(0, 1), (1, 2), (2, 3), (0, 2)]) == [[0, 1, 2]]
    assert groups([]) == []


def test_bounds_are_exact_for_single_attempts_and_scale_with_scores() -> None:
    from scipy.stats import binom

    lower, upper = bounds(np.array([0.1]), np.array([50]), 1.0, 0.01)
    assert binom.cdf(5, 50, upper[0]) == pytest.approx(0.01)
    assert binom.sf(4, 50, lower[0]) == pytest.approx(0.01)
    scaled = bounds(np.array([0.1 / 4]), np.array([50]), 0.25, 0.01)
    np.testing.assert_allclose(scaled, [lower / 4, upper / 4])


def test_bad_input_is_told_in_one_sentence() -> None:
    outcomes = results_of(solved(0, tasks=30), 1)
    with pytest.raises(ValueError, match=says("threshold 1.5")):
        redundant(outcomes, threshold=1.5)
    with pytest.raises(ValueError, match=says("level 1")):
        redundant(outcomes, level=1)
    with pytest.raises(TypeError, match=says("source Outcomes")):
        redundant([[1, 0]])
    with pytest.raises(ValueError, match=says("two tasks differ")):
        redundant(results_of([[1, 0], [1, 0]], 1))

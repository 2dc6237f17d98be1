"""Abilities of agents: scores with intervals that cover, strengths, similar agents."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from taskspace import Outcomes, abilities
from tests.messages import says

results_of: Any = Outcomes  # it takes lists and numbers, which its types do not say

TOPICS = ["sums", "areas", "graphs", "words"]


def logistic(x: NDArray[Any]) -> NDArray[Any]:
    return 1 / (1 + np.exp(-x))


def population(
    seed: int, agents: int = 100, tasks: int = 80, missing: float = 0.0
) -> tuple[Outcomes, NDArray[Any]]:
    """Results of agents that differ in ability only, and the mean rates on many such tasks."""
    rng = np.random.default_rng(seed)
    ability = 1.5 * rng.normal(size=(agents, 1))
    solved = rng.random((agents, tasks)) < logistic(ability - rng.normal(size=tasks))
    tried = rng.random(solved.shape) >= missing
    tried[0] = True  # so that no task is without results
    labels = {"topic": [TOPICS[task % 4] for task in range(tasks)]}
    outcomes = results_of((solved & tried).astype(int), tried.astype(int), task_labels=labels)
    return outcomes, logistic(ability - rng.normal(size=3000)).mean(1)


def test_the_score_of_a_complete_row_is_its_mean() -> None:
    outcomes, _ = population(0)
    found = abilities(outcomes)
    np.testing.assert_allclose(found.scores, outcomes.rates.mean(1), atol=1e-12)
    assert (found.tried == 80).all()
    assert ((found.low < found.scores) & (found.scores < found.high)).all()


@pytest.mark.parametrize("missing", [0.0, 0.5, 0.8])
def test_intervals_cover_the_mean_rate_on_many_such_tasks(missing: float) -> None:
    inside, wide = [], []
    for seed in range(4):
        outcomes, truth = population(seed, missing=missing)
        found = abilities(outcomes, level=0.9)
        inside.append((found.low <= truth) & (truth <= found.high))
        wide.append(found.high - found.low)
    assert 0.86 < np.mean(inside) < 0.97
    assert np.mean(wide) < 0.35


def test_missing_pairs_are_predicted_not_ignored() -> None:
    # Half of the agents try only the easy tasks: their plain means are far too high.
    outcomes, _ = population(1)
    easy = outcomes.rates.mean(0) > np.median(outcomes.rates.mean(0))
    tried = np.ones((100, 80), bool)
    tried[50:, ~easy] = False
    found = abilities(results_of(outcomes.successes * tried, tried.astype(int)))
    truth = outcomes.rates.mean(1)[50:]
    plain = outcomes.rates[50:][:, easy].mean(1)
    assert np.abs(found.scores[50:] - truth).mean() < 0.5 * np.abs(plain - truth).mean()


def test_an_agent_without_results_has_no_score() -> None:
    found = abilities(results_of([[0, 0, 0], [1, 0, 1], [0, 0, 1]], [[0] * 3, [1] * 3, [1] * 3]))
    assert np.isnan(found.scores[0])
    assert (found.low[0], found.high[0]) == (0, 1)
    assert found.most_similar[0] == ""
    assert found.columns["agent"][-1] == "agent-0"


def test_an_agent_that_solved_every_task_has_a_wide_enough_interval() -> None:
    solved = np.random.default_rng(0).integers(0, 2, (20, 6))
    solved[0] = 1
    found = abilities(results_of(solved, 1))
    assert found.high[0] == pytest.approx(1)
    assert found.low[0] < 0.75


def test_planted_strengths_and_weaknesses_are_marked_and_nothing_else() -> None:
    outcomes, _ = population(2, tasks=160)
    solved = outcomes.successes.astype(int)
    middle = np.argsort(np.abs(solved.mean(1) - 0.5))[:2]
    topic = outcomes.task_labels["topic"]
    solved[middle[0], topic == "areas"] = 1
    solved[middle[1], topic == "words"] = 0
    found = abilities(results_of(solved, 1, task_labels=outcomes.task_labels))
    assert found.by == "topic"
    marks = [(int(a), str(found.groups[g]), int(found.marked[a, g])) for a, g in
        np.argwhere(found.marked)]  # fmt: skip
    assert {*marks} == {(middle[0], "areas", 1), (middle[1], "words", -1)}
    table = found.columns
    row = table["agent"].tolist().index(f"agent-{middle[0]}")
    assert (table["strengths"][row], table["weaknesses"][row]) == ("areas", "")
    assert table["score:areas"][row] == 1
    assert "2 of 400" in found.summary


def test_without_strengths_nothing_is_marked() -> None:
    assert not any(abilities(population(seed)[0]).marked.any() for seed in range(6))


def test_the_most_similar_agent_is_the_one_with_the_same_results() -> None:
    solved = population(3)[0].successes.astype(int)
    solved[17] = solved[4]
    found = abilities(results_of(solved, 1))
    assert (found.most_similar[4], found.most_similar[17]) == ("agent-17", "agent-4")
    assert found.correlation[4] == pytest.approx(1, abs=1e-4)
    assert np.median(found.correlation) < 0.5


def test_groups_are_labels_or_clusters_or_none() -> None:
    outcomes, _ = population(4)
    plain = results_of(outcomes.successes, 1)
    assert abilities(plain).by == ""
    assert "strengths" not in abilities(plain).columns
    clusters = SimpleNamespace(by_task=np.array(["a", "b"] * 40))
    made = SimpleNamespace(outcomes=plain, clusters=clusters)
    assert abilities(made).by == "cluster"
    labelled = SimpleNamespace(outcomes=outcomes, clusters=clusters)
    assert abilities(labelled).groups.tolist() == sorted(TOPICS)
    assert abilities(labelled, by="cluster").groups.tolist() == ["a", "b"]


def test_bad_input_is_told_in_one_sentence() -> None:
    outcomes, _ = population(5, agents=10, tasks=12)
    with pytest.raises(ValueError, match=says("level 2")):
        abilities(outcomes, level=2)
    with pytest.raises(ValueError, match=says("by 'colour' 'topic'")):
        abilities(outcomes, by="colour")
    with pytest.raises(TypeError, match=says("source Outcomes 3")):
        abilities(3)
    with pytest.raises(ValueError, match=says("2 agents 1")):
        abilities(results_of([[1, 0]], 1))


def test_agents_with_opposite_strengths_are_not_alike() -> None:
    half = np.arange(40) < 20
    found = abilities(results_of(np.array([half, ~half], int), 1))
    assert found.most_similar.tolist() == ["", ""]
    assert np.isnan(found.correlation).all()


def test_numeric_labels_are_integers_in_their_order() -> None:
    rng = np.random.default_rng(0)
    grades = np.repeat([10.0, 9.0, np.nan, 2.5], 10)
    found = abilities(
        results_of(rng.integers(0, 2, (20, 40)), 1, task_labels={"grade": grades}), by="grade"
    )
    assert found.groups.tolist() == ["2.5", "9", "10"]
    assert [name for name in found.columns if name.startswith("score:")][-1] == "score:10"


def test_cluster_is_the_map_s_and_a_label_of_that_name_has_a_prefix() -> None:
    solved = np.random.default_rng(0).integers(0, 2, (20, 6))
    outcomes = results_of(solved, 1, task_labels={"cluster": list("aabbbb")})
    run = SimpleNamespace(
        outcomes=outcomes, clusters=SimpleNamespace(by_task=np.array([0, 0, 0, 1, 1, 1]))
    )
    assert abilities(run, by="cluster").groups.tolist() == ["0", "1"]
    assert abilities(run, by="label:cluster").groups.tolist() == ["a", "b"]
    assert abilities(outcomes, by="cluster").groups.tolist() == ["a", "b"]  # there is no map

"""What a map is worth: the numbers, beside plain references."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import silhouette_score

import taskspace as ts
from taskspace.agents.policies import ExpertPolicy
from taskspace.applications.answers import Unanswered
from taskspace.models.embedding import scoring
from taskspace.models.embedding.constraints import draw_triplets
from taskspace.runs import measures
from taskspace.similarity.statistics import SuccessStatistics


def outcomes(tasks: int = 12) -> ts.Outcomes:
    """Skills and levels on one axis, so that success says how hard a task is."""
    rng = np.random.default_rng(0)
    skills, levels = rng.normal(size=(40, 1)), np.linspace(-1.5, 1.5, tasks)
    return ts.Outcomes(rng.binomial(20, 1 / (1 + np.exp(3 * (levels - skills)))), np.array(20))


def test_separation_is_mean_and_spread() -> None:
    found = measures.separation([0.25, 0.75])
    assert found["silhouettes"] == [0.25, 0.75]
    assert (found["silhouette"], found["silhouette_spread"]) == (0.5, 0.25)


def test_silhouettes_are_those_of_scikit_learn_on_fresh_tasks() -> None:
    env = ts.make("MultiKeyNav")
    seen: list[Any] = []

    def points(tasks: Any) -> Any:
        seen.append(tasks)
        return tasks[:, 1:]

    scores = measures.silhouettes(env, SimpleNamespace(points=points), 60, 5)  # type: ignore[arg-type]
    expected = [silhouette_score(tasks[:, 1:], env.clusters(tasks)) for tasks in seen]
    assert scores == pytest.approx(expected)
    assert len(scores) == measures.SILHOUETTE_SEEDS
    assert not np.array_equal(seen[0], seen[1])


def test_no_more_tasks_are_drawn_than_there_are() -> None:
    env = ts.make("MultiKeyNav")
    assert len(measures.sample_at_most(env, 7, 0)) == 7
    table = env.sample_tasks(5, seed=1)

    class Listed(type(env)):  # type: ignore[misc]
        """An environment whose tasks are a table."""

        def table(self, distribution: str = "all") -> Any:
            return table

    found = measures.sample_at_most(Listed(), 9, 0)
    assert sorted(map(tuple, found)) == sorted(map(tuple, table))


def test_similarities_are_scored_by_clear_and_by_all_triplets_and_in_bits() -> None:
    truth = SuccessStatistics.from_outcomes(outcomes())
    triplets = draw_triplets(truth, 500, np.random.default_rng(0), np.arange(12))
    exact = measures.similarity_scores(truth.pairs, truth, triplets)
    assert exact["clear_triplet_accuracy"] == 1
    assert exact["similarity_error_bits"] == 0
    assert 0.9 < exact["triplet_accuracy"] < 1  # nearly equal similarities have no certain order

    def reversed_by(bits: float) -> scoring.PairSimilarity:
        return lambda first, second: bits - truth.pairs(first, second)

    worst = measures.similarity_scores(reversed_by(0), truth, triplets)
    assert worst["clear_triplet_accuracy"] == 0
    assert worst["triplet_accuracy"] == pytest.approx(1 - exact["triplet_accuracy"])
    assert measures.similarity_scores(reversed_by(9), truth, triplets)["similarity_error_bits"] > 8


def test_inner_products_and_difficulties_of_pairs() -> None:
    vectors = np.array([[1.0, 2.0], [3.0, -1.0], [0.0, 2.0]])
    found = scoring.inner_products(vectors)(np.array([0, 1]), np.array([2, 1]))
    np.testing.assert_array_equal(found, [4, 10])
    pairs = np.array([[0, 1], [2, 0], [2, 1]])
    assert measures.difficulty_accuracy(np.array([0.2, 0.1, 0.0]), pairs) == pytest.approx(2 / 3)
    assert measures.difficulty_accuracy(np.zeros(3), pairs[:0]) is None


def test_constraints_are_counted() -> None:
    known = outcomes(10)
    found = measures.count_constraints(known, 0, drawn=2000)
    assert (found["tasks"], found["possible_pairs"], found["possible_triplets"]) == (10, 45, 360)
    assert found["mean_success_rate"] == pytest.approx(known.rates.mean(), abs=0.02)
    rates = known.rates.mean(0)
    gaps = np.abs(rates[:, None] - rates) > found["difficulty_gap"]
    assert found["difficulty_pair_fraction"] == pytest.approx(gaps.mean(), abs=0.05)
    assert 0 <= found["confident_triplet_fraction"] <= 1
    assert found == measures.count_constraints(known, 0, drawn=2000)


def test_outcomes_without_differences_have_no_gaps() -> None:
    same = ts.Outcomes(np.full((6, 5), 4), np.array(8))
    assert measures.count_constraints(same, 0, drawn=100)["difficulty_pair_fraction"] == 0


def test_the_numbers_of_an_information_map() -> None:
    known = outcomes()
    made = ts.TaskEmbedder(2, random_state=0).fit(known)
    found = measures.basic_measurements("course", known, made)
    assert "norm_difficulty_rank_correlation" not in found
    assert "success_model" not in found
    assert found["kept_information"] == made.kept_
    assert found["triplet_accuracy"] == made.test_scores_["similarity"]
    assert found["tested_pairs"] == 66  # of 12 tasks
    assert "test_needs" not in found
    described = ts.Outcomes(known.successes, known.rollouts, features=np.arange(12.0)[:, None])
    model = ts.SuccessModel(width=8, epochs=0, random_state=0).fit(described)
    found = measures.basic_measurements("course", described, ts.TaskEmbedder(2).fit(model))
    assert found["success_model"] == model.test_scores_
    assert found["triplet_accuracy"] is None
    assert found["tested_pairs"] == 0
    assert "300" in found["test_needs"]


def test_scores_on_new_tasks_compare_with_a_second_evaluation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(measures, "NEW_TASKS", 80)
    env = ts.make("MultiKeyNav")
    agents = {f"a{i}": ts.MLPPolicy.random(env, seed=i) for i in range(6)}
    population = ts.Population({**agents, "expert": ExpertPolicy(env)})
    played = ts.evaluate(population, env, env.sample_tasks(300, seed=0), 10, progress=False)
    model = ts.SuccessModel(width=16, epochs=1, random_state=0, progress=False).fit(played)
    found = measures.new_task_scores(env, population, ts.TaskEmbedder(6).fit(model), 0)
    assert 0.5 < found["triplet_accuracy"] <= found["noise_ceiling"] + 0.1
    assert found["clear_triplet_accuracy"] is None or 0.5 < found["clear_triplet_accuracy"] <= 1
    assert found["difficulty_pair_accuracy"] > 0.6
    assert found["tested_pairs"] == 80 * 79 / 2
    assert 0 < found["similarity_error_of_evaluation_bits"] < 0.1
    assert 0 < found["similarity_error_bits"] < 0.2


def test_basic_numbers_and_stability_need_outcomes_and_maps_alone() -> None:
    known = outcomes()
    first, second = (
        ts.OrdinalEmbedder(2, steps=30, random_state=seed, progress=False).fit(known)
        for seed in (0, 1)
    )
    found = measures.basic_measurements("course", known, first)
    assert (found["environment"], found["agents"], found["tasks"]) == ("course", 40, 12)
    assert found["dimensions"] == 2
    assert found["tested_pairs"] == 0  # with 12 tasks, nothing is held out
    order = spearmanr(first.difficulty(known.task_inputs), -known.rates.mean(0)).statistic
    assert found["norm_difficulty_rank_correlation"] == pytest.approx(order, abs=0.02)
    itself = measures.stability(first, first, known)["stability"]
    assert itself["similarity"] == pytest.approx(1)
    assert itself["difficulty"] == pytest.approx(1)
    other = measures.stability(first, second, known)["stability"]
    assert other["similarity"] <= itself["similarity"] + 1e-9


def test_playing_once_more_is_better_than_guessing() -> None:
    env = ts.make("MultiKeyNav")
    agents = {f"a{i}": ts.MLPPolicy.random(env, seed=i) for i in range(4)}
    population = ts.Population({**agents, "expert": ExpertPolicy(env)})
    played = ts.evaluate(population, env, env.sample_tasks(40, seed=0), 10, progress=False)
    assert 0.5 < measures.noise_ceiling(env, population, played, 0) <= 1


def test_tasks_with_the_same_label_lie_together_or_not() -> None:
    rng = np.random.default_rng(0)
    places = np.repeat(np.eye(3), 20, axis=0) + rng.normal(scale=0.05, size=(60, 3))
    topic = np.repeat(np.array(["sums", "areas", "logic"], object), 20)
    missing = np.where(np.arange(60) % 20 == 0, "", topic).astype(object)
    shuffled = rng.permutation(topic)
    alone = np.array([f"text {number}" for number in range(60)], object)
    given = {"topic": topic, "missing": missing, "shuffled": shuffled, "alone": alone}
    found = measures.label_scores({**given, "page": np.arange(60.0)}, places)["labels"]
    assert list(found) == ["topic", "missing", "shuffled"]  # numbers and single tasks are no groups
    for name in ("topic", "missing"):
        assert (found[name]["values"], found[name]["purity"]) == (3, 1)
        assert found[name]["silhouette"] > 0.8
    assert found["topic"]["chance"] == pytest.approx(19 / 59)
    assert found["missing"]["chance"] == pytest.approx(18 / 56)
    assert found["topic"]["silhouette"] == pytest.approx(
        silhouette_score(places, topic.astype(str))
    )
    assert found["shuffled"]["purity"] < 0.6
    assert abs(found["shuffled"]["silhouette"]) < 0.2
    assert measures.label_scores({"alone": alone}, places) == {}


def test_equal_points_are_neighbours_by_chance_alone() -> None:
    """Tables are often ordered by label, which must not look like a map that knows it."""
    topic = np.repeat(np.array(["sums", "areas"], object), 200)
    found = measures.label_scores({"topic": topic}, np.zeros((400, 2)))["labels"]["topic"]
    assert 0.3 < found["purity"] < 0.7


def test_the_diagnosis_of_a_population_is_evidence_about_its_map() -> None:
    rng = np.random.default_rng(0)
    skills = np.repeat(rng.normal(size=(40, 3)), 8, axis=1)
    solved = 1 * (rng.random((40, 24)) < 1 / (1 + np.exp(-1.5 * skills)))
    found = ts.diagnose(ts.Outcomes(solved, np.array(1)))
    for measure in ("information", "correlation"):
        evidence = measures.population(found, measure)["population"]
        known = found.reliability[measure]
        assert (evidence["reliability"], evidence["accuracy"]) == (known.value, known.accuracy)
        assert evidence["level"] == "usable with care"
        assert f"from {known.value:.2f}" in evidence["advice"]
    assert measures.population(Unanswered("No."), "information") == {}
    few = ts.diagnose(ts.Outcomes(solved[:5], np.array(1)))
    assert measures.population(few, "information") == {}

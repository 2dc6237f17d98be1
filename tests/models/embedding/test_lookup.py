"""Tasks without features: one free vector per task, found by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import silhouette_score

import taskspace as ts
from taskspace.applications.soft_neighbours import soft_neighbours
from taskspace.models.embedding.karel_embedder import KarelEmbedder
from taskspace.models.embedding.pools import Pool, pair_pools
from taskspace.outcomes.task_names import are_names
from taskspace.similarity.statistics import SuccessStatistics
from tests.messages import says

FAST: dict[str, Any] = {"steps": 250, "random_state": 0, "progress": False}


def item_response(tasks: int = 90, agents: int = 150) -> tuple[Any, Any, ts.Outcomes]:
    """Skills, success probabilities and outcomes; a task requires mostly one of three skills."""
    rng = np.random.default_rng(0)
    need = rng.integers(0, 3, tasks)
    weights = rng.uniform(0, 0.3, (tasks, 3)) + 2.5 * np.eye(3)[need]
    chances = 1 / (1 + np.exp(rng.normal(0, 1.5, tasks) - rng.normal(size=(agents, 3)) @ weights.T))
    names = [f"question {i}" for i in range(tasks)]
    successes: Any = rng.binomial(20, chances)
    return need, chances, ts.Outcomes(successes, 20, tasks=names)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def fitted() -> ts.OrdinalEmbedder:
    return ts.OrdinalEmbedder(4, **{**FAST, "steps": 750}).fit(item_response()[2])


# -- learning --------------------------------------------------------------------------------------


def test_the_map_separates_skills_and_orders_difficulty(fitted: ts.OrdinalEmbedder) -> None:
    need, chances, outcomes = item_response()
    untrained = ts.OrdinalEmbedder(4, steps=0, random_state=0).fit(outcomes)
    vectors, before = fitted.transform(outcomes.tasks), untrained.transform(outcomes.tasks)
    directions = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert silhouette_score(directions, need) > 0.5
    assert silhouette_score(before, need) < 0.1
    assert spearmanr(fitted.difficulty(outcomes.tasks), -chances.mean(0)).statistic > 0.85


def test_similarities_hold_that_were_never_shown(fitted: ts.OrdinalEmbedder) -> None:
    assert fitted.test_scores_["similarity"] > 0.82
    assert fitted.test_scores_["difficulty"] > 0.85
    assert fitted.score(item_response()[2]) > 0.85


def test_held_out_is_a_pair_of_tasks() -> None:
    _, chances, _ = item_response(tasks=40)
    statistics, rng = SuccessStatistics.from_rates(chances), np.random.default_rng(0)
    shown = []
    for pool, n in zip(pair_pools(40, rng), (20_000, 1_000, 1_000), strict=True):
        anchor, one, other = pool.triplets(statistics, n, rng).tasks.T
        assert set(anchor) == set(range(40))
        easier, harder = pool.pairs(statistics, 2_000, rng).T
        first, second = np.r_[anchor, anchor, easier], np.r_[one, other, harder]
        shown.append(set(zip(np.minimum(first, second), np.maximum(first, second), strict=True)))
    train, validation, test = shown
    assert not train & validation
    assert not train & test
    assert not validation & test
    assert len(train | validation | test) == 40 * 39 / 2
    assert len(train) > 0.75 * 40 * 39 / 2


def test_a_pool_without_a_pair_of_different_difficulty_gives_none() -> None:
    rates = np.full((4, 40), 0.5)
    rates[:, 0], rates[:, 1] = 0.44, 0.56  # these two alone differ by more than a tenth
    statistics, rng = SuccessStatistics.from_rates(rates), np.random.default_rng(0)
    sizes = [len(pool.pairs(statistics, 10, rng)) for pool in pair_pools(40, rng)]
    assert sorted(sizes) == [0, 0, 10]


def test_few_tasks_are_not_held_out() -> None:
    pools = pair_pools(20, np.random.default_rng(0))
    assert [pool.groups for pool in pools] == [None, None, None]
    assert ts.OrdinalEmbedder(2, steps=5).fit(item_response(tasks=5)[2]).network_ is not None


def test_all_rows_belong_to_a_pool_without_groups() -> None:
    _, chances, _ = item_response(tasks=10)
    rng = np.random.default_rng(0)
    drawn = Pool(np.arange(3)).triplets(SuccessStatistics.from_rates(chances), 50, rng)
    assert drawn.tasks.shape == (50, 3)
    assert drawn.tasks.max() == 2


def test_the_same_seed_learns_the_same_bits() -> None:
    outcomes = item_response()[2]
    settings: Any = {**FAST, "steps": 50}
    one, other = (
        ts.OrdinalEmbedder(3, **settings).fit(outcomes).transform(outcomes.tasks) for _ in "ab"
    )
    np.testing.assert_array_equal(one, other)


@pytest.mark.slow
def test_a_dimension_may_be_found() -> None:
    outcomes = item_response()[2]
    embedder = ts.OrdinalEmbedder("auto", **FAST).fit(outcomes)
    assert 2 <= embedder.n_components_ <= 6
    assert embedder.transform(outcomes.tasks).shape == (90, embedder.n_components_)


# -- names -----------------------------------------------------------------------------------------


def test_vectors_follow_the_names(fitted: ts.OrdinalEmbedder) -> None:
    names = fitted.task_names_
    assert names is not None
    vectors = fitted.transform(names)
    some = ["question 7", "question 0", "question 7"]
    np.testing.assert_array_equal(fitted.transform(some), vectors[[7, 0, 7]])
    np.testing.assert_allclose(fitted.similarity(some, names), vectors[[7, 0, 7]] @ vectors.T)
    np.testing.assert_allclose(
        fitted.similarity("question 1", some[0]), [[vectors[1] @ vectors[7]]]
    )
    np.testing.assert_allclose(fitted.difficulty("question 7"), [np.linalg.norm(vectors[7])])


def test_a_quiz_of_names_predicts(fitted: ts.OrdinalEmbedder) -> None:
    _, chances, outcomes = item_response()
    quiz, rest = outcomes.tasks[:30], outcomes.tasks[30:]
    correlations = [
        np.corrcoef(soft_neighbours(fitted, quiz, agent[:30], rest), agent[30:])[0, 1]
        for agent in chances[:20]
    ]
    assert np.mean(correlations) > 0.5


def test_names_are_told_from_rows_of_numbers() -> None:
    assert are_names(["a"])
    assert not are_names([])
    assert not are_names([[1.0]])


def test_a_second_fit_forgets_the_first() -> None:
    _, chances, outcomes = item_response(tasks=40)
    embedder = ts.OrdinalEmbedder(2, steps=5, random_state=0)
    features = np.arange(40.0)[:, None]
    for _ in range(2):
        assert embedder.fit(outcomes).transform(outcomes.tasks).shape == (40, 2)
        assert embedder.fit(features, chances.T).transform(features).shape == (40, 2)
        assert embedder.task_names_ is None


def test_save_and_load_give_the_same_bits(fitted: ts.OrdinalEmbedder, tmp_path: Path) -> None:
    names = item_response()[2].tasks
    fitted.save(tmp_path / "map")
    loaded = ts.OrdinalEmbedder.load(tmp_path / "map")
    np.testing.assert_array_equal(loaded.transform(names), fitted.transform(names))
    assert loaded.test_scores_ == fitted.test_scores_
    loaded.save(tmp_path / "again")
    assert ts.OrdinalEmbedder.load(tmp_path / "again").difficulty("question 5").shape == (1,)
    path = tmp_path / "map" / "embedder.json"
    settings = json.loads(path.read_text())
    path.write_text(json.dumps({**settings, "task_names": settings["task_names"][:-1]}))
    with pytest.raises(ValueError, match=says("embedder.json checksum")):
        ts.OrdinalEmbedder.load(tmp_path / "map")


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tasks", "tokens"),
    [
        (["question 1", "nothing"], "'nothing' 90"),
        ("question 1", "features names ()"),
        (np.zeros((4, 2)), "features names (4, 2)"),
        ([], "0 1 OrdinalEmbedder"),
    ],
)
def test_other_tasks_are_refused(fitted: ts.OrdinalEmbedder, tasks: Any, tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        fitted.transform(tasks)


def test_outcomes_of_other_tasks_are_refused(fitted: ts.OrdinalEmbedder) -> None:
    with pytest.raises(ValueError, match=says("'task-0' 90")):
        fitted.score(ts.Outcomes([[1, 0, 1]], 1))  # type: ignore[arg-type]


def test_what_needs_features_says_so() -> None:
    outcomes = item_response(tasks=10)[2]
    with pytest.raises(ValueError, match=says("network features")):
        ts.OrdinalEmbedder(2, hidden=lambda *_: None).fit(outcomes)  # type: ignore[arg-type, return-value]
    with pytest.raises(ValueError, match=says("outcomes features")):
        KarelEmbedder().fit(outcomes)


def test_two_tasks_are_too_few() -> None:
    with pytest.raises(ValueError, match=says("2 3 OrdinalEmbedder")):
        ts.OrdinalEmbedder().fit(ts.Outcomes([[1, 0], [1, 1]], 1))  # type: ignore[arg-type]

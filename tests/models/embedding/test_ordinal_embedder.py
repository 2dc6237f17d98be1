"""`OrdinalEmbedder`: scikit-learn conventions, and a map that is better than chance."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr
from sklearn.base import clone
from sklearn.metrics import silhouette_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

import taskspace as ts
from tests.messages import says

FAST: dict[str, Any] = {"steps": 600, "random_state": 0, "progress": False}


def skill_world(tasks: int = 400, agents: int = 60, seed: int = 0) -> tuple[Any, Any, ts.Outcomes]:
    """Features, skills and outcomes; a task requires one of three skills at some level."""
    rng = np.random.default_rng(seed)
    need, level = rng.integers(0, 3, tasks), rng.uniform(0.1, 0.9, tasks)
    features = np.column_stack([np.eye(3)[need], level])
    skills = rng.uniform(0, 1, (agents, 3))
    rates = 1 / (1 + np.exp(-20 * (skills[:, need] - level)))
    successes = rng.binomial(20, rates)
    return features, need, ts.Outcomes(successes, 20, features=features)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def fitted() -> ts.OrdinalEmbedder:
    return ts.OrdinalEmbedder(4, **{**FAST, "steps": 2000}).fit(skill_world()[2])  # type: ignore[arg-type]


@pytest.mark.slow
@parametrize_with_checks([ts.OrdinalEmbedder(2, steps=20, random_state=0)])  # type: ignore
def test_scikit_learn_finds_nothing_wrong(estimator: Any, check: Any) -> None:
    check(estimator)


def test_the_map_separates_skills_and_orders_difficulty(fitted: ts.OrdinalEmbedder) -> None:
    features, need, outcomes = skill_world(seed=1)  # new tasks, new agents
    untrained = ts.OrdinalEmbedder(4, steps=1, learning_rate=1e-9, random_state=0).fit(outcomes)
    before, after = (silhouette_score(e.transform(features), need) for e in (untrained, fitted))
    assert after > before + 0.15
    order = spearmanr(fitted.difficulty(features), -outcomes.rates.mean(0)).statistic
    assert order > 0.8


def test_constraints_hold_on_tasks_not_trained_on(fitted: ts.OrdinalEmbedder) -> None:
    assert fitted.test_scores_["similarity"] > 0.8
    assert fitted.test_scores_["difficulty"] > 0.8
    assert fitted.score(skill_world(seed=1)[2]) > 0.7


def test_the_loss_falls(fitted: ts.OrdinalEmbedder) -> None:
    assert fitted.history_["loss"][-1] < 0.9 * fitted.history_["loss"][0]
    assert fitted.history_["step"] == sorted(fitted.history_["step"])
    assert len(fitted.history_["validation"]) == len(fitted.history_["step"])


def test_similarity_is_the_inner_product_and_difficulty_the_length(
    fitted: ts.OrdinalEmbedder,
) -> None:
    features = skill_world()[0][:5]
    vectors = fitted.transform(features)
    np.testing.assert_allclose(fitted.similarity(features, features[:2]), vectors @ vectors[:2].T)
    np.testing.assert_allclose(fitted.difficulty(features), np.linalg.norm(vectors, axis=1))
    assert fitted.similarity(features[0], features[1]).shape == (1, 1)


@pytest.mark.slow
def test_the_same_seed_learns_the_same_bits() -> None:
    features, _, outcomes = skill_world()
    one, other = (ts.OrdinalEmbedder(3, **FAST).fit(outcomes).transform(features) for _ in "ab")
    np.testing.assert_array_equal(one, other)


def test_any_number_of_threads_gives_the_same_bits() -> None:
    maps = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            features, _, outcomes = skill_world()
            maps.append(ts.OrdinalEmbedder(3, steps=20, random_state=0).fit(outcomes))
    one, two = (each.transform(features) for each in maps)
    assert np.array_equal(one, two)


def test_global_randomness_is_neither_used_nor_touched() -> None:
    outcomes = skill_world(tasks=120)[2]
    torch.manual_seed(5)
    before = torch.get_rng_state()
    ts.OrdinalEmbedder(2, steps=20, random_state=0).fit(outcomes)
    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.slow
def test_tasks_and_outcomes_may_come_apart() -> None:
    features, _, outcomes = skill_world(tasks=150)
    joined = ts.OrdinalEmbedder(2, **FAST).fit(outcomes)
    apart = ts.OrdinalEmbedder(2, **FAST).fit(features, outcomes=outcomes)
    scores = ts.OrdinalEmbedder(2, **FAST).fit(features, outcomes.rates.T)
    np.testing.assert_array_equal(joined.transform(features), apart.transform(features))
    assert scores.transform(features).shape == (150, 2)


def test_without_norm_constraints_difficulty_is_left_out() -> None:
    embedder = ts.OrdinalEmbedder(3, norm_weight=0, **FAST).fit(skill_world()[2])
    assert set(embedder.test_scores_) == {"similarity"}


@pytest.mark.slow
def test_constraints_may_be_drawn_once() -> None:
    outcomes = skill_world()[2]
    few, many = (ts.OrdinalEmbedder(2, n_constraints=n, **FAST).fit(outcomes) for n in (10, 5000))
    # Ten constraints are soon learned by heart, which helps little elsewhere.
    assert few.history_["loss"][-1] < many.history_["loss"][-1] / 2
    assert few.score(outcomes) < many.score(outcomes) - 0.05
    with pytest.raises(ValueError, match=says("n_constraints 0")):
        ts.OrdinalEmbedder(2, n_constraints=0).fit(outcomes)


@pytest.mark.slow
def test_auto_stops_where_another_dimension_is_not_worth_it() -> None:
    embedder = ts.OrdinalEmbedder("auto", **FAST).fit(skill_world()[2])
    assert 2 <= embedder.n_components_ <= 6
    assert embedder.transform(skill_world()[0]).shape[1] == embedder.n_components_
    assert len(embedder.dimension_losses_) >= embedder.n_components_


@pytest.mark.slow
def test_it_stops_early_when_nothing_improves() -> None:
    embedder = ts.OrdinalEmbedder(2, steps=50_000, patience=1, learning_rate=0.05, random_state=0)
    assert embedder.fit(skill_world(tasks=120)[2]).history_["step"][-1] < 50_000


def test_a_network_of_ones_own() -> None:
    embedder = ts.OrdinalEmbedder(2, hidden=torch.nn.Linear, **FAST).fit(skill_world()[2])
    network: Any = embedder.network_
    assert isinstance(network[0], torch.nn.Linear)
    assert network[1].weight.shape == (2, 2)  # the axes


def test_it_works_in_a_pipeline_and_under_clone() -> None:
    features, _, outcomes = skill_world(tasks=120)
    pipeline = make_pipeline(StandardScaler(), ts.OrdinalEmbedder(2, steps=50, random_state=0))
    assert clone(pipeline).fit_transform(features, outcomes.rates.T).shape == (120, 2)


def test_save_and_load_give_the_same_bits(fitted: ts.OrdinalEmbedder, tmp_path: Path) -> None:
    features = skill_world()[0]
    fitted.save(tmp_path / "map")
    fitted.save(tmp_path / "map")  # replaces itself
    loaded = ts.OrdinalEmbedder.load(tmp_path / "map")
    np.testing.assert_array_equal(fitted.transform(features), loaded.transform(features))
    assert loaded.get_params() == fitted.get_params()
    assert loaded.test_scores_ == fitted.test_scores_
    assert [p.name for p in tmp_path.iterdir()] == ["map"]


def test_a_folder_of_something_else_is_not_overwritten(
    fitted: ts.OrdinalEmbedder, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match=says(f"{tmp_path} embedder")):
        fitted.save(tmp_path)
    assert (tmp_path / "notes.txt").read_text() == "mine"


@pytest.mark.parametrize("name", ["embedder.json", "weights.safetensors"])
@pytest.mark.parametrize("damage", ["cut", "flip", "missing", "foreign"])
def test_damaged_files_are_refused(
    fitted: ts.OrdinalEmbedder, tmp_path: Path, name: str, damage: str
) -> None:
    fitted.save(tmp_path / "map")
    path = tmp_path / "map" / name
    content = path.read_bytes()
    if damage == "missing":
        path.unlink()
    else:
        half = len(content) // 2
        flipped = content[:2] + bytes([content[2] ^ 0xFF]) + content[3:]
        path.write_bytes({"cut": content[:half], "flip": flipped, "foreign": b"{}"}[damage])
    lost = damage == "missing" and name == "embedder.json"
    with pytest.raises(
        FileNotFoundError if lost else ValueError, match=says(str(tmp_path / "map"))
    ):
        ts.OrdinalEmbedder.load(tmp_path / "map")


def test_a_newer_format_is_told(fitted: ts.OrdinalEmbedder, tmp_path: Path) -> None:
    fitted.save(tmp_path / "map")
    path = tmp_path / "map" / "embedder.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "version": 99}))
    with pytest.raises(ValueError, match=says("map version 99 1")):
        ts.OrdinalEmbedder.load(tmp_path / "map")


@pytest.mark.parametrize(
    ("settings", "tokens"),
    [
        ({"n_components": 0}, "n_components 0"),
        ({"n_components": "many"}, "n_components 'many'"),
        ({"steps": -1}, "steps -1"),
        ({"batch_size": 1.5}, "batch_size 1.5"),
        ({"norm_weight": -1}, "norm_weight"),
        ({"learning_rate": 0}, "learning_rate"),
        ({"hidden": (0,)}, "hidden 0"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        ts.OrdinalEmbedder(**settings).fit(skill_world(tasks=20)[2])


def test_nan_is_told_in_one_sentence(fitted: ts.OrdinalEmbedder) -> None:
    with pytest.raises(ValueError, match=says("tasks finite row 1")):
        fitted.transform([[0.0, 1.0, 0.0, 0.5], [0.0, np.nan, 0.0, 0.5]])


def test_bad_data_are_refused() -> None:
    features, _, outcomes = skill_world(tasks=20)
    embedder = ts.OrdinalEmbedder(2, steps=5)
    with pytest.raises(ValueError, match=says("tasks 10 outcomes 20")):
        embedder.fit(features[:10], outcomes=outcomes)
    with pytest.raises(ValueError, match=says("tasks 20 scores (60, 20)")):
        embedder.fit(features, outcomes.rates)
    with pytest.raises(ValueError, match=says("outcomes solved")):
        embedder.fit(features, np.zeros((20, 5)))
    fitted = embedder.fit(outcomes)
    with pytest.raises(ValueError, match=says("features 2 4")):
        fitted.transform(features[:, :2])
    for names in (outcomes.tasks, outcomes.tasks.tolist()):
        with pytest.raises(ValueError, match=says("features row name")):
            fitted.transform(names)
    with pytest.raises(ValueError, match=says("outcomes features")):
        fitted.score(ts.Outcomes(outcomes.successes, outcomes.rollouts))

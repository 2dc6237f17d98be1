"""`TaskEmbedder`: maps of features, of tables and of success models, and their files."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

import taskspace as ts
from taskspace.models.embedding.agreement import agreement
from taskspace.models.embedding.verdict import WeakMapWarning
from taskspace.similarity.profiles import INFORMATION, MEASURES, profile_similarity
from tests.messages import says
from tests.models.embedding.tables import off_diagonal, planted, separation

TINY: dict[str, Any] = {"width": 16, "epochs": 1, "progress": False}
UNTRAINED: dict[str, Any] = {"width": 8, "epochs": 0}  # for what does not depend on the quality
MANY = 320  # tasks; with fewer than 300, success models are chosen by cross-validation, slowly


def skill_world(
    tasks: int = 400, agents: int = 40, seed: int = 0, rollouts: int = 10
) -> tuple[Any, Any, ts.Outcomes]:
    """Features, skills and outcomes; a task requires one of three skills at some level."""
    rng = np.random.default_rng(seed)
    need, level = rng.integers(0, 3, tasks), rng.uniform(0.1, 0.9, tasks)
    features = np.column_stack([np.eye(3)[need], level])
    skills = np.random.default_rng(1).uniform(0, 1, (agents, 3))
    rates = 1 / (1 + np.exp(-10 * (skills[:, need] - level)))
    successes = rng.binomial(rollouts, rates)
    return features, rates, ts.Outcomes(successes, np.array(rollouts), features=features)


def embedder(n_components: int | str = "auto", **options: Any) -> ts.TaskEmbedder:
    return ts.TaskEmbedder(
        n_components, **{"model": ts.SuccessModel(**TINY), "random_state": 0, **options}
    )


def untrained() -> ts.TaskEmbedder:
    return embedder(2, model=ts.SuccessModel(**UNTRAINED))


@pytest.fixture(scope="module")
def fitted() -> ts.TaskEmbedder:
    """A map of features."""
    return embedder(3).fit(skill_world()[2])


@pytest.fixture(scope="module")
def table() -> ts.TaskEmbedder:
    """A map of a table without features."""
    return ts.TaskEmbedder(random_state=0).fit(planted(500, 3, 10, missing=0.1).outcomes)


@pytest.fixture(params=["fitted", "table"])
def either(request: pytest.FixtureRequest) -> tuple[ts.TaskEmbedder, Any]:
    """A map, and some tasks of it."""
    found = request.getfixturevalue(request.param)
    return found, skill_world(20, seed=5)[0] if request.param == "fitted" else found.task_names_


@pytest.mark.slow
@parametrize_with_checks(  # type: ignore
    [ts.TaskEmbedder(2, model=ts.SuccessModel(width=4, bins=4, epochs=0), random_state=0)]
)
def test_scikit_learn_finds_nothing_wrong(estimator: Any, check: Any) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the outcomes of different tasks share no information")
        check(estimator)


# -- readings of the map ---------------------------------------------------------------------------


def test_everything_follows_from_the_vectors(either: tuple[ts.TaskEmbedder, Any]) -> None:
    found, tasks = either
    vectors = found.transform(tasks)
    assert vectors.shape == (len(tasks), found.n_components_) == (len(tasks), 3)
    np.testing.assert_allclose(found.similarity(tasks, tasks[:4]), vectors @ vectors[:4].T)
    squared = (vectors**2).sum(1)
    np.testing.assert_allclose(found.information(tasks), squared)
    np.testing.assert_allclose(found.direction(tasks), vectors / np.sqrt(squared)[:, None])
    np.testing.assert_array_equal(found.points(tasks), found.direction(tasks))
    for reading in (found.information, found.difficulty):
        np.testing.assert_allclose(reading(tasks[3]), reading(tasks)[[3]], rtol=1e-4)
    assert found.similarity(tasks[0], tasks[1]).shape == (1, 1)
    assert 0 < found.kept_ <= 1
    assert (np.diff(found.spectrum_) <= 0).all()


def test_new_tasks_have_the_similarities_of_the_success_model(fitted: ts.TaskEmbedder) -> None:
    features, rates, _ = skill_world(100, seed=7)
    model = fitted.model_
    np.testing.assert_array_equal(fitted.difficulty(features), model.difficulty(features))
    profiles = model.predict_proba(features)
    wide = ts.TaskEmbedder(40).fit(model)
    exact = profile_similarity(profiles, profiles)
    np.testing.assert_allclose(wide.similarity(features, features), exact, atol=0.02)
    truth = off_diagonal(profile_similarity(rates, rates))
    assert np.corrcoef(off_diagonal(fitted.similarity(features, features)), truth)[0, 1] > 0.9
    assert separation(fitted.transform(features), features[:, :3].argmax(1)) > 0.5


def test_the_difficulty_of_a_table_is_the_rate_of_failure(table: ts.TaskEmbedder) -> None:
    outcomes = planted(500, 3, 10, missing=0.1).outcomes
    expected = 1 - np.nanmean(outcomes.rates, axis=0)
    np.testing.assert_allclose(table.difficulty(outcomes.tasks), expected, rtol=1e-6)
    np.testing.assert_array_equal(
        table.difficulty(["task-3", "task-0"]), table.difficulty(outcomes.tasks)[[3, 0]]
    )


def test_planted_skills_are_found_in_a_table(table: ts.TaskEmbedder) -> None:
    world = planted(500, 3, 10, missing=0.1)
    vectors = table.transform(world.outcomes.tasks)
    assert separation(vectors, world.topics) > 0.7
    truth = off_diagonal(profile_similarity(world.rates, world.rates))
    assert np.corrcoef(off_diagonal(vectors @ vectors.T), truth)[0, 1] > 0.9


def test_held_out_scores_are_better_than_chance(
    fitted: ts.TaskEmbedder, table: ts.TaskEmbedder
) -> None:
    for found in (fitted, table):
        assert found.test_scores_["similarity"] > 0.62
        assert found.test_scores_["difficulty"] > 0.85
    assert fitted.score(skill_world(seed=3)[2]) > 0.75
    other = planted(500, 3, 10, missing=0.1)
    assert table.score(other.outcomes) > 0.75


def test_too_few_tasks_or_agents_have_no_scores() -> None:
    few = planted(10, 2, 8, rollouts=5)
    assert ts.TaskEmbedder(2, random_state=0).fit(few.outcomes).test_scores_ == {}
    assert embedder(2).fit(skill_world(50)[2]).test_scores_ == {}


# -- learning --------------------------------------------------------------------------------------


def test_a_map_of_a_fitted_model_is_the_map_of_its_outcomes() -> None:
    features, _, outcomes = skill_world(320)
    model = ts.SuccessModel(**TINY, random_state=0)
    one = ts.TaskEmbedder(2, model=model).fit(outcomes)
    other = ts.TaskEmbedder(2).fit(clone(model).fit(outcomes))
    np.testing.assert_array_equal(one.transform(features), other.transform(features))
    assert (set(one.test_scores_), other.test_scores_) == ({"similarity", "difficulty"}, {})
    assert not hasattr(model, "network_")  # it was cloned


def test_tasks_and_outcomes_may_come_apart() -> None:
    features, _, outcomes = skill_world(MANY)
    joined = untrained().fit(outcomes)
    plain = ts.Outcomes(outcomes.successes, outcomes.rollouts)
    apart = untrained().fit(features, outcomes=plain)
    np.testing.assert_array_equal(joined.transform(features), apart.transform(features))
    scores = untrained().fit(features, outcomes.rates.T)
    assert scores.transform(features).shape == (MANY, 2)


def test_the_same_seed_learns_the_same_bits() -> None:
    features, _, outcomes = skill_world(MANY)
    one, other = (untrained().fit(outcomes).transform(features) for _ in "ab")
    np.testing.assert_array_equal(one, other)
    third = untrained().set_params(random_state=1).fit(outcomes).transform(features)
    assert not np.array_equal(one, third)


def test_any_number_of_threads_gives_the_same_bits() -> None:
    maps = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            world = planted(200, 3, 20).outcomes
            maps.append(ts.TaskEmbedder(3, random_state=0).fit(world).transform(world.tasks))
    np.testing.assert_array_equal(maps[0], maps[1])


@pytest.mark.slow
def test_two_seeds_agree() -> None:
    world = planted(500, 3, 10, missing=0.2).outcomes
    one, other = (ts.TaskEmbedder(3, random_state=seed).fit(world) for seed in (0, 1))
    np.testing.assert_allclose(one.transform(world.tasks), other.transform(world.tasks), atol=1e-6)
    features, _, outcomes = skill_world()
    one, other = (embedder(3, random_state=seed).fit(outcomes) for seed in (0, 1))
    found = agreement(one, other, features)
    assert found["similarity"] > 0.9
    assert found["difficulty"] > 0.95
    assert found["best_cosine"] > 0.9


def test_global_randomness_is_neither_used_nor_touched() -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    untrained().fit(skill_world(MANY)[2])
    assert torch.equal(before, torch.get_rng_state())


def test_it_works_in_a_pipeline_and_under_clone() -> None:
    features, _, outcomes = skill_world(MANY)
    pipeline = make_pipeline(StandardScaler(), untrained())
    assert clone(pipeline).fit_transform(features, outcomes.rates.T).shape == (MANY, 2)


@pytest.mark.slow
def test_auto_keeps_nearly_everything() -> None:
    for found in (
        embedder().fit(skill_world(150)[2]),
        ts.TaskEmbedder(random_state=0).fit(planted(500, 4, 10).outcomes),
    ):
        assert found.kept_ >= 0.95
        assert found.n_components_ >= 3


def test_a_second_fit_forgets_the_first() -> None:
    features, _, outcomes = skill_world(MANY)
    plain = ts.Outcomes(outcomes.successes, outcomes.rollouts)
    frame = pd.DataFrame(features, columns=list("abcd"))
    found = untrained()
    for _ in range(2):
        assert found.fit(plain).transform(plain.tasks).shape == (MANY, 2)
        assert not hasattr(found, "feature_names_in_")
        assert found.fit(frame, outcomes.rates.T).transform(frame).shape == (MANY, 2)
        assert found.task_names_ is None
        assert found.feature_names_in_.tolist() == list("abcd")
    model = found.model_
    assert found.fit(model).transform(features).shape == (MANY, 2)
    assert not hasattr(found, "feature_names_in_")


# -- opposite tasks --------------------------------------------------------------------------------


def opposed(with_features: bool) -> tuple[ts.Outcomes, Any]:
    """Agents that solve the tasks of one type fail on those of the other."""
    rng = np.random.default_rng(0)
    sign, level = np.repeat([1.0, -1.0], MANY // 2), rng.normal(0, 0.5, MANY)
    rates = 1 / (1 + np.exp(-3 * sign * (rng.normal(size=(150, 1)) - level)))
    features = np.column_stack([sign, level]) if with_features else None
    return ts.Outcomes(rng.binomial(4, rates), np.array(4), features=features), sign > 0


@pytest.mark.slow
@pytest.mark.parametrize("with_features", [True, False])
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.filterwarnings("ignore:.*oppos")
def test_opposite_tasks_are_opposite_by_correlation_alone(
    measure: str, with_features: bool
) -> None:
    outcomes, first = opposed(with_features)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = embedder(2, measure=measure).fit(outcomes)
    # Only if opposites are similar are they a surprise.
    warned = any("anti-correlated" in str(warning.message) for warning in caught)
    assert warned == (measure == INFORMATION)
    tasks = outcomes.task_inputs
    between = found.similarity(tasks[first], tasks[~first])
    assert (between.mean() > 0.05) if measure == INFORMATION else (between.mean() < -0.2)
    assert found.similarity(tasks[first], tasks[first]).mean() > 0.05


# -- nothing to learn ------------------------------------------------------------------------------


@pytest.mark.parametrize("agents", [1, 20])
@pytest.mark.parametrize("with_features", [True, False])
def test_agents_that_do_not_differ_are_told(agents: int, with_features: bool) -> None:
    features = np.arange(8.0)[:, None] if with_features else None
    solved = np.tile(np.arange(8) % 2, (agents, 1))
    outcomes = ts.Outcomes(solved, np.array(1), features=features)
    with pytest.raises(ValueError, match=says(f"agents {agents}")):
        ts.TaskEmbedder(2).fit(outcomes)
    with pytest.warns(UserWarning, match=says("outcomes share no information")):  # from y
        found = ts.TaskEmbedder(2, model=ts.SuccessModel(width=4, epochs=0), random_state=0).fit(
            np.arange(8.0)[:, None], solved.T
        )
    np.testing.assert_allclose(found.transform([[1.0], [2.0]]), np.zeros((2, 2)), atol=1e-6)
    assert found.kept_ == 1


# -- files -----------------------------------------------------------------------------------------


def test_save_and_load_give_the_same_bits(
    either: tuple[ts.TaskEmbedder, Any], tmp_path: Path
) -> None:
    found, tasks = either
    for _ in range(2):  # replaces itself
        found.save(tmp_path / "map")
    loaded = ts.TaskEmbedder.load(tmp_path / "map")
    for reading in ("transform", "difficulty", "information"):
        np.testing.assert_array_equal(
            getattr(loaded, reading)(tasks), getattr(found, reading)(tasks)
        )
    assert loaded.get_params() == {**found.get_params(deep=False), "model": None}
    for name in ("kept_", "test_scores_", "n_components_", "n_features_in_"):
        assert getattr(loaded, name) == getattr(found, name)
    np.testing.assert_array_equal(loaded.spectrum_, found.spectrum_)
    assert (tmp_path / "map" / "success-model").is_dir() == (found.task_names_ is None)
    assert [path.name for path in tmp_path.iterdir()] == ["map"]
    loaded.save(tmp_path / "again")
    one, other = (
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.*")}
        for folder in (tmp_path / "map", tmp_path / "again")
    )
    assert one.keys() == other.keys()
    weights = [path for path in one if path.suffix == ".safetensors"]
    assert all(one[path] == other[path] for path in weights)


def test_a_map_with_a_model_replaces_one_without_and_the_other_way_round(
    fitted: ts.TaskEmbedder, table: ts.TaskEmbedder, tmp_path: Path
) -> None:
    for found in (fitted, table, fitted):
        found.save(tmp_path / "map")
        loaded = ts.TaskEmbedder.load(tmp_path / "map")
        assert (loaded.task_names_ is None) == (found is fitted)


def test_names_of_features_come_back(tmp_path: Path) -> None:
    features, _, outcomes = skill_world(MANY)
    frame = pd.DataFrame(features, columns=["x", "größe", "z", "level"])
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".*feature names")  # of scikit-learn
        untrained().fit(frame, outcomes.rates.T).save(tmp_path / "map")
    loaded = ts.TaskEmbedder.load(tmp_path / "map")
    assert loaded.feature_names_in_.tolist() == ["x", "größe", "z", "level"]
    assert loaded.transform(frame).shape == (MANY, 2)


@pytest.mark.parametrize("name", ["success-model.json", "weights.safetensors", None])
@pytest.mark.parametrize("damage", ["cut", "foreign", "missing"])
def test_a_damaged_success_model_is_refused(
    fitted: ts.TaskEmbedder, tmp_path: Path, name: str | None, damage: str
) -> None:
    fitted.save(tmp_path / "map")
    inner = tmp_path / "map" / "success-model"
    for path in [inner / name] if name else [*inner.iterdir()]:
        whole = path.read_bytes()
        path.unlink()
        if damage != "missing":
            path.write_bytes(whole[: len(whole) // 2] if damage == "cut" else b"{}")
    if name is None and damage == "missing":
        inner.rmdir()
    with pytest.raises((ValueError, FileNotFoundError), match=says(str(tmp_path / "map"))):
        ts.TaskEmbedder.load(tmp_path / "map")


# -- bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "tokens"),
    [
        ({"n_components": 0}, "n_components 0"),
        ({"n_components": "many"}, "n_components 'many'"),
        ({"n_components": 1.5}, "n_components 1.5"),
        ({"measure": "bits"}, "measure information correlation 'bits'"),
        ({"model": "net"}, "model SuccessModel str"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        ts.TaskEmbedder(**settings).fit(planted(20, 2, 4).outcomes)


def test_names_are_no_rows_and_rows_no_names(
    fitted: ts.TaskEmbedder, table: ts.TaskEmbedder
) -> None:
    for reading in (fitted.transform, fitted.difficulty):
        with pytest.raises(ValueError, match=says("tasks features names")):
            reading(["task-0", "task-1"])
        with pytest.raises(ValueError, match=says("tasks finite row 1")):
            reading([[0.0, 1.0, 0.0, 0.5], [0.0, np.nan, 0.0, 0.5]])
        with pytest.raises(ValueError, match=says("features 2 4")):
            reading(np.zeros((3, 2)))
    for reading in (table.transform, table.difficulty):
        with pytest.raises(ValueError, match=says("features names (4, 2)")):
            reading(np.zeros((4, 2)))
        with pytest.raises(ValueError, match=says("'nothing' 30")):
            reading(["task-1", "nothing"])


def test_bad_data_are_refused(fitted: ts.TaskEmbedder) -> None:
    features, _, outcomes = skill_world(20)
    with pytest.raises(ValueError, match=says("y")):
        embedder().fit(features)
    with pytest.raises(ValueError, match=says("features 20 (10, 4)")):
        embedder().fit(features[:10], outcomes=outcomes)
    with pytest.raises(ValueError, match=says("y 20 tasks (40, 20)")):
        embedder().fit(features, outcomes.rates)
    with pytest.raises(ValueError, match=says("outcomes solved")):
        ts.TaskEmbedder().fit(ts.Outcomes(np.zeros((20, 5), int), np.array(1)))
    nameless = ts.SuccessModel(random_state=0).fit(
        ts.Outcomes(outcomes.successes, outcomes.rollouts)
    )
    with pytest.raises(ValueError, match=says("success model features outcomes")):
        embedder().fit(nameless)
    with pytest.raises(ValueError, match=says("outcomes 3 2")):
        ts.TaskEmbedder().fit(ts.Outcomes([[1, 0], [1, 1]], 1))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="features"):
        fitted.score(ts.Outcomes(outcomes.successes, outcomes.rollouts))


def test_returns_with_features_give_a_map_by_the_order_of_agents(tmp_path: Path) -> None:
    features, rates, _ = skill_world(MANY)
    noise = np.random.default_rng(2).normal(0, 5, rates.shape)
    returns = np.exp(3 * rates) * 10 + noise - 300  # a curve of the rates
    outcomes = ts.Outcomes.from_returns(returns, features=features)
    fitted = embedder().fit(outcomes)
    need = features[:, :3].argmax(1)
    same = need[:, None] == need
    similarity = fitted.similarity(features, features)
    assert similarity[same].mean() > 3 * max(similarity[~same].mean(), 0.01)
    assert fitted.test_scores_["similarity"] > 0.7
    fitted.save(tmp_path / "map")
    again = ts.TaskEmbedder.load(tmp_path / "map")
    assert (again.transform(features[:9]) == fitted.transform(features[:9])).all()
    assert (again.difficulty(features[:9]) == fitted.difficulty(features[:9])).all()


# -- opposite tasks --------------------------------------------------------------------------------


def opposite_groups(agents: int = 80, missing: float = 0.0, seed: int = 0) -> ts.Outcomes:
    """30 tasks: one half of the agents solves the first 15, the other half the last 15.

    Some tasks also require a second skill, which is independent of the halves.
    """
    rng = np.random.default_rng(seed)
    half, side = np.repeat([1, -1], 15), np.where(np.arange(agents) % 2, 1, -1)[:, None]
    other = rng.normal(size=(agents, 1)) * (np.arange(30) % 5 == 0)
    rates = 1 / (1 + np.exp(-2.5 * side * half * (other == 0) - 2.5 * other))
    counts = (rng.random(rates.shape) >= missing).astype(np.int64)
    return ts.Outcomes(rng.binomial(counts, rates), counts)


GROUPS = np.repeat([0, 1], 15)
PURE = np.arange(30) % 5 != 0


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize(("measure", "sign"), [("information", 1), ("correlation", -1)])
def test_opposite_groups_coincide_or_are_opposite(measure: str, sign: int, missing: float) -> None:
    outcomes = opposite_groups(200, missing=missing)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = ts.TaskEmbedder(2, measure=measure, random_state=0).fit(outcomes)
    directions = found.direction(outcomes.tasks)
    one, other = directions[PURE & (GROUPS == 0)], directions[PURE & (GROUPS == 1)]
    assert (one @ one.T).mean() > 0.9
    assert sign * (one @ other.T).mean() > 0.9


def test_a_map_is_judged_by_its_own_measure() -> None:
    """By correlation, the order of triplets is clear; by information, groups are equally near."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        signed, bits = (
            ts.TaskEmbedder(1, measure=measure, random_state=0).fit(opposite_groups())
            for measure in ("correlation", "information")
        )
    assert signed.test_scores_["similarity"] > bits.test_scores_["similarity"] + 0.1
    assert signed.test_scores_["plain"] > bits.test_scores_["plain"] + 0.1
    assert signed.score(opposite_groups(seed=1)) > 0.6


def test_opposite_tasks_of_a_success_model_are_opposite(tmp_path: Path) -> None:
    """Tasks with features: which half of the agents solves a task follows from the feature."""
    rng = np.random.default_rng(0)
    place = rng.uniform(-1, 1, 400)
    side = np.where(np.arange(40) % 2, 1, -1)[:, None]
    rates = 1 / (1 + np.exp(-4 * side * np.sign(place)))
    given = ts.Outcomes(rng.binomial(5, rates), np.array(5), features=place[:, None])
    model = ts.SuccessModel(width=16, epochs=10, random_state=0, progress=False).fit(given)
    found = ts.TaskEmbedder(1, measure="correlation").fit(model)
    assert found.similarity([[0.5]], [[0.6], [-0.6]]).round(1).tolist()[0] == pytest.approx(
        model.similarity([[0.5]], [[0.6], [-0.6]], "correlation")[0].tolist(), abs=0.1
    )
    assert (found.direction([[0.5]]) @ found.direction([[-0.5]]).T).item() == pytest.approx(-1)
    found.save(tmp_path / "map")
    again = ts.TaskEmbedder.load(tmp_path / "map")
    assert again.measure == "correlation"
    np.testing.assert_array_equal(again.transform(place[:, None]), found.transform(place[:, None]))


@pytest.mark.parametrize("agents", [16, 60])
def test_independent_results_give_a_weak_map_by_correlation(agents: int) -> None:
    weak = 0
    for seed in range(8):
        coins = np.random.default_rng(seed).integers(0, 2, (agents, 20))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ts.TaskEmbedder(measure="correlation", random_state=0).fit(ts.Outcomes(coins, 1))  # type: ignore[arg-type]
        weak += any(issubclass(each.category, WeakMapWarning) for each in caught)
    assert weak >= 7


@pytest.mark.filterwarnings("ignore::taskspace.models.embedding.verdict.WeakMapWarning")
def test_halves_of_agents_do_not_agree_on_the_difficulty_of_noise() -> None:
    """The range of returns that all agents reached must not be known to both halves."""
    found = []
    for seed in range(8):
        noise = np.random.default_rng(seed).normal(size=(40, 30))
        embedder = ts.TaskEmbedder(random_state=0).fit(ts.Outcomes.from_returns(noise))
        found.append(embedder.test_scores_["difficulty"])
    assert np.mean(found) == pytest.approx(0.5, abs=0.12)


@pytest.mark.filterwarnings("ignore::taskspace.models.embedding.verdict.WeakMapWarning")
def test_more_dimensions_than_tasks_are_refused_without_features() -> None:
    skill = np.random.default_rng(0).normal(size=(40, 1))
    solved = np.random.default_rng(1).random((40, 15)) < 1 / (1 + np.exp(-2 * skill))
    outcomes = ts.Outcomes(solved, np.array(1))
    with pytest.raises(ValueError, match=says("n_components 15 16")):
        ts.TaskEmbedder(16).fit(outcomes)
    assert ts.TaskEmbedder(15, random_state=0).fit(outcomes).n_components_ == 15

"""What a predictor learns from outcomes and from a success model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.applications.candidates import ON_MAP, SIMULATED, SKILLS, TILTS
from taskspace.applications.model_candidates import ModelCandidates
from taskspace.applications.predictor import PerformancePredictor, predict
from taskspace.applications.prior import FEWEST_AGENTS, MIXES, TEMPERS
from tests.applications.predictors import (
    FEATURES,
    KNOWN,
    NEAR,
    PREDICTOR,
    Fixed,
    Kinds,
    Plain,
    table,
    two_kinds,
)

# -- learning from outcomes --------------------------------------------------------------------


def test_an_answer_tells_the_kind() -> None:
    predictor = PerformancePredictor().fit(table(two_kinds(60, np.random.default_rng(1)), 1))
    posterior = predictor.posterior_
    assert posterior.profiles.shape == (20, 60 + SIMULATED + SKILLS * len(TILTS))
    parts = np.split(posterior.prior, [60, 60 + SIMULATED])
    assert tuple(part.sum().round(6) for part in parts) in MIXES
    assert posterior.temper in TEMPERS
    predicted = predictor.predict_proba([0, 1, 12], [1, 1, 0], [5, 15])
    np.testing.assert_allclose(predicted, [0.9, 0.1], atol=0.1)


@pytest.mark.slow
def test_after_one_answer_hard_tasks_are_still_hard() -> None:
    rng = np.random.default_rng(2)
    rates = np.linspace(0.05, 0.95, 20)
    predictor = PerformancePredictor().fit(table(rng.binomial(1, np.tile(rates, (100, 1))), 1))
    predicted = predictor.predict_proba([10], [1], np.arange(20))
    assert np.abs(predicted - rates).mean() < 0.1


@pytest.mark.slow
def test_an_agent_unlike_all_known_ones_is_believed() -> None:
    rng = np.random.default_rng(3)
    ability = rng.normal(0, 0.5, (40, 1))
    chances = 1 / (1 + np.exp(rng.normal(size=30) - ability))
    predictor = PerformancePredictor().fit(table(rng.binomial(1, chances), 1))
    quiz, others = np.arange(20), np.arange(20, 30)
    best = predictor.predict_proba(quiz, np.ones(20), others)
    worst = predictor.predict_proba(quiz, np.zeros(20), others)
    assert (best > worst + 0.15).all()


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bits() -> None:
    outcomes = table(two_kinds(12, np.random.default_rng(4))[:, 5:15], 1)
    first, second = (
        PerformancePredictor(random_state=1).fit(outcomes).posterior_ for _ in range(2)
    )
    assert first.temper == second.temper
    np.testing.assert_array_equal(first.prior, second.prior)
    np.testing.assert_array_equal(first.profiles, second.profiles)


def test_gaps_are_allowed() -> None:
    rng = np.random.default_rng(5)
    tried = rng.integers(0, 2, (60, 20))
    predictor = PerformancePredictor().fit(table(two_kinds(60, rng) * tried, tried))
    predicted = predictor.predict_proba([0, 1, 2], [1, 1, 1], [5, 15])
    assert predicted[0] > 0.7
    assert predicted[1] < 0.3


@pytest.mark.parametrize("agents", [1, 2, 4])
def test_few_agents_are_better_than_none(agents: int) -> None:
    outcomes = table(np.tile([1, 1, 0, 0], (agents, 1)), 1)
    predicted = PerformancePredictor().fit(outcomes).predict_proba([0], [1], [1, 2])
    assert predicted[0] > predicted[1]


@pytest.mark.slow
def test_a_map_on_which_agents_solve_neighbours_is_used() -> None:
    """Every agent solves the tasks on the crests of a wave of its own, so few agents are alike."""
    rng = np.random.default_rng(6)
    places = rng.uniform(size=(60, 2))
    waves = places @ rng.normal(0, 6, (2, 40)) + rng.uniform(0, 2 * np.pi, 40)
    solved = (np.cos(waves).T > 0).astype(int)
    outcomes, new = table(solved[:20], 1), solved[20:]
    alone = PerformancePredictor().fit(outcomes)
    mapped = PerformancePredictor(embedder=Fixed(places)).fit(outcomes)
    assert len(mapped.posterior_.prior) == len(alone.posterior_.prior) + ON_MAP
    quiz, others = np.arange(20), np.arange(20, 60)
    errors = [
        np.mean([np.abs(p.predict_proba(quiz, a[quiz], others) - a[others]) for a in new])
        for p in (alone, mapped)
    ]
    assert errors[1] < errors[0] - 0.01


@pytest.mark.slow
def test_a_map_that_says_nothing_changes_nothing() -> None:
    outcomes = table(two_kinds(60, np.random.default_rng(6)), 1)
    places = np.random.default_rng(1).normal(size=(20, 2))
    alone = PerformancePredictor().fit(outcomes).posterior_
    mapped = PerformancePredictor(embedder=Fixed(places)).fit(outcomes).posterior_
    np.testing.assert_array_equal(mapped.prior, alone.prior)
    np.testing.assert_array_equal(mapped.profiles, alone.profiles)
    assert mapped.temper == alone.temper


@pytest.mark.parametrize(
    ("vectors", "token"),
    [
        (np.ones((5, 2)), "row"),
        (np.ones(7), "row"),
        (np.full((7, 2), np.nan), "finite"),
    ],
)
def test_bad_vectors_are_refused(vectors: Any, token: str) -> None:
    with pytest.raises(ValueError, match=f"tasks of the outcomes.*{token}"):
        PerformancePredictor(embedder=Fixed(vectors)).fit(KNOWN)


@pytest.mark.slow
def test_outcomes_are_learned_from() -> None:
    outcomes = table([[1, 1, 0, 0]] * 9 + [[0, 1, 1, 0]] * 9, 1)
    first, other = (
        predict(outcomes, ["task-0"], [result], ["task-1", "task-2", "task-3"]) for result in (1, 0)
    )
    assert first[0] > 0.8
    assert other[0] > 0.8
    assert first[1] < 0.4 < 0.6 < other[1]
    assert max(first[2], other[2]) < 0.2


@pytest.mark.slow
@pytest.mark.parametrize("features", [True, False])
def test_features_and_names_have_the_same_map(features: bool) -> None:
    solved = np.random.default_rng(8).integers(0, 2, (12, 7))
    known = table(solved, 1, features=FEATURES) if features else table(solved, 1)
    embedder: Any = Plain() if features else Fixed(FEATURES)
    predictor = PerformancePredictor(embedder=Fixed(FEATURES)).fit(table(solved, 1))
    expected = predictor.predict_proba([0], [1], [1, 2])
    predicted = predict(known, [0], [1], [1, 2], embedder=embedder)
    np.testing.assert_allclose(predicted, expected, **NEAR)


# -- learning from a success model -------------------------------------------------------------


def test_answers_tell_the_kind_on_new_tasks() -> None:
    model = Kinds()
    quiz, tasks = np.array([[0.1], [0.2], [0.8], [0.9]]), np.array([[0.31], [0.71]])
    chances = ts.predict(model, quiz, [1, 1, 0, 0], tasks)
    assert chances[0] > 0.75
    assert chances[1] < 0.25
    np.testing.assert_allclose(
        ts.predict(model, quiz, [0, 0, 1, 1], tasks)[0], chances[1], atol=0.1
    )


def test_a_fitted_predictor_gives_the_same() -> None:
    model = Kinds()
    predictor = PerformancePredictor().fit(model)
    assert isinstance(predictor.candidates_, ModelCandidates)
    quiz, tasks = np.array([[0.1], [0.6]]), np.array([[0.2], [0.7]])
    one, other = (ts.predict(source, quiz, [1, 0], tasks) for source in (model, predictor))
    np.testing.assert_allclose(one, other, **NEAR)


def test_a_task_of_the_sample_is_the_same_by_name_number_and_features() -> None:
    predictor, sample = PerformancePredictor().fit(Kinds()), Kinds().sample_
    assert predictor.tasks_[[0, 119]].tolist() == ["task-0", "task-119"]
    ways = (
        predictor.predict_proba(["task-3"], [1], ["task-7", "task-90"]),
        predictor.predict_proba([3], [1], [7, 90]),
        predictor.predict_proba(sample[[3]], [1], sample[[7, 90]]),
        predictor.predict_proba(sample[[3]], [1], np.concatenate([sample[[7, 90]], [[0.1234]]])),
    )
    for way in ways[1:]:
        np.testing.assert_allclose(way[:2], ways[0], **NEAR)


def test_intervals_of_a_model_hold_the_chances() -> None:
    quiz, tasks = np.array([[0.1], [0.6]]), np.linspace(0, 1, 30)[:, None]
    for level in (1e-9, 0.5, 0.8):
        chances, low, high = ts.predict(Kinds(), quiz, [1, 0], tasks, interval=level)
        assert ((low <= chances) & (chances <= high)).all()
        assert (high - low < 0.9).all()


def test_few_agents_of_a_model_are_better_than_none() -> None:
    agents = FEWEST_AGENTS - 1
    chances = ts.predict(Kinds(agents), [[0.1], [0.2]], [1, 1], [[0.3]])
    assert chances[0] > 0.5


@pytest.mark.slow
def test_a_success_model_predicts_by_features_and_by_names() -> None:
    rng = np.random.default_rng(0)
    tasks, skills = rng.uniform(size=(1100, 2)), rng.uniform(size=(30, 2))
    solved = 2 * np.all(skills[:, None] > tasks, axis=2)
    model = ts.SuccessModel(width=32, epochs=1, random_state=0).fit(
        table(solved, 2, features=tasks)
    )
    easy, hard = [[0.05, 0.05]], [[0.95, 0.95]]
    able = ts.predict(model, [[0.5, 0.5]], [1], easy + hard)
    assert able[0] > 0.8 > 0.2 > able[1]
    named = PerformancePredictor().fit(ts.SuccessModel(random_state=0).fit(table(solved, 2)))
    assert named.predict_proba(["task-0"], [1], ["task-1", "task-2"]).shape == (2,)
    # Every task that the model knows, whether it is one of the few hundred of its sample or not.
    names = [f"task-{number}" for number in range(1100)]
    assert len(named.tasks_) < 1100
    assert named.predict_proba(names, solved[0] / 2, names).shape == (1100,)
    with pytest.raises(ValueError, match="nowhere"):
        named.predict_proba(["nowhere"], [1], ["task-1"])


def test_other_tasks_may_have_the_names() -> None:
    model, tasks = Kinds(), np.array([[0.3], [0.9]])
    predictor = PerformancePredictor().fit(model)
    over = predictor.over(tasks)
    assert over.tasks_.tolist() == ["task-0", "task-1"]
    expected = predictor.predict_proba(tasks[:1], [1], tasks[1:])
    np.testing.assert_allclose(over.predict_proba(["task-0"], [1], ["task-1"]), expected, **NEAR)
    np.testing.assert_allclose(over.predict_proba([0], [1], [[0.9], [0.7]])[:1], expected, **NEAR)
    with pytest.raises(ValueError, match="SuccessModel"):
        PREDICTOR.over(tasks)


def test_named_tasks_keep_their_names() -> None:
    solved = two_kinds(20, np.random.default_rng(9))
    model = ts.SuccessModel(random_state=0).fit(table(solved, 1))
    for names in (["task-4", "task-2"], np.array(["task-4", "task-2"], object)):
        over = PerformancePredictor().fit(model).over(names)
        assert over.tasks_.tolist() == ["task-4", "task-2"]
        assert over.posterior_.profiles.shape[0] == 2


def test_a_drawn_seed_is_kept() -> None:
    predictor = PerformancePredictor(random_state=None).fit(Kinds())  # type: ignore[arg-type]
    one, other = (predictor.over([[0.2]]).posterior_.profiles for _ in range(2))
    np.testing.assert_array_equal(one, other)

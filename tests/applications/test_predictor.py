"""`PerformancePredictor`: what it learns from outcomes and from a model, files, and bad input."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

import taskspace as ts
from taskspace.applications.candidates import ON_MAP, SIMULATED, SKILLS, TILTS
from taskspace.applications.model_candidates import ModelCandidates
from taskspace.applications.posterior import Posterior
from taskspace.applications.predictor import PerformancePredictor, as_predictor, predict
from taskspace.applications.predictor_files import FORMAT, FORMAT_VERSION
from taskspace.applications.prior import FEWEST_AGENTS, MIXES, TEMPERS
from taskspace.applications.task_mixtures import TaskMixture
from taskspace.files import write_arrays
from taskspace.models.success.model import SuccessModel
from taskspace.outcomes.outcomes import Outcomes
from tests import tolerances
from tests.messages import says

RNG = np.random.default_rng(0)
FEATURES = RNG.normal(size=(7, 3))
PROFILES = RNG.uniform(size=(7, 4)).astype(np.float32)
NEAR: Any = {"rtol": 0, "atol": tolerances.CHANCE}


def table(successes: Any, rollouts: Any, **more: Any) -> Outcomes:
    return Outcomes(np.asarray(successes), np.asarray(rollouts), **more)


class Plain:
    """A map that leaves tasks as they are."""

    def transform(self, tasks: Any, /) -> NDArray[np.float64]:
        return np.asarray(tasks, np.float64)


class Fixed:
    """A map that gives the same vectors whatever the tasks are."""

    def __init__(self, vectors: Any) -> None:
        self.vectors = vectors

    def transform(self, tasks: Any, /) -> Any:
        return self.vectors


KNOWN = table(np.ones((2, 7), int), 1, features=FEATURES)
POSTERIOR = Posterior(PROFILES, np.full(4, 0.25), 1.0, 32.0)


def predictor_of(embedder: Any = None) -> PerformancePredictor:
    return PerformancePredictor.from_posterior(POSTERIOR, KNOWN.tasks, KNOWN.features, embedder)


PREDICTOR = predictor_of()


def of_posterior(quiz: list[int], results: list[float], tasks: list[int]) -> NDArray[np.float64]:
    known = TaskMixture.known
    return POSTERIOR.predict_proba(known(quiz), np.array(results, np.float64), known(tasks))


# -- learning from outcomes --------------------------------------------------------------------


def two_kinds(agents: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """One subpopulation solves the first ten tasks, the other the last ten, with some noise."""
    first = rng.integers(0, 2, agents)[:, None] == np.repeat([0, 1], 10)
    return rng.binomial(1, np.where(first, 0.9, 0.1))


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


class Kinds:
    """Two subpopulations: each solves one half of the tasks, some agents better than others."""

    def __init__(self, agents: int = 40) -> None:
        self.skill = np.linspace(0.6, 0.95, agents)[:, None]
        self.left = np.arange(agents)[:, None] % 2 == 0
        self.sample_ = np.linspace(0, 1, 120)[:, None]

    def predict_proba(self, tasks: Any) -> Any:
        own = (np.asarray(tasks)[:, 0] < 0.5) == self.left
        return np.where(own, self.skill, 1 - self.skill)


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


# -- predicting --------------------------------------------------------------------------------


def test_names_numbers_and_features_give_the_same() -> None:
    expected = of_posterior([0, 2], [1, 0], [1, 5])
    for quiz, tasks in (
        (["task-0", "task-2"], ["task-1", "task-5"]),
        ([0, 2], np.array([1, 5])),
        (FEATURES[[0, 2]], FEATURES[[1, 5]]),
    ):
        np.testing.assert_allclose(predict(PREDICTOR, quiz, [1, 0], tasks), expected, **NEAR)
        np.testing.assert_allclose(PREDICTOR.predict_proba(quiz, [1, 0], tasks), expected, **NEAR)
        np.testing.assert_array_equal(PREDICTOR.numbers(tasks), [1, 5])


def test_booleans_integers_and_rates_are_all_results() -> None:
    expected = of_posterior([0, 2], [1, 0], [1, 5])
    for results in ([True, False], np.array([1, 0], np.uint8), (1.0, 0.0)):
        np.testing.assert_allclose(
            PREDICTOR.predict_proba([0, 2], results, [1, 5]), expected, **NEAR
        )
    rates = PREDICTOR.predict_proba([0, 2], [0.5, 0.25], [1, 5])
    np.testing.assert_allclose(rates, of_posterior([0, 2], [0.5, 0.25], [1, 5]), **NEAR)


def test_new_tasks_are_predicted_from_those_near_on_the_map() -> None:
    tasks = [FEATURES[3] + 1e-3, FEATURES[3]]
    predicted = predict(predictor_of(Plain()), FEATURES[:2], [1, 0], tasks)
    alone = of_posterior([0, 1], [1, 0], list(range(7)))
    assert predicted[1] == pytest.approx(alone[3], abs=tolerances.CHANCE)
    assert alone.min() < predicted[0] < alone.max()
    assert predicted[0] != predicted[1]


def test_a_second_fit_forgets_the_first() -> None:
    """What is near a new task are tasks of the last fit, not of the one before."""
    solved = np.tile([0, 1], (6, 1))
    predictor = PerformancePredictor(embedder=Plain())
    for features, expected in (([[0.0], [9.0]], 0), ([[9.0], [0.0]], 1)):
        predictor.fit(table(solved, 1, features=np.array(features)))
        assert round(predictor.predict_proba([], [], [[0.5]])[0]) == expected


def test_an_empty_quiz_gives_the_mean_of_the_candidates() -> None:
    expected = PROFILES.mean(1)
    quizzes: list[Any] = [[], np.zeros((0, 3))]
    for quiz in quizzes:
        np.testing.assert_allclose(predict(PREDICTOR, quiz, [], np.arange(7)), expected, **NEAR)
        np.testing.assert_array_equal(PREDICTOR.weights(quiz, []), POSTERIOR.prior)
    earlier = np.array([0.7, 0.1, 0.1, 0.1])
    np.testing.assert_array_equal(PREDICTOR.weights([], [], prior=earlier), earlier)


def test_of_no_tasks_there_are_no_chances() -> None:
    chances, low, high = predict(PREDICTOR, [0], [1], [], interval=0.9)
    assert chances.shape == low.shape == high.shape == (0,)


def test_single_updates_are_one_update_with_all_answers() -> None:
    model, new = PerformancePredictor().fit(Kinds()), [[0.123], [0.456], [0.789], [0.123]]
    for predictor, quiz in ((PREDICTOR, ["task-1", "task-4", "task-6", "task-1"]), (model, new)):
        results, weights = [1, 0, 0.25, 1], None
        for task, result in zip(quiz, results, strict=True):
            weights = predictor.weights([task], [result], prior=weights)
        assert weights is not None
        together = predictor.weights(quiz, results)
        np.testing.assert_allclose(weights, together, rtol=1e-4, atol=1e-12)


def test_a_skipped_answer_does_not_count() -> None:
    quiz, tasks = ["task-1", "task-4", "task-6"], ["task-2", "task-3"]
    skipped = PREDICTOR.predict_proba(quiz, [1, np.nan, 0], tasks)
    np.testing.assert_array_equal(
        skipped, PREDICTOR.predict_proba(["task-1", "task-6"], [1, 0], tasks)
    )
    nothing = [PREDICTOR.interval([], [], tasks), PREDICTOR.interval(quiz, [np.nan] * 3, tasks)]
    np.testing.assert_array_equal(nothing[0], nothing[1])
    for part in PREDICTOR.interval(quiz, [1, None, 0], tasks):  # type: ignore[arg-type]
        assert np.isfinite(part).all()


def test_one_task_has_a_number_if_it_is_known() -> None:
    for task in ("task-4", 4, FEATURES[4], FEATURES[4].tolist()):
        assert PREDICTOR.number(task) == 4
    assert PREDICTOR.number([0.0, 0.0, 0.0]) is None
    assert PREDICTOR.number("nothing") is None
    with pytest.raises(ValueError, match=says("7")):
        PREDICTOR.number(7)


# -- intervals ---------------------------------------------------------------------------------


def test_an_interval_comes_with_the_chances() -> None:
    weights = POSTERIOR.weights(TaskMixture.known([0, 2]), np.array([1.0, 0.0]))
    expected = POSTERIOR.interval(weights, TaskMixture.known([1, 5]), 0.8)
    chances, low, high = predict(PREDICTOR, [0, 2], [1, 0], [1, 5], interval=0.8)
    same = POSTERIOR.mean(weights, TaskMixture.known([1, 5]))
    np.testing.assert_allclose(chances, same, **NEAR)
    np.testing.assert_allclose([low, high], expected, rtol=0, atol=tolerances.BOUND)
    alone = PREDICTOR.interval([0, 2], [1, 0], [1, 5], 0.8)
    np.testing.assert_array_equal(alone, [low, high])
    wide = predict(PREDICTOR, [0, 2], [1, 0], [1, 5], interval=0.99)
    assert (wide[1] <= low).all()
    assert (wide[2] >= high).all()


@pytest.mark.parametrize("interval", [0, 1, 90, -0.1, np.nan, "wide", [0.9, 0.5]])
def test_bad_intervals_are_refused(interval: Any) -> None:
    with pytest.raises(ValueError, match="interval"):
        predict(PREDICTOR, [0], [1], [1], interval=interval)
    with pytest.raises(ValueError, match="interval"):
        PREDICTOR.interval([0], [1], [1], interval)


# -- bad input ---------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [3, None, "outcomes", ts.SuccessModel(), Plain(), [[1, 0]]])
def test_what_is_no_source_is_refused(wrong: Any) -> None:
    for use in (
        PerformancePredictor().fit,
        lambda source: as_predictor(source, tasks={}),
        lambda source: predict(source, [0], [1], [1]),
    ):
        with pytest.raises(TypeError, match=type(wrong).__name__):
            use(wrong)


def test_a_fitted_predictor_has_its_embedder() -> None:
    assert as_predictor(PREDICTOR, tasks={}) is PREDICTOR
    with pytest.raises(ValueError, match="embedder"):
        predict(PREDICTOR, [0], [1], [1], embedder=Plain())


@pytest.mark.parametrize("seed", [-1, 1.5, True])
def test_bad_seeds_are_refused(seed: Any) -> None:
    with pytest.raises(ValueError, match="seed"):
        PerformancePredictor(random_state=seed).fit(KNOWN)


@pytest.mark.parametrize(
    ("results", "token"),
    [
        ([1, 0, np.inf, 0, 0, 0, 0], "success rates"),
        ([1, 0], "2 for 7"),
        ([[1]] * 7, r"\(7, 1\)"),
        ([2, 0, 0, 0, 0, 0, 0], "rates"),
        ([-0.1, 0, 0, 0, 0, 0, 0], "rates"),
        (["yes"] * 7, "numbers"),
        (None, "numbers"),
    ],
)
def test_bad_results_are_refused(results: Any, token: str) -> None:
    with pytest.raises(ValueError, match=f"results .*{token}"):
        predict(PREDICTOR, FEATURES, results, [0])


@pytest.mark.parametrize(
    ("quiz", "tasks", "token"),
    [
        (3, [1], "quiz .*list.*3"),
        ("task-0", [1], "quiz .*list.*task-0"),
        ([0], 5, "tasks .*list.*5"),
        ([0], np.array(5), r"tasks .*list.*array\(5\)"),
        ([0], None, "tasks .*list.*None"),
        ([0], ["nothing"], "tasks.*'nothing'"),
        (["nothing"], [0], "quiz.*'nothing'"),
        ([0], [7], "tasks.* 7"),
        ([0], [[0.0, 0.0, 0.0]], "tasks.*row 0.*embedder"),
        ([0], [[0.0]], "tasks.*3 features"),
    ],
)
def test_tasks_that_are_not_there_are_refused(quiz: Any, tasks: Any, token: str) -> None:
    with pytest.raises(ValueError, match=token):
        predict(PREDICTOR, quiz, [1], tasks)


def test_a_map_does_not_help_with_a_name_that_is_not_there() -> None:
    with pytest.raises(ValueError, match="'nothing'"):
        predictor_of(Plain()).predict_proba([0], [1], ["task-1", "nothing"])


# -- files -------------------------------------------------------------------------------------


@pytest.mark.parametrize("features", [True, False])
def test_a_saved_predictor_gives_the_same_bits(features: bool, tmp_path: Path) -> None:
    solved = two_kinds(12, np.random.default_rng(4))[:, 5:15]
    places = {"features": np.arange(10.0)[:, None]} if features else {}
    predictor = PerformancePredictor().fit(table(solved, 1, tasks=list("abcdefghij"), **places))
    predictor.save(tmp_path / "predictor.npz")
    loaded = PerformancePredictor.load(tmp_path / "predictor.npz")
    assert loaded.tasks_.tolist() == list("abcdefghij")
    for name, value in vars(predictor.posterior_).items():
        np.testing.assert_array_equal(getattr(loaded.posterior_, name), value)
    quiz, results = ["a", "j"], [1, 0]
    for one, other in zip(
        ts.predict(predictor, quiz, results, ["b", "i"], interval=0.9),
        ts.predict(loaded, quiz, results, ["b", "i"], interval=0.9),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)
    if features:
        np.testing.assert_array_equal(loaded.numbers([[3.0], [0.0]]), [3, 0])


def test_an_embedder_is_given_again(tmp_path: Path) -> None:
    predictor, path = predictor_of(Plain()), tmp_path / "predictor.npz"
    predictor.save(path)
    new = FEATURES[:2] + 0.1
    with pytest.raises(ValueError, match="embedder"):
        PerformancePredictor.load(path).predict_proba([0], [1], new)
    loaded = PerformancePredictor.load(path, embedder=Plain())
    np.testing.assert_array_equal(
        loaded.predict_proba([0], [1], new), predictor.predict_proba([0], [1], new)
    )


def test_a_predictor_of_a_model_is_saved_without_the_model(tmp_path: Path) -> None:
    path, model = tmp_path / "predictor.npz", Kinds()
    rows = model.sample_[:5]
    names = [f"question {number}" for number in range(5)]
    fitted = PerformancePredictor(random_state=3).fit(model).over(rows, names)
    fitted.save(path)
    with pytest.raises(ValueError, match=says(f"{path} model")):
        PerformancePredictor.load(path)
    loaded = PerformancePredictor.load(path, model=model)
    assert loaded.tasks_.tolist() == names
    for tasks in (names[1:], model.sample_[5:8]):
        expected = fitted.predict_proba(names[:1], [1], tasks)
        np.testing.assert_array_equal(loaded.predict_proba(names[:1], [1], tasks), expected)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nothing\.npz"):
        PerformancePredictor.load(tmp_path / "nothing.npz")


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "predictor.npz"
    PREDICTOR.save(path)
    whole = path.read_bytes()
    for place in range(0, len(whole), 97):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x40]) + whole[place + 1 :])
        with pytest.raises(ValueError, match="damaged"):
            PerformancePredictor.load(path)
    for size in (0, 1, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(ValueError, match="damaged"):
            PerformancePredictor.load(path)
    path.write_bytes(whole)
    assert PerformancePredictor.load(path).tasks_.tolist() == PREDICTOR.tasks_.tolist()


@pytest.mark.parametrize(
    ("form", "token"),
    [
        (["taskspace outcomes", "1"], "taskspace outcomes"),
        ([FORMAT, str(FORMAT_VERSION + 1)], "update"),
        ([FORMAT, "newest"], "not a predictor"),
        ([FORMAT], "not a predictor"),
        (None, "not a predictor"),
    ],
)
def test_a_file_in_another_format_is_refused(form: Any, token: str, tmp_path: Path) -> None:
    path = tmp_path / "other.npz"
    arrays = {} if form is None else {"format": np.array(form)}
    write_arrays({**arrays, "tasks": KNOWN.tasks}, path)
    with pytest.raises(ValueError, match=token):
        PerformancePredictor.load(path)


def test_a_file_of_outcomes_is_no_predictor(tmp_path: Path) -> None:
    KNOWN.save(tmp_path / "outcomes.npz")
    with pytest.raises(ValueError, match="predictor"):
        PerformancePredictor.load(tmp_path / "outcomes.npz")


def test_a_predictor_must_be_fitted_first() -> None:
    for call in (lambda p: p.predict_proba(["a"], [1], ["b"]), lambda p: p.over([[1.0]])):
        with pytest.raises(NotFittedError, match=says("PerformancePredictor fit")):
            call(PerformancePredictor())


def test_unknown_tasks_are_refused_before_the_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PerformancePredictor, "fit", lambda *_: pytest.fail("was fitted"))
    outcomes = ts.Outcomes(np.eye(4, 3), np.array(1), tasks=np.array(list("abc")))
    for arguments in ((["x"], [1], ["b"]), (["a"], [1], ["x"])):
        with pytest.raises(ValueError, match=says("'x'")):
            ts.predict(outcomes, *arguments)
    wrong: list[dict[str, Any]] = [{"targets": ["x"]}, {"pool": ["x"]}]
    for named in wrong:
        with pytest.raises(ValueError, match=says("'x'")):
            ts.Quiz(outcomes, **named)


def test_an_embedder_does_not_go_with_a_success_model() -> None:
    with pytest.raises(ValueError, match=says("embedder SuccessModel")):
        PerformancePredictor(embedder=SimpleNamespace(transform=None)).fit(KnownRates())


class KnownRates:
    """A success model of two agents on any task."""

    sample_ = np.zeros((3, 1))

    def predict_proba(self, tasks: Any, /) -> Any:
        return np.full((2, len(tasks)), 0.5)


def test_dependent_tasks_survive_a_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    solved = rng.random((200, 12)) < 1 / (1 + np.exp(-rng.normal(size=(200, 1))))
    solved[:, 1] = solved[:, 0]
    fitted = PerformancePredictor().fit(Outcomes(1 * solved, np.array(1)))
    found = fitted.posterior_.dependence
    assert found is not None
    assert found.pairs.tolist() == [[0, 1]]
    fitted.save(tmp_path / "predictor.npz")
    read = PerformancePredictor.load(tmp_path / "predictor.npz")
    for predictor in (fitted, read):
        failed, passed = (predictor.predict_proba([0], [result], [1, 2]) for result in (0, 1))
        assert passed[0] - failed[0] > 0.5 > passed[1] - failed[1]
    np.testing.assert_array_equal(passed, fitted.predict_proba([0], [1], [1, 2]))
    order = fitted.predict_proba([0, 3], [1, 0], [1, 2])  # the order of the answers is irrelevant
    np.testing.assert_allclose(fitted.predict_proba([3, 0], [0, 1], [1, 2]), order, atol=1e-6)


# -- returns ---------------------------------------------------------------------------------------


def _of_returns(seed: int = 0) -> Outcomes:
    """Two kinds of agents, which are good at opposite tasks, in units of their own."""
    rng = np.random.default_rng(seed)
    kind = np.repeat([[1.0], [-1.0]], 12, axis=0)
    sides = np.resize([1.0, -1.0], 10)
    level = kind * sides + rng.normal(0, 0.15, (24, 10))
    return Outcomes.from_returns(level * np.linspace(5, 80, 10) - 40, tasks=list("abcdefghij"))


def test_answers_and_predictions_are_returns(tmp_path: Path) -> None:
    outcomes = _of_returns()
    assert outcomes.returns is not None
    predictor = PerformancePredictor().fit(outcomes)
    first = outcomes.returns[0]
    predicted = predictor.predict(["a", "b"], first[:2], list("cdef"))
    other = outcomes.returns[-1]
    assert (np.abs(predicted - first[2:6]) < np.abs(predicted - other[2:6]) / 2).all()
    low, high = predictor.interval(["a", "b"], first[:2], list("cdef"))
    assert ((low <= predicted) & (predicted <= high)).all()
    predictor.save(tmp_path / "predictor.npz")
    again = PerformancePredictor.load(tmp_path / "predictor.npz")
    assert (again.predict(["a", "b"], first[:2], list("cdef")) == predicted).all()
    assert (again.interval(["a", "b"], first[:2], list("cdef"))[0] == low).all()
    assert (
        again.score(["a", "b"], first[:2]).scores == predictor.score(["a", "b"], first[:2]).scores
    )
    with pytest.raises(ValueError, match=says("predict_proba() predict() returns")):
        predictor.predict_proba(["a"], [0.0], ["b"])


def test_the_full_score_is_the_mean_return() -> None:
    outcomes = _of_returns()
    assert outcomes.returns is not None
    predictor = PerformancePredictor().fit(outcomes)
    complete = predictor.score(list("abcdefghij"), outcomes.returns[3])
    assert complete.scores[0] == pytest.approx(outcomes.returns[3].mean(), abs=1e-3)
    assert complete.high[0] - complete.low[0] < 1e-6
    part = predictor.score(list("abc"), outcomes.returns[3, :3])
    assert part.low[0] <= part.scores[0] <= part.high[0]
    assert part.plain[0] == pytest.approx(outcomes.returns[3, :3].mean(), abs=1e-3)
    width = float(part.high[0] - part.low[0])
    assert predictor.answers_needed(list("abc"), outcomes.returns[3, :3], 2 * width)[0] == 0
    assert predictor.answers_needed(list("abc"), outcomes.returns[3, :3], width / 4)[0] > 0


def test_returns_of_a_model_predict_new_tasks(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows, skills = rng.uniform(-1, 1, (60, 2)), rng.normal(size=(20, 2))
    returns = 100 / (1 + np.exp(-2 * skills @ rows.T)) - 50
    known = Outcomes.from_returns(returns[:-1], features=rows)
    with pytest.warns(UserWarning, match="few"):
        model = SuccessModel(random_state=0).fit(known)
    predictor = PerformancePredictor().fit(model)
    new = rng.uniform(-1, 1, (30, 2))
    truth = 100 / (1 + np.exp(-2 * skills[-1] @ new.T)) - 50
    found = predictor.predict(rows[:15], returns[-1, :15], new)
    assert np.abs(found - truth).mean() < np.abs(truth - returns.mean()).mean() / 2
    predictor.save(tmp_path / "predictor.npz")
    again = PerformancePredictor.load(tmp_path / "predictor.npz", model=model)
    assert (again.predict(rows[:15], returns[-1, :15], new) == found).all()

"""`PerformancePredictor`: predictions, intervals, returns, and bad input."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

import taskspace as ts
from taskspace.applications.predictor import PerformancePredictor, as_predictor, predict
from taskspace.applications.task_mixtures import TaskMixture
from taskspace.models.success.model import SuccessModel
from taskspace.outcomes.outcomes import Outcomes
from tests import tolerances
from tests.applications.predictors import (
    FEATURES,
    KNOWN,
    NEAR,
    POSTERIOR,
    PREDICTOR,
    PROFILES,
    Kinds,
    Plain,
    predictor_of,
    table,
)
from tests.messages import says


def of_posterior(quiz: list[int], results: list[float], tasks: list[int]) -> NDArray[np.float64]:
    known = TaskMixture.known
    return POSTERIOR.predict_proba(known(quiz), np.array(results, np.float64), known(tasks))


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
        ([0], [[0.0, 0.0, 0.0]], "tasks.*row 1.*embedder"),
        ([0], [[0.0]], "tasks.*3 features"),
    ],
)
def test_tasks_that_are_not_there_are_refused(quiz: Any, tasks: Any, token: str) -> None:
    with pytest.raises(ValueError, match=token):
        predict(PREDICTOR, quiz, [1], tasks)


def test_a_map_does_not_help_with_a_name_that_is_not_there() -> None:
    with pytest.raises(ValueError, match="'nothing'"):
        predictor_of(Plain()).predict_proba([0], [1], ["task-1", "nothing"])


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

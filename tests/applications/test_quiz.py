"""The adaptive quiz: information in closed form, what is asked, and how it ends."""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from taskspace.applications import quiz as module
from taskspace.applications.posterior import Posterior
from taskspace.applications.predictor import PerformancePredictor
from taskspace.applications.quiz import CHOICES, Quiz
from taskspace.applications.task_mixtures import TaskMixture
from taskspace.outcomes.outcomes import Outcomes
from tests import tolerances
from tests.messages import says


def table(successes: Any, rollouts: Any, **more: Any) -> Outcomes:
    return Outcomes(np.asarray(successes), np.asarray(rollouts), **more)


RNG = np.random.default_rng(0)
PROFILES = RNG.uniform(0.05, 0.95, size=(8, 5)).astype(np.float32)  # tasks x candidates
PRIOR = RNG.dirichlet(np.ones(5))
POSTERIOR = Posterior(PROFILES, PRIOR, 1.0, 32.0)
FEATURES = RNG.normal(size=(8, 2))


def named(posterior: Posterior, names: Any, **more: Any) -> PerformancePredictor:
    return PerformancePredictor.from_posterior(posterior, np.array(names), **more)


PREDICTOR = named(POSTERIOR, list("abcdefgh"))


def reduction(asked: int, wanted: Any, weights: Any) -> float:
    """The expected reduction of the variances of some results by another one, answer by answer."""
    before = sum(q * (1 - q) for q in (float(PROFILES[t] @ weights) for t in wanted))
    after = 0.0
    for answer in (0, 1):
        joint = weights * (PROFILES[asked] if answer else 1 - PROFILES[asked])
        new = joint / joint.sum()
        after += joint.sum() * sum(
            float(PROFILES[t] @ new) * (1 - float(PROFILES[t] @ new)) for t in wanted if t != asked
        )
    return before - after


def test_it_asks_what_reduces_the_error_most() -> None:
    quiz, numbers = Quiz(PREDICTOR, targets=["b", "f"], pool=["a", "c", "d"]), [0, 2, 3]
    first = quiz.next()
    assert first == "abcdefgh"[max(numbers, key=lambda n: reduction(n, (1, 5), PRIOR))]
    assert quiz.next() == first  # until there is an answer
    quiz.answer(1)
    # The answer changes what there is to know.
    weights = POSTERIOR.weights(TaskMixture.known(["abcdefgh".index(first)]), np.ones(1))
    left = [number for number in numbers if "abcdefgh"[number] != first]
    assert quiz.next() == "abcdefgh"[max(left, key=lambda n: reduction(n, (1, 5), weights))]


def test_an_answered_task_is_no_target_any_more() -> None:
    quiz, weights, open_ = Quiz(PREDICTOR), PRIOR, set(range(8))
    for answer in (1, 0, 1):
        best = max(open_, key=lambda n: reduction(n, open_, weights))
        assert quiz.next_number() == best
        quiz.answer(answer)
        open_ -= {best}
        weights = POSTERIOR.weights(TaskMixture.known([best]), np.array([answer]), weights)


def test_uncertain_asks_for_the_probability_nearest_to_a_half() -> None:
    quiz = Quiz(PREDICTOR, choose="uncertain")
    nearest = int(np.abs(PROFILES @ PRIOR - 0.5).argmin())
    assert quiz.next() == "abcdefgh"[nearest]


def asked(quiz: Quiz, at_most: int = 20) -> list[str]:
    for number, _ in enumerate(quiz.ask(at_most=at_most)):
        quiz.answer(number % 2)
    return [task for task, _ in quiz.answers]


@pytest.mark.parametrize("choose", CHOICES)
def test_every_task_is_asked_once_and_the_same_again(choose: str) -> None:
    first, second = (asked(Quiz(PREDICTOR, choose=choose, seed=3)) for _ in range(2))
    assert first == second
    assert sorted(first) == list("abcdefgh")


def test_the_seed_decides_a_random_quiz() -> None:
    orders = {tuple(asked(Quiz(PREDICTOR, choose="random", seed=seed))) for seed in range(5)}
    assert len(orders) > 1


def test_predictions_are_those_of_the_posterior() -> None:
    quiz = Quiz(PREDICTOR, targets=["h", "g"])
    np.testing.assert_allclose(quiz.predict_proba(), (PROFILES @ PRIOR)[[7, 6]], rtol=1e-5)
    quiz.answer(1, task="b")
    quiz.answer(0.5, task=3)
    quiz.answer(0, task="b")  # another attempt counts, too
    results = np.array([1, 0.5, 0])
    expected = POSTERIOR.predict_proba(
        TaskMixture.known([1, 3, 1]), results, TaskMixture.known(np.arange(8))
    )
    near: Any = {"rtol": 0, "atol": tolerances.CHANCE}
    np.testing.assert_allclose(quiz.predict_proba(), expected[[7, 6]], **near)
    np.testing.assert_allclose(quiz.predict_proba(list("abc")), expected[:3], **near)
    assert quiz.expected_error_rate == pytest.approx(
        np.minimum(expected, 1 - expected)[[7, 6]].mean()
    )
    assert quiz.answers == [("b", 1.0), ("d", 0.5), ("b", 0.0)]
    low, high = quiz.interval(0.9)
    assert ((low < expected[[7, 6]]) & (expected[[7, 6]] < high)).all()


def test_it_stops_when_it_is_sure_or_has_asked_enough() -> None:
    sure = np.array([[0, 1], [0, 1], [0, 1], [0.5, 0.5]], np.float32)
    predictor = named(Posterior(sure, np.array([0.5, 0.5]), 1.0, 32.0), list("abcd"))
    quiz = Quiz(predictor, targets=[0, 1, 2])
    assert quiz.expected_error_rate == 0.5
    for _ in quiz.ask(until=0.01):
        quiz.answer(1)
    assert len(quiz.answers) == 1
    assert quiz.expected_error_rate < 1e-3
    assert asked(Quiz(predictor), at_most=2) != []
    assert len(asked(Quiz(predictor, targets=[3]), at_most=2)) == 1  # then it is known
    assert asked(Quiz(predictor), at_most=0) == []


@pytest.mark.slow
def test_answers_make_it_surer_on_average() -> None:
    rng = np.random.default_rng(1)
    profiles = rng.uniform(size=(30, 40)).astype(np.float32) ** 2
    posterior = Posterior(profiles, np.full(40, 1 / 40), 1.0, 32.0)
    predictor = named(posterior, [f"task-{number}" for number in range(30)])
    before, after = [], []
    for agent in range(40):
        quiz = Quiz(predictor)
        before.append(quiz.expected_error_rate)
        for _ in quiz.ask(at_most=8):
            quiz.answer(rng.random() < profiles[quiz.next_number(), agent])
        after.append(quiz.expected_error_rate)
    assert np.mean(after) < np.mean(before) - 0.03


def test_of_very_many_tasks_some_are_considered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_TASKS", 3)
    quiz = Quiz(PREDICTOR)
    assert len(asked(quiz)) == 3
    assert len(quiz.predict_proba()) == 8


def test_outcomes_are_learned_from() -> None:
    outcomes = table([[1, 1, 1, 0]] * 9 + [[1, 0, 0, 1]] * 9, 1)
    quiz = Quiz(outcomes, targets=[1, 3], pool=[0, 2])
    assert quiz.next() == "task-2"
    quiz.answer(True)
    assert quiz.predict_proba()[0] > 0.7 > 0.3 > quiz.predict_proba()[1]


def test_a_task_may_be_given_by_its_features() -> None:
    predictor = named(POSTERIOR, list("abcdefgh"), features=FEATURES)
    quiz = Quiz(predictor, targets=FEATURES[[7, 6]], pool=["b", "c"])
    for result, task in ((1, FEATURES[1]), (0, FEATURES[3].tolist())):
        quiz.answer(result, task=task)
    assert quiz.answers == [("b", 1.0), ("d", 0.0)]
    expected = POSTERIOR.predict_proba(
        TaskMixture.known([1, 3]), np.array([1.0, 0.0]), TaskMixture.known([7, 6])
    )
    np.testing.assert_allclose(quiz.predict_proba(), expected, rtol=0, atol=tolerances.CHANCE)
    assert quiz.next() == "c"  # b was asked, if not by its name


def test_a_new_task_is_answered_by_those_near_on_the_map() -> None:
    embedder: Any = SimpleNamespace(transform=np.asarray)
    predictor = named(POSTERIOR, list("abcdefgh"), features=FEATURES, embedder=embedder)
    quiz, new = Quiz(predictor, pool=["a"]), [0.25, -0.5]
    quiz.answer(1, task=new)
    assert quiz.answers == [("[0.25, -0.5]", 1.0)]
    expected = predictor.predict_proba([new], [1], np.arange(8))
    np.testing.assert_allclose(quiz.predict_proba(), expected, rtol=0, atol=tolerances.CHANCE)
    assert np.abs(quiz.predict_proba() - PROFILES @ PRIOR).max() > 0.001
    assert asked(quiz, at_most=2)[1:] == ["a"]  # the new task counts as an answer


def test_a_new_task_without_a_map_changes_nothing() -> None:
    quiz = Quiz(named(POSTERIOR, list("abcdefgh"), features=FEATURES))
    before = quiz.predict_proba()
    with pytest.raises(ValueError, match="embedder"):
        quiz.answer(1, task=[0.25, -0.5])
    assert quiz.answers == []
    np.testing.assert_array_equal(quiz.predict_proba(), before)


class TwoSubpopulations:
    """Two subpopulations: each solves one half of the tasks, some agents better than others."""

    skill = np.linspace(0.6, 0.95, 40)[:, None]
    left = np.arange(40)[:, None] % 2 == 0
    sample_ = np.linspace(0, 1, 120)[:, None]

    def predict_proba(self, tasks: Any) -> Any:
        own = (np.asarray(tasks)[:, 0] < 0.5) == self.left
        return np.where(own, self.skill, 1 - self.skill)


def test_a_quiz_asks_by_a_success_model() -> None:
    model = TwoSubpopulations()
    quiz = Quiz(model)
    for task in quiz.ask(at_most=6):
        left = model.sample_[int(task.removeprefix("task-")), 0] < 0.5
        quiz.answer(float(left))
    predicted = quiz.predict_proba()
    assert predicted[model.sample_[:, 0] < 0.5].min() > 0.6 > 0.4 > predicted[-1]
    tasks = np.array([[0.3], [0.9]])
    predictor = PerformancePredictor().fit(model)
    quiz = Quiz(predictor.over(tasks), targets=tasks[1:], pool=tasks[:1])
    assert quiz.next() == "task-0"
    quiz.answer(1)
    expected = predictor.predict_proba(tasks[:1], [1], tasks[1:])
    np.testing.assert_allclose(quiz.predict_proba(), expected, rtol=0, atol=tolerances.CHANCE)
    # Neither is a task of the model's sample; the answer counts all the same.
    quiz.answer(0, task=[0.777])
    expected = predictor.predict_proba([[0.3], [0.777]], [1, 0], tasks[1:])
    np.testing.assert_allclose(quiz.predict_proba(), expected, rtol=0, atol=tolerances.CHANCE)


# -- near-copies, aims, limits and the end -----------------------------------------------------


def exam() -> Outcomes:
    """300 students answer 40 questions on four topics; the first four are near-copies."""
    rng = np.random.default_rng(5)
    skill = rng.normal(size=(300, 1)) + 0.6 * np.repeat(rng.normal(size=(300, 4)), 10, axis=1)
    solved = rng.random((300, 40)) < 1 / (1 + np.exp(-skill - rng.normal(size=40)))
    solved[:, 1:4] = solved[:, :1] ^ (rng.random((300, 3)) < 0.04)
    topics = np.repeat(["sums", "areas", "", "words"], 10)
    return table(solved.astype(int), 1, task_labels={"topic": topics})


@pytest.fixture(scope="module")
def examined() -> PerformancePredictor:
    return PerformancePredictor().fit(exam())


def numbers(quiz: Quiz) -> list[int]:
    return [int(task.removeprefix("task-")) for task, _ in quiz.answers]


@pytest.mark.parametrize("aim", ["tasks", "score"])
def test_near_copies_are_not_asked(examined: PerformancePredictor, aim: str) -> None:
    for student in exam().rates[:10]:
        quiz = Quiz(examined, aim=aim)
        for _ in quiz.ask(at_most=10):
            quiz.answer(student[quiz.next_number()])
        assert sum(number < 4 for number in numbers(quiz)) <= 1


def test_an_answer_decides_about_its_copies(examined: PerformancePredictor) -> None:
    for result in (0, 1):
        quiz = Quiz(examined)
        before = quiz.predict_proba()
        quiz.answer(result, task=0)
        change = np.abs(quiz.predict_proba() - before)
        assert (np.abs(quiz.predict_proba(range(4)) - result) < 0.35).all()
        assert change[1:4].min() > 1.2 * change[4:].max()
        predicted = examined.predict_proba([0], [result], np.arange(40))
        near: Any = {"rtol": 0, "atol": tolerances.CHANCE}
        np.testing.assert_allclose(quiz.predict_proba(), predicted, **near)
        np.testing.assert_array_equal(
            quiz.interval(0.9), examined.interval([0], [result], np.arange(40))
        )


def test_aims_differ(examined: PerformancePredictor) -> None:
    aims: list[dict[str, Any]] = [{}, {"aim": "score"}, {"aim": "labels", "by": "topic"}]
    orders = {tuple(asked(Quiz(examined, **aim), at_most=8)) for aim in aims}
    assert len(orders) == 3


def test_a_quiz_about_a_label_asks_about_it(examined: PerformancePredictor) -> None:
    quiz = Quiz(examined, targets=range(20, 40), aim="labels", by="topic")
    asked(quiz, at_most=8)
    topics = examined.labels_["topic"][numbers(quiz)].tolist()
    assert topics.count("words") > 4
    assert quiz.score().names.tolist() == ["words"]  # the others have no label, or are no targets
    assert quiz.score().tasks.tolist() == [10]


def test_at_most_some_questions_per_label_are_asked(examined: PerformancePredictor) -> None:
    quiz = Quiz(examined, by="topic", at_most_per_label=2)
    quiz.answer(1, task=0)
    asked(quiz, at_most=40)
    topics = examined.labels_["topic"][numbers(quiz)].tolist()
    assert {name: topics.count(name) for name in topics} == {
        "sums": 2, "areas": 2, "words": 2, "": 10
    }  # fmt: skip
    with pytest.raises(ValueError, match=r"no task is left.*2.*label"):
        quiz.next()


def test_questions_are_drawn_among_the_best(examined: PerformancePredictor) -> None:
    firsts = [Quiz(examined, among=5, seed=seed).next_number() for seed in range(40)]
    values = Quiz(examined)._information()
    assert set(firsts) == set(np.argsort(-values)[:5].tolist())
    again = [asked(Quiz(examined, among=5, seed=3), at_most=6) for _ in range(2)]
    assert again[0] == again[1]
    assert len(set(asked(Quiz(examined, among=100), at_most=50))) == 40


def test_it_stops_at_the_wanted_width(examined: PerformancePredictor) -> None:
    lengths = []
    for width in (0.3, 0.2):
        quiz = Quiz(examined, aim="score")
        for _ in quiz.ask(width=width, at_most=40):
            quiz.answer(len(quiz.answers) % 2)
        found = quiz.score()
        assert found.high[0] - found.low[0] <= width
        assert found.names.tolist() == ["all targets"]
        lengths.append(len(quiz.answers))
    assert 0 < lengths[0] < lengths[1] < 40
    quiz = Quiz(examined, aim="labels", by="topic")
    for _ in quiz.ask(width=0.4, level=0.8, at_most=40):
        quiz.answer(len(quiz.answers) % 2)
    found = quiz.score(level=0.8)
    assert found.names.tolist() == ["areas", "sums", "words"]
    assert (found.high - found.low <= 0.4).all()


def test_the_score_is_that_of_the_predictor(examined: PerformancePredictor) -> None:
    quiz = Quiz(examined)
    for task, result in ((3, 1), (17, 0), (3, 0)):
        quiz.answer(result, task=task)
    expected = examined.score([3, 17], [0.5, 0])
    np.testing.assert_allclose(quiz.score().scores, expected.scores)
    np.testing.assert_allclose(quiz.score().high, expected.high)
    part = Quiz(examined, targets=[3, 17]).score()
    assert part.tasks.tolist() == [2]


# -- bad input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "token"),
    [
        ({"targets": ["x"]}, "the targets.*'x'"),
        ({"pool": [9]}, "the pool.* 9"),
        ({"targets": []}, "the targets.*empty"),
        ({"choose": "clever"}, "choose.*information, uncertain, random"),
        ({"seed": -1}, "seed"),
        ({"aim": "fun"}, "aim.*tasks, score, labels"),
        ({"aim": "labels"}, "by.*None"),
        ({"at_most_per_label": 2}, "by.*None"),
        ({"at_most_per_label": 0, "by": "topic"}, "at_most_per_label"),
        ({"by": "topic"}, "by.*'topic'"),
        ({"by": "topic", "aim": "labels"}, "by.*'topic'.*no labels"),
        ({"among": 0}, "among"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], token: str) -> None:
    with pytest.raises(ValueError, match=token):
        Quiz(PREDICTOR, **arguments)


@pytest.mark.parametrize("tasks", [3, "task-0", np.array(3), iter([1])])
def test_what_is_no_list_of_tasks_is_refused(tasks: Any) -> None:
    outcomes = Outcomes([[1, 0]] * 3, 1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^the targets .*list"):
        Quiz(outcomes, targets=tasks)
    with pytest.raises(ValueError, match=r"^the pool .*list"):
        Quiz(outcomes, pool=tasks)


def test_bad_use_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Outcomes.*int"):
        Quiz(3)  # type: ignore[arg-type]
    quiz = Quiz(PREDICTOR, pool=["a"])
    with pytest.raises(ValueError, match=r"next\(\)"):
        quiz.answer(1)
    for result in (2, -1, "yes", [1, 0]):
        with pytest.raises(ValueError, match="the result"):
            quiz.answer(result, task="b")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"no answer.*'a'"):
        list(quiz.ask())
    for wrong in (0, 1, "sure"):
        with pytest.raises(ValueError, match="interval"):
            quiz.interval(wrong)  # type: ignore[arg-type]
    quiz.answer(1)
    with pytest.raises(ValueError, match="no task is left"):
        quiz.next()
    with pytest.raises(ValueError, match="at_most"):
        list(quiz.ask(at_most=1.5))  # type: ignore[arg-type]
    for width in (0, "wide", 1.5, np.nan):
        with pytest.raises(ValueError, match="width"):
            quiz.ask(width=width)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"score.*fit it again"):
        quiz.ask(width=0.1)  # this predictor has candidates alone
    for until in ("sure", [0.1, 0.2], np.nan, 2, -0.1):
        with pytest.raises(ValueError, match="until"):
            quiz.ask(until=until)  # type: ignore[arg-type]


def test_scores_of_tasks_named_like_integers() -> None:
    solved = np.random.default_rng(0).integers(0, 2, (12, 6))
    quiz = Quiz(table(solved, 1, tasks=[str(5 - number) for number in range(6)]), aim="score")
    quiz.answer(1, "3")
    assert quiz.score().answered == [1]
    assert len(list(quiz.ask(width=1.0))) == 0


@pytest.mark.parametrize("aim", ["score", "labels"])
def test_tasks_on_which_agents_do_not_differ_come_last(aim: str) -> None:
    rng = np.random.default_rng(0)
    mixed = (rng.normal(size=(40, 1)) + rng.normal(size=(40, 4)) > 0) * 1
    outcomes = table(
        np.hstack([np.ones((40, 6), int), mixed]), 1, task_labels={"kind": ["easy"] * 6 + ["m"] * 4}
    )
    quiz = Quiz(outcomes, aim=aim, by="kind" if aim == "labels" else None)
    asked = []
    for task in quiz.ask(at_most=4):
        asked.append(task)
        quiz.answer(1)
    assert sorted(asked) == ["task-6", "task-7", "task-8", "task-9"]


def test_a_quiz_in_returns() -> None:
    rng = np.random.default_rng(0)
    skill = rng.normal(size=(30, 1))
    returns = 20 * skill * np.linspace(1, 5, 8) + rng.normal(0, 2, (30, 8))
    predictor = PerformancePredictor().fit(Outcomes.from_returns(returns[:-1]))
    for choose in ("information", "uncertain", "random"):
        quiz = Quiz(predictor, choose=choose)
        before = quiz.expected_error_rate
        for _ in quiz.ask(at_most=3):
            quiz.answer(returns[-1, quiz.next_number()])
        assert quiz.expected_error_rate < before
        assert [result for _, result in quiz.answers] == pytest.approx(
            [returns[-1, int(name[5:])] for name, _ in quiz.answers]
        )
        error = np.abs(quiz.predict() - returns[-1]).mean()
        assert error < np.abs(returns[-1] - returns[:-1].mean(0)).mean()
        low, high = quiz.interval(0.9)
        assert ((low <= quiz.predict()) & (quiz.predict() <= high)).all()
        score = quiz.score()
        assert score.low[0] <= score.scores[0] <= score.high[0]
    assert list(quiz.ask(at_most=5, width=1e6)) == []
    with pytest.raises(ValueError, match=says("predict_proba() returns")):
        quiz.predict_proba()
    with pytest.raises(ValueError, match=says("results 1e+06")):
        quiz.answer(1e6, "task-0")


def returns_with_a_constant() -> Outcomes:
    """Returns on six tasks, of which the third has the same for all agents."""
    rng = np.random.default_rng(0)
    returns = 50 + 20 * rng.normal(size=(30, 1)) + 3 * rng.normal(size=(30, 6))
    returns[:, 2] = 7.0
    return Outcomes.from_returns(returns, tasks=list("abcdef"))


def test_a_task_with_the_same_return_for_all_is_never_asked() -> None:
    predictor = PerformancePredictor().fit(returns_with_a_constant())
    for choose in ("information", "uncertain", "random"):
        quiz, asked = Quiz(predictor, choose=choose), []
        for task in quiz.ask(at_most=6):
            asked.append(task)
            quiz.answer(50.5)
        assert sorted(asked) == list("abdef")
        assert quiz.expected_error_rate == 0
    with pytest.raises(ValueError, match=says("pool different returns 1")):
        Quiz(predictor, pool=["c"])


def test_answers_of_zero_and_one_to_returns_are_doubted_and_others_flagged() -> None:
    predictor = PerformancePredictor().fit(returns_with_a_constant())
    shifted = PerformancePredictor().fit(
        Outcomes.from_returns(np.random.default_rng(1).normal(0.5, 3, (30, 4)), tasks=list("abcd"))
    )
    quiz = Quiz(shifted)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quiz.answer(1, "a")
    with pytest.warns(UserWarning, match=says("2 0 1 returns")):
        quiz.answer(0, "b")
    for ask in (shifted.predict, shifted.interval):
        with pytest.warns(UserWarning, match=says("3 0 1 returns")) as told:
            ask(["a", "b", "c"], [1, 0, 1], ["d"])
        assert len(told) == 1
    with pytest.warns(UserWarning, match=says("all 7 9")):
        predictor.score(["a", "c"], [40.5, 9.0])

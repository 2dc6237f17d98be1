"""The adaptive quiz: information in closed form, what is asked, and how it ends."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from taskspace.applications import quiz as module
from taskspace.applications.known_tasks import Mix
from taskspace.applications.posterior import AgentPosterior
from taskspace.applications.quiz import CHOICES, Quiz, information
from taskspace.outcomes import Outcomes
from tests import tolerances
from tests.messages import says


def table(successes: Any, rollouts: Any, **more: Any) -> Outcomes:
    return Outcomes(np.asarray(successes), np.asarray(rollouts), **more)


RNG = np.random.default_rng(0)
PROFILES = RNG.uniform(0.05, 0.95, size=(8, 5)).astype(np.float32)  # tasks x candidates
PRIOR = RNG.dirichlet(np.ones(5))
KNOWN = table(np.ones((2, 8), int), 1, tasks=list("abcdefgh"))
POSTERIOR = AgentPosterior(PROFILES, PRIOR, 1.0, 32.0, KNOWN)


def formula(asked: int, wanted: int, weights: Any) -> float:
    """Mutual information of two outcomes, cell by cell."""
    joint = np.zeros((2, 2))
    for candidate, weight in enumerate(weights):
        p, q = float(PROFILES[asked, candidate]), float(PROFILES[wanted, candidate])
        for first, second in itertools.product((0, 1), repeat=2):
            joint[first, second] += weight * (p if first else 1 - p) * (q if second else 1 - q)
    return sum(
        joint[i, j] * math.log(joint[i, j] / (joint[i].sum() * joint[:, j].sum()))
        for i, j in itertools.product((0, 1), repeat=2)
    )


def test_information_is_the_mean_mutual_information() -> None:
    expected = [np.mean([formula(a, w, PRIOR) for w in (1, 5, 6)]) for a in range(8)]
    found = information(PROFILES, PROFILES[[1, 5, 6]], PRIOR)
    np.testing.assert_allclose(found, expected, atol=2e-6)
    every = [np.mean([formula(a, w, PRIOR) for w in range(8)]) for a in range(8)]
    np.testing.assert_allclose(information(PROFILES, PROFILES, PRIOR), every, atol=2e-6)


def test_information_of_certain_candidates_is_finite() -> None:
    sure = np.array([[0, 1], [1, 1], [0, 0]], np.float32)
    found = information(sure, sure, np.array([0.25, 0.75]))
    entropy = -(0.25 * math.log(0.25) + 0.75 * math.log(0.75))
    np.testing.assert_allclose(found, [entropy / 3, 0, 0], atol=1e-6)


def test_it_asks_what_tells_most() -> None:
    quiz = Quiz(POSTERIOR, targets=["b", "f"], pool=["a", "c", "d"])
    told = {task: formula(number, 1, PRIOR) + formula(number, 5, PRIOR)
            for task, number in zip("acd", (0, 2, 3), strict=True)}  # fmt: skip
    first = quiz.next()
    assert first == max(told, key=lambda task: told[task])
    assert quiz.next() == first  # until there is an answer
    quiz.answer(1)
    # The answer changes what there is to know.
    weights = POSTERIOR.weights(Mix.known(["abcdefgh".index(first)]), np.ones(1))
    left = [number for task, number in zip("acd", (0, 2, 3), strict=True) if task != first]
    best = max(left, key=lambda n: formula(n, 1, weights) + formula(n, 5, weights))
    assert quiz.next() == "abcdefgh"[best]


def test_uncertain_asks_for_the_chance_nearest_a_half() -> None:
    quiz = Quiz(POSTERIOR, choose="uncertain")
    nearest = int(np.abs(PROFILES @ PRIOR - 0.5).argmin())
    assert quiz.next() == "abcdefgh"[nearest]


def asked(quiz: Quiz, at_most: int = 20) -> list[str]:
    for number, _ in enumerate(quiz.ask(at_most=at_most)):
        quiz.answer(number % 2)
    return [task for task, _ in quiz.answers]


@pytest.mark.parametrize("choose", CHOICES)
def test_every_task_is_asked_once_and_the_same_again(choose: str) -> None:
    first, second = (asked(Quiz(POSTERIOR, choose=choose, seed=3)) for _ in range(2))
    assert first == second
    assert sorted(first) == list("abcdefgh")


def test_the_seed_decides_a_random_quiz() -> None:
    orders = {tuple(asked(Quiz(POSTERIOR, choose="random", seed=seed))) for seed in range(5)}
    assert len(orders) > 1


def test_chances_are_those_of_the_posterior() -> None:
    quiz = Quiz(POSTERIOR, targets=["h", "g"])
    np.testing.assert_allclose(quiz.chances(), (PROFILES @ PRIOR)[[7, 6]], rtol=1e-5)
    quiz.answer(1, task="b")
    quiz.answer(0.5, task=3)
    quiz.answer(0, task="b")  # another attempt counts, too
    results = np.array([1, 0.5, 0])
    expected = POSTERIOR.predict(Mix.known([1, 3, 1]), results, Mix.known(np.arange(8)))
    near: Any = {"rtol": 0, "atol": tolerances.CHANCE}
    np.testing.assert_allclose(quiz.chances(), expected[[7, 6]], **near)
    np.testing.assert_allclose(quiz.chances(list("abc")), expected[:3], **near)
    assert quiz.uncertainty == pytest.approx(np.minimum(expected, 1 - expected)[[7, 6]].mean())
    assert quiz.answers == [("b", 1.0), ("d", 0.5), ("b", 0.0)]
    low, high = quiz.interval(0.9)
    assert ((low < expected[[7, 6]]) & (expected[[7, 6]] < high)).all()


def test_it_stops_when_it_is_sure_or_has_asked_enough() -> None:
    sure = np.array([[0, 1], [0, 1], [0, 1], [0.5, 0.5]], np.float32)
    posterior = AgentPosterior(sure, np.array([0.5, 0.5]), 1.0, 32.0, table([[1, 1, 1, 1]], 1))
    quiz = Quiz(posterior, targets=[0, 1, 2])
    assert quiz.uncertainty == 0.5
    for _ in quiz.ask(until=0.01):
        quiz.answer(1)
    assert len(quiz.answers) == 1
    assert quiz.uncertainty < 1e-3
    assert asked(Quiz(posterior), at_most=2) != []
    assert len(asked(Quiz(posterior, targets=[3]), at_most=2)) == 2
    assert asked(Quiz(posterior), at_most=0) == []


@pytest.mark.slow
def test_answers_make_it_surer_on_average() -> None:
    rng = np.random.default_rng(1)
    profiles = rng.uniform(size=(30, 40)).astype(np.float32) ** 2
    known = table(np.ones((2, 30), int), 1)
    posterior = AgentPosterior(profiles, np.full(40, 1 / 40), 1.0, 32.0, known)
    before, after = [], []
    for agent in range(40):
        quiz = Quiz(posterior)
        before.append(quiz.uncertainty)
        for _ in quiz.ask(at_most=8):
            quiz.answer(rng.random() < profiles[quiz.next_number(), agent])
        after.append(quiz.uncertainty)
    assert np.mean(after) < np.mean(before) - 0.03


def test_of_very_many_tasks_some_are_considered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_TASKS", 3)
    quiz = Quiz(POSTERIOR)
    assert len(asked(quiz)) == 3
    assert len(quiz.chances()) == 8


def test_outcomes_are_learned_from() -> None:
    outcomes = table([[1, 1, 1, 0]] * 9 + [[1, 0, 0, 1]] * 9, 1)
    quiz = Quiz(outcomes, targets=[1, 3], pool=[0, 2])
    assert quiz.next() == "task-2"
    quiz.answer(True)
    assert quiz.chances()[0] > 0.7 > 0.3 > quiz.chances()[1]


@pytest.mark.parametrize(
    ("arguments", "tokens"),
    [
        ({"targets": ["x"]}, "targets 'x'"),
        ({"pool": [9]}, "pool 9 7"),
        ({"targets": []}, "targets empty"),
        ({"choose": "clever"}, "choose information uncertain random 'clever'"),
        ({"seed": -1}, "seed -1"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        Quiz(POSTERIOR, **arguments)


@pytest.mark.parametrize("tasks", [3, "task-0", np.array(3), iter([1])])
def test_what_is_no_list_of_tasks_is_refused(tasks: Any) -> None:
    outcomes = Outcomes([[1, 0]] * 3, 1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=says("targets")):
        Quiz(outcomes, targets=tasks)
    with pytest.raises(ValueError, match=says("pool")):
        Quiz(outcomes, pool=tasks)


def test_bad_use_is_refused() -> None:
    with pytest.raises(TypeError, match=says("Outcomes AgentPosterior SuccessModel int")):
        Quiz(3)  # type: ignore[arg-type]
    quiz = Quiz(POSTERIOR, pool=["a"])
    with pytest.raises(ValueError, match=says("next()")):
        quiz.answer(1)
    for result in (2, -1, "yes", [1, 0]):
        with pytest.raises(ValueError, match=says("result")):
            quiz.answer(result, task="b")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=says("answer() 'a'")):
        list(quiz.ask())
    for wrong in (0, 1, "sure"):
        with pytest.raises(ValueError, match=says("interval")):
            quiz.interval(wrong)  # type: ignore[arg-type]
    quiz.answer(1)
    with pytest.raises(ValueError, match=says("pool 1")):
        quiz.next()
    with pytest.raises(ValueError, match=says("at_most 1.5")):
        list(quiz.ask(at_most=1.5))  # type: ignore[arg-type]
    for until in ("sure", [0.1, 0.2], np.nan):
        with pytest.raises(ValueError, match=says("until")):
            list(quiz.ask(until=until))  # type: ignore[arg-type]

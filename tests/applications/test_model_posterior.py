"""The posterior on tasks that nobody has tried."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.applications.known_tasks import Mix
from taskspace.applications.model_posterior import ModelPosterior, fit_model_posterior
from taskspace.applications.posterior import FEWEST_AGENTS
from tests import tolerances
from tests.messages import says


class Kinds:
    """Agents of two kinds: each solves its half of the tasks, some better than others."""

    def __init__(self, agents: int = 40) -> None:
        self.skill = np.linspace(0.6, 0.95, agents)[:, None]
        self.left = np.arange(agents)[:, None] % 2 == 0
        self.sample_ = np.linspace(0, 1, 120)[:, None]

    def profile(self, tasks: Any) -> Any:
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


def test_a_fitted_posterior_gives_the_same() -> None:
    model = Kinds()
    posterior = fit_model_posterior(model)
    assert isinstance(posterior, ModelPosterior)
    quiz, tasks = np.array([[0.1], [0.6]]), np.array([[0.2], [0.7]])
    one, other = (ts.predict(source, quiz, [1, 0], tasks) for source in (model, posterior))
    np.testing.assert_allclose(one, other, rtol=0, atol=tolerances.CHANCE)


def test_candidates_are_the_known_agents_and_others_around_them() -> None:
    model = Kinds()
    posterior = fit_model_posterior(model).on([[0.2], [0.8]])
    np.testing.assert_allclose(
        posterior.profiles[:, :40], model.profile([[0.2], [0.8]]).T, rtol=1e-6
    )
    assert posterior.prior.sum() == pytest.approx(1)
    logits = np.log(posterior.profiles / (1 - posterior.profiles))
    known, imagined = logits[:, :40], logits[:, 40:840:2]  # every other one has their own spread
    np.testing.assert_allclose(imagined.mean(1), known.mean(1), atol=0.25)
    np.testing.assert_allclose(np.cov(imagined), np.cov(known), rtol=0.25, atol=0.2)


def test_without_answers_it_is_the_base_rate() -> None:
    posterior = fit_model_posterior(Kinds()).on([[0.2], [0.8]])
    weights = posterior.weights(Mix.known([]), np.zeros(0))
    np.testing.assert_allclose(weights, posterior.prior)
    np.testing.assert_allclose(posterior.chances(weights, Mix.known([0, 1])), 0.5, atol=0.05)


def test_weights_of_many_are_those_of_each() -> None:
    posterior = fit_model_posterior(Kinds()).on(np.linspace(0, 1, 9)[:, None])
    quiz, results = np.array([[0, 3, 8], [5, 1, 2]]), np.array([[1.0, 0, 1], [0, 0, 1]])
    many = posterior.weights_of_many(quiz, results)
    for row, tasks, answers in zip(many, quiz, results, strict=True):
        np.testing.assert_allclose(row, posterior.weights(Mix.known(tasks), answers), rtol=1e-4)


def test_intervals_hold_the_chances() -> None:
    quiz, tasks = np.array([[0.1], [0.6]]), np.linspace(0, 1, 30)[:, None]
    for level in (1e-9, 0.5, 0.8):
        chances, low, high = ts.predict(Kinds(), quiz, [1, 0], tasks, interval=level)
        assert ((low <= chances) & (chances <= high)).all()
        assert (high - low < 0.9).all()


def test_few_agents_are_better_than_none() -> None:
    agents = FEWEST_AGENTS - 1
    chances = ts.predict(Kinds(agents), [[0.1], [0.2]], [1, 1], [[0.3]])
    assert chances[0] > 0.5


@pytest.mark.slow
def test_a_success_model_predicts_by_features_and_by_names() -> None:
    rng = np.random.default_rng(0)
    tasks, skills = rng.uniform(size=(300, 2)), rng.uniform(size=(30, 2))
    solved = np.all(skills[:, None] > tasks, axis=2)
    outcomes = ts.Outcomes(2 * solved, 2, features=tasks)  # type: ignore[arg-type]
    model = ts.SuccessModel(width=32, epochs=1, random_state=0).fit(outcomes)
    easy, hard = [[0.05, 0.05]], [[0.95, 0.95]]
    able = ts.predict(model, [[0.5, 0.5]], [1], easy + hard)
    assert able[0] > 0.8 > 0.2 > able[1]
    named = ts.SuccessModel(random_state=0).fit(ts.Outcomes(2 * solved, 2))  # type: ignore[arg-type]
    assert ts.predict(named, ["task-0"], [1], ["task-1", "task-2"]).shape == (2,)


def test_a_quiz_asks_by_a_success_model() -> None:
    model = Kinds()
    quiz = ts.Quiz(model)
    for task in quiz.ask(at_most=6):
        left = model.sample_[int(task.removeprefix("task-")), 0] < 0.5
        quiz.answer(float(left))
    chances = quiz.chances()
    assert chances[model.sample_[:, 0] < 0.5].min() > 0.6 > 0.4 > chances[-1]
    tasks = np.array([[0.3], [0.9]])
    over = fit_model_posterior(model).over(tasks)
    quiz = ts.Quiz(over, targets=tasks[1:], pool=tasks[:1])
    assert quiz.next() == "task-0"
    quiz.answer(1)
    expected = ts.predict(model, tasks[:1], [1], tasks[1:])
    np.testing.assert_allclose(quiz.chances(), expected, rtol=0, atol=tolerances.CHANCE)


def test_a_drawn_seed_is_kept() -> None:
    posterior = fit_model_posterior(Kinds(), seed=None)  # type: ignore[arg-type]
    one, other = (posterior.on([[0.2]]).profiles for _ in range(2))
    np.testing.assert_array_equal(one, other)


def test_what_is_no_model_is_refused() -> None:
    for wrong in (ts.SuccessModel(), None):
        with pytest.raises(TypeError, match=says("fitted SuccessModel")):
            fit_model_posterior(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=says("Outcomes Kinds")):
        ts.fit_posterior(Kinds())  # type: ignore[arg-type]


def test_what_a_model_does_not_need_is_refused() -> None:
    with pytest.raises(ValueError, match=says("outcomes beta")):
        ts.predict(Kinds(), [[0.1]], [1], [[0.2]], beta=1.0)

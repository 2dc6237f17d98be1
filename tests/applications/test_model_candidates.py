"""Candidates from the profiles of a success model, on any task."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from taskspace.applications.candidates import SIMULATED, SKILLS, TILTS
from taskspace.applications.model_candidates import STRENGTH, ModelCandidates, Profiler
from taskspace.applications.posterior import Posterior
from taskspace.applications.prior import MIXES, TEMPERS
from taskspace.applications.task_mixtures import TaskMixture
from taskspace.models.success.model import SuccessModel
from tests.applications.predictors import Kinds


def on(tasks: Any, seed: int = 0) -> Posterior:
    model = Kinds()
    candidates = ModelCandidates.fit(model.predict_proba(model.sample_), seed)
    return candidates.posterior(model.predict_proba(tasks))


def test_candidates_are_the_known_agents_and_others_around_them() -> None:
    posterior = on([[0.2], [0.8]])
    assert posterior.profiles.shape == (2, 40 + SIMULATED + SKILLS * len(TILTS))
    np.testing.assert_allclose(
        posterior.profiles[:, :40], Kinds().predict_proba([[0.2], [0.8]]).T, rtol=1e-6
    )
    assert posterior.prior.sum() == pytest.approx(1)
    logits = np.log(posterior.profiles / (1 - posterior.profiles))
    known, simulated = logits[:, :40], logits[:, 40:840:2]  # every other one has their own spread
    np.testing.assert_allclose(simulated.mean(1), known.mean(1), atol=0.25)
    np.testing.assert_allclose(np.cov(simulated), np.cov(known), rtol=0.25, atol=0.2)


def test_left_out_agents_choose_the_prior() -> None:
    profiles = Kinds().predict_proba(Kinds().sample_)
    candidates = ModelCandidates.fit(profiles, seed=3)
    assert candidates.mix in MIXES
    assert candidates.temper in TEMPERS
    assert candidates.centre == pytest.approx(np.log(profiles / (1 - profiles)).mean())
    assert candidates.seed == 3
    posterior = candidates.posterior(profiles)
    assert (posterior.temper, posterior.strength) == (candidates.temper, STRENGTH)


def test_without_answers_it_is_the_base_rate() -> None:
    posterior = on([[0.2], [0.8]])
    weights = posterior.weights(TaskMixture.known([]), np.zeros(0))
    np.testing.assert_allclose(weights, posterior.prior)
    chances = posterior.mean(weights, TaskMixture.known([0, 1]))
    np.testing.assert_allclose(chances, 0.5, atol=0.05)


def test_weights_of_many_are_those_of_each() -> None:
    posterior = on(np.linspace(0, 1, 9)[:, None])
    quiz, results = np.array([[0, 3, 8], [5, 1, 2]]), np.array([[1.0, 0, 1], [0, 0, 1]])
    many = posterior.weights_of_many(quiz, results)
    for row, tasks, answers in zip(many, quiz, results, strict=True):
        expected = posterior.weights(TaskMixture.known(tasks), answers)
        np.testing.assert_allclose(row, expected, rtol=1e-4)


def test_simulated_agents_are_the_same_on_any_tasks() -> None:
    np.testing.assert_allclose(
        on([[0.2], [0.8]]).profiles[1], on([[0.8]]).profiles[0], rtol=0, atol=1e-6
    )
    assert (on([[0.2]], seed=1).profiles != on([[0.2]], seed=2).profiles).any()


def test_certain_agents_are_fine() -> None:
    sure = np.eye(2)[np.arange(12) % 2]
    posterior = ModelCandidates.fit(sure, 0).posterior(sure)
    assert np.isfinite(posterior.profiles).all()


def test_a_fitted_success_model_is_a_profiler() -> None:
    assert isinstance(Kinds(), Profiler)
    for wrong in (SuccessModel(), None):
        assert not isinstance(wrong, Profiler)

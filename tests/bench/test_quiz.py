"""The benchmark measures what it says; how fast things are is not a matter for tests."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.bench import quiz
from taskspace.outcomes.outcomes import Outcomes

pytestmark = pytest.mark.slow


def test_students_are_as_described() -> None:
    outcomes = quiz.students(count=400, questions=30)
    assert (outcomes.n_agents, outcomes.n_tasks) == (400, 30)
    assert 0.4 < outcomes.rates.mean() < 0.75
    correlation = np.corrcoef(outcomes.rates.T)[np.triu_indices(30, 1)]
    assert correlation.max() > 0.2 > 0.1 > correlation.min()  # some need the same skill


def test_speed_is_measured() -> None:
    predictor = quiz.random_predictor(tasks=50, candidates=20)
    assert quiz.predictions_per_second(predictor) > 0
    assert quiz.seconds_per_question(predictor) > 0


def test_copies_are_counted() -> None:
    rng = np.random.default_rng(0)
    solved = rng.random((220, 30)) < 1 / (1 + np.exp(-rng.normal(size=(220, 1))))
    solved[:, 1:4] = solved[:, :1] ^ (rng.random((220, 3)) < 0.04)
    outcomes = Outcomes(solved.astype(np.uint8), np.array(1))
    assert quiz.copies_asked(outcomes, new=10).max() <= 1
    assert 0 < quiz.copies_asked(outcomes, choose="random", new=10).mean() < 3


def test_wider_intervals_hold_more() -> None:
    rng = np.random.default_rng(0)
    skill, level = rng.normal(size=(30, 1)), rng.normal(size=40)
    rates = 1 / (1 + np.exp(level - skill))
    found = quiz.coverage(Outcomes(rng.binomial(100, rates), np.array(100)), folds=2)
    assert list(found) == list(quiz.LEVELS)
    assert 0.3 < found[0.5] < found[0.8] < found[0.9] <= 1
    assert found[0.9] > 0.75

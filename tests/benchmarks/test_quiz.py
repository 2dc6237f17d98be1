"""The benchmark measures what it says; how fast things are is not a matter for tests."""

from __future__ import annotations

import numpy as np

from taskspace.benchmarks import quiz


def test_students_are_as_described() -> None:
    outcomes = quiz.students(count=400, questions=30)
    assert (outcomes.n_agents, outcomes.n_tasks) == (400, 30)
    assert 0.4 < outcomes.rates.mean() < 0.75
    correlation = np.corrcoef(outcomes.rates.T)[np.triu_indices(30, 1)]
    assert correlation.max() > 0.2 > 0.1 > correlation.min()  # some need the same skill


def test_speed_is_measured() -> None:
    posterior = quiz.random_posterior(tasks=50, candidates=20)
    assert quiz.predictions_per_second(posterior) > 0
    assert quiz.seconds_per_question(posterior) > 0

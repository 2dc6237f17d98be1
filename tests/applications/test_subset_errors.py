"""Errors of short tests for new agents."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.applications.subset_errors import (
    INFORMATIVE,
    PLAIN_RANDOM,
    RANDOM,
    Question,
    errors_of_methods,
)
from taskspace.applications.subset_limits import Limits
from taskspace.models.linear_population import LinearPopulation

RNG = np.random.default_rng(0)
ABILITY = RNG.normal(size=(60, 1)) + 0.7 * RNG.normal(size=(60, 100))
SOLVED = (ABILITY > RNG.normal(size=100)).astype(np.float64)
LABELS = np.arange(100) % 3
KNOWN = LinearPopulation.from_rates(SOLVED[10:], None, 0)
PLAIN = Question(Limits(np.zeros(100, np.int64)), False)
LABELLED = Question(Limits(LABELS, least=1), True)


def errors(results: np.ndarray, question: Question, k: int) -> dict[str, np.ndarray]:
    return dict(errors_of_methods(KNOWN, results, question, k, np.random.default_rng(0)))


def test_a_question_has_a_score_of_all_tasks_and_one_per_label() -> None:
    assert PLAIN.targets.shape == (100, 1)
    np.testing.assert_allclose(PLAIN.targets, 0.01)
    assert LABELLED.targets.shape == (100, 4)
    np.testing.assert_allclose(LABELLED.targets.sum(0), 1)
    assert (LABELLED.targets[LABELS == 1, 2] > 0).all()
    assert (LABELLED.targets[LABELS != 1, 2] == 0).all()


@pytest.mark.parametrize("question", [PLAIN, LABELLED], ids=["all tasks", "labels"])
def test_informative_tasks_beat_the_plain_mean_of_random_ones(question: Question) -> None:
    found = errors(SOLVED[:10], question, 10)
    assert all(each.shape == (10, question.targets.shape[1]) for each in found.values())
    assert found[INFORMATIVE].mean() < found[PLAIN_RANDOM].mean()


def test_nearly_all_tasks_leave_nearly_no_error() -> None:
    for method, each in errors(SOLVED[:10], PLAIN, 99).items():
        if "weights" not in method:
            assert each.max() <= 0.011  # one task of a hundred is predicted


def test_agents_are_judged_on_the_tasks_that_they_tried() -> None:
    results = SOLVED[:4].copy()
    results[0, 50:] = np.nan
    results[1, LABELS == 2] = np.nan
    found = errors(results, LABELLED, 12)
    for method in (INFORMATIVE, RANDOM, PLAIN_RANDOM):
        assert np.isnan(found[method]).sum() == 1
        assert np.isnan(found[method][1, 3])  # it tried no task of the last label
    nearly_all = errors(results, PLAIN, 99)
    for method in (INFORMATIVE, RANDOM):  # at most one of the 50 tasks that it tried is predicted
        assert nearly_all[method][0, 0] <= 0.021

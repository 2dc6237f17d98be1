"""Scores of a map: constraints that hold are counted."""

from __future__ import annotations

import numpy as np
import pytest

import taskspace as ts
from taskspace.models.embedding.constraints import Triplets
from taskspace.models.embedding.pools import Constraints
from taskspace.models.embedding.scoring import accuracies, drawn, given_statistics
from tests.messages import says

VECTORS = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 3.0], [-1.0, 0.0]])
NO_TRIPLETS = Triplets(np.zeros((0, 3), np.int64), np.zeros(0))
NO_PAIRS = np.zeros((0, 2), np.int64)


def test_a_triplet_counts_by_its_probability() -> None:
    triplets = Triplets(np.array([[0, 1, 2], [0, 3, 1]]), np.array([0.9, 0.8]))
    found = accuracies(VECTORS, np.zeros(4), Constraints(triplets, NO_PAIRS))
    assert found == {"similarity": pytest.approx((0.9 + 0.2) / 2)}


def test_a_pair_counts_by_difficulty_and_not_by_length() -> None:
    difficulty = np.array([0.1, 0.2, 0.05, 0.9])
    pairs = np.array([[0, 1], [1, 2], [0, 3], [2, 3]])  # easier, harder
    found = accuracies(VECTORS, difficulty, Constraints(NO_TRIPLETS, pairs))
    assert found == {"difficulty": 0.75}


def test_without_constraints_there_are_no_scores() -> None:
    assert accuracies(VECTORS, np.zeros(4), Constraints(NO_TRIPLETS, NO_PAIRS)) == {}


def test_constraints_are_drawn_among_the_given_tasks() -> None:
    rates = np.random.default_rng(0).random((30, 12))
    statistics, some = given_statistics(np.zeros((12, 1)), rates.T, None), np.array([1, 4, 6, 9])
    found = drawn(statistics, some, np.random.default_rng(0))
    assert set(found.triplets.tasks.ravel()) <= set(some)
    assert set(found.pairs.ravel()) <= set(some)
    assert len(drawn(statistics, some, np.random.default_rng(0), norm_weight=0).pairs) == 0


def test_scores_outside_of_0_to_1_are_rescaled() -> None:
    scores = np.array([[-1.0, 3.0], [1.0, 1.0], [0.0, 0.0]])  # (tasks, agents)
    found = given_statistics(np.zeros((3, 1)), scores, None)
    np.testing.assert_allclose(found.rates, (scores + 1) / 4)
    inside = given_statistics(np.zeros((3, 1)), [0.2, 0.5, 0.4], None)
    np.testing.assert_allclose(inside.rates, [[0.2], [0.5], [0.4]])


def test_other_numbers_of_tasks_are_refused() -> None:
    outcomes = ts.Outcomes(np.ones((2, 4), int), np.array(1))
    with pytest.raises(ValueError, match=says("tasks 3 outcomes 4")):
        given_statistics(np.zeros((3, 1)), None, outcomes)
    with pytest.raises(ValueError, match=says("y 3 tasks (2, 3)")):
        given_statistics(np.zeros((3, 1)), np.zeros((2, 3)), None)

"""What a choice of tasks must keep."""

from __future__ import annotations

import numpy as np

from taskspace.applications.subset_limits import Limits, Room

LABELS = np.array([0, 0, 0, 0, 0, 0, 1, 1, 2, -1])


def take(k: int, limits: Limits, scores: np.ndarray) -> list[int]:
    """The choice of k tasks when the scores stay the same."""
    room = Room(k, limits)
    return [room.take(scores) for _ in range(k)]


def test_the_highest_scores_are_taken() -> None:
    scores = np.array([3.0, 1.0, 4.0, 1.5, 9.0, 2.6, 5.0, 3.5, 8.0, 9.5])
    assert take(4, Limits(LABELS), scores) == [9, 4, 8, 6]


def test_every_label_has_its_least_number_of_tasks() -> None:
    scores = -np.arange(10.0)
    assert take(4, Limits(LABELS, least=1), scores) == [0, 1, 6, 8]
    chosen = take(6, Limits(LABELS, least=2), scores)
    # The last label has one task only.
    assert np.bincount(LABELS[chosen]).tolist() == [3, 2, 1]


def test_near_copies_are_a_last_resort() -> None:
    copies = {0: [1, 2], 1: [0, 2], 2: [0, 1]}
    scores = -np.arange(4.0)
    limits = Limits(np.zeros(4, np.int64), copies=copies)
    assert take(2, limits, scores) == [0, 3]
    assert take(4, limits, scores) == [0, 3, 1, 2]


def test_shares_are_in_proportion_and_never_more_than_there_are() -> None:
    limits = Limits(np.repeat([0, 1, 2], [80, 19, 1]), least=1)
    assert limits.shares(10) == [8, 1, 1]
    assert limits.shares(3) == [1, 1, 1]
    assert sum(limits.shares(99)) == 99
    assert limits.shares(99)[2] == 1

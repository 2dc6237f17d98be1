"""The history adds up, in bounded memory."""

from __future__ import annotations

import numpy as np

from taskspace.curriculum.history import FIRST_LENGTH, INTERVALS, History


def test_nothing_is_lost_when_intervals_are_merged() -> None:
    rng, history = np.random.default_rng(0), History(5)
    tried, won = np.zeros(5), np.zeros(5)
    for _ in range(60):
        tasks = rng.integers(5, size=777)
        solved = (rng.random(777) < 0.3).astype(float)
        history.add(tasks, solved)
        tried += np.bincount(tasks, minlength=5)
        won += np.bincount(tasks, solved, 5)
    assert (history.attempts.sum(0) == tried).all()
    assert (history.successes.sum(0) == won).all()
    assert len(history.attempts) <= INTERVALS
    assert history.length > FIRST_LENGTH
    assert (history.attempts.sum(1)[:-1] == history.length).all()


def test_it_returns_from_arrays() -> None:
    history = History(2)
    history.add(np.array([0, 1, 1]), np.array([1.0, 0.0, 1.0]))
    history.record(3.0, 0.5, 0.5, 0.2, 1000.0)
    again = History.from_arrays(history.as_arrays())
    again.add(np.array([0]), np.array([1.0]))
    assert again.episodes == 4
    assert again.records == history.records
    assert again.attempts.tolist() == [[2, 2]]


def test_records_stay_few() -> None:
    history = History(1)
    for index in range(5000):
        history.record(float(index), 0, 0, 0, 0)
    assert len(history.records) <= 2000
    assert [row[0] for row in history.records] == sorted(row[0] for row in history.records)

"""Who is measured: a subject plays fresh tasks of its environment."""

from __future__ import annotations

import numpy as np

import taskspace as ts
from taskspace.bench.subjects import Subject


def test_a_subject_plays_so_many_tasks_so_often() -> None:
    env = ts.make("MultiKeyNav")
    population = ts.Population({f"a{i}": ts.MLPPolicy.random(env, seed=i) for i in range(2)})
    subject = Subject(env, population)
    first, again, other = (subject.play(15, 4, seed) for seed in (0, 0, 1))
    assert first.successes.shape == (2, 15)
    assert (first.rollouts == 4).all()
    np.testing.assert_array_equal(first.successes, again.successes)
    assert not np.array_equal(first.task_inputs, other.task_inputs)

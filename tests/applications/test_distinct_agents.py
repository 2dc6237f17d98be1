"""Agents whose results repeat those of others count once."""

from __future__ import annotations

from typing import Any

import numpy as np

from taskspace import Outcomes
from taskspace.applications.distinct_agents import FEWEST_TASKS, distinct_agents

results_of: Any = Outcomes  # it takes lists and numbers, which its types do not say


def test_without_copies_nothing_changes() -> None:
    outcomes = results_of(np.random.default_rng(0).integers(0, 2, (50, 30)), 1)
    assert distinct_agents(outcomes) == (outcomes, 0)


def test_a_few_common_tasks_make_no_copies() -> None:
    results = np.tile(np.random.default_rng(0).integers(0, 2, FEWEST_TASKS - 1), (10, 1))
    assert distinct_agents(results_of(results, 1))[1] == 0


def test_agents_that_solve_everything_are_no_copies() -> None:
    results = np.random.default_rng(0).integers(0, 2, (40, 30))
    results[:5], results[5:9] = 1, 0
    assert distinct_agents(results_of(results, 1))[1] == 0


def test_what_a_copy_tried_beyond_the_others_still_counts() -> None:
    results = np.random.default_rng(0).integers(0, 2, (10, 60)).astype(float)
    results[3] = results[2]
    results[2, 50:], results[3, :10] = np.nan, np.nan
    distinct, same = distinct_agents(Outcomes.from_table(results))
    assert same == 1
    assert distinct.n_agents == 10
    np.testing.assert_array_equal(np.flatnonzero(distinct.rollouts[3]), np.arange(50, 60))

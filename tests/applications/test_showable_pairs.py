"""How many pairs of tasks could be shown to be near-copies at all."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from taskspace import Outcomes
from taskspace.applications.near_copies import agents_needed, count_pairs, find_near_copies
from taskspace.applications.showable_pairs import Showable, showable_pairs
from taskspace.similarity.statistics import SuccessStatistics


def showable(outcomes: Outcomes, error: float = 1e-4) -> Showable:
    """The pairs of outcomes that can be shown, at the usual threshold."""
    statistics = SuccessStatistics.from_outcomes(outcomes)
    assert count_pairs(statistics)
    found, _ = find_near_copies(outcomes, statistics, 0.5, error)
    return showable_pairs(outcomes, statistics, found, 0.5, error)


def test_the_number_of_agents_that_tried_both_decides() -> None:
    rng = np.random.default_rng(0)
    results = rng.integers(0, 2, (400, 12)).astype(float)
    results[200:, :4] = np.nan  # tried by half of the agents
    results[:190, 4:] = np.nan  # of which ten tried these
    found = showable(Outcomes.from_table(results))
    assert found.pairs == math.comb(4, 2) + math.comb(8, 2)
    assert found.together == 210
    assert agents_needed(0.5, 1e-4) <= found.enough_agents < 50


@pytest.mark.parametrize(("agents", "pairs"), [(30, 0), (100, 45)])
def test_scores_can_be_shown_as_well(agents: int, pairs: int) -> None:
    results_of: Any = Outcomes  # it takes lists and numbers, which its types do not say
    scores = np.random.default_rng(0).random((agents, 10))
    assert showable(results_of(scores, 1)).pairs == pairs

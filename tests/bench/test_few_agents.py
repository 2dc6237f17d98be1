"""Few known agents: paired differences, and who is known and who is new."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.bench import few_agents
from taskspace.bench.few_agents import Paired, parts, simulated


def test_an_interval_above_zero_is_worse() -> None:
    worse, level = Paired(np.array([0.1, 0.2, 0.3, 0.2])), Paired(np.array([-0.1, 0.2, 0.0]))
    mean, low, high = worse.interval
    assert mean == pytest.approx(0.2)
    # Student's distribution with three degrees of freedom has 2.5 % above 3.182.
    assert high - mean == pytest.approx(mean - low) == pytest.approx(3.182 * 0.0408, rel=1e-3)
    assert worse.worse
    assert "worse" in str(worse)
    assert not level.worse


def test_known_and_new_agents_are_different_ones() -> None:
    for known, new in parts(simulated(), 10):
        assert known.n_agents == 10
        assert new.n_agents == few_agents.NEW
        assert not set(known.agents) & set(new.agents)
        assert (known.tasks == new.tasks).all()


def test_ours_is_better_where_agents_differ_in_two_skills() -> None:
    known, new = next(parts(simulated(), 60))
    found = Paired(few_agents.beside_rasch(known, new))
    assert found.interval[2] < 0

"""Scores of agents on two scales."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from taskspace.outcomes.outcomes import Outcomes
from tests.messages import says

RNG = np.random.default_rng(0)
PERCENT = RNG.integers(2, 101, (3, 24)).astype(float)


def _forms(rows: np.ndarray) -> list[Any]:
    """The same results as an array, a wide table and a long table."""
    names = [f"a{number}" for number in range(len(rows))]
    wide = {"agent": names, **{f"q{task}": rows[:, task] for task in range(rows.shape[1])}}
    agent, task = np.indices(rows.shape)
    long = {"agent": [f"a{n}" for n in agent.ravel()], "task": task.ravel(), "score": rows.ravel()}
    return [rows, wide, long]


@pytest.mark.parametrize("form", range(3))
def test_agents_on_another_scale_are_refused(form: int) -> None:
    for weak in (np.tile([0.0, 1.0], 12), np.r_[[0.25, 0.93, 0.5, 0.75, 0.1], np.full(19, np.nan)]):
        table = _forms(np.vstack([PERCENT, weak]))[form]
        with pytest.raises(ValueError, match=says(f"one scale {weak[:5].max():g} 100")):
            Outcomes.from_table(table, max_score=100)
    assert Outcomes.from_table(_forms(PERCENT)[form], max_score=100).rates.max() == 1


@pytest.mark.parametrize("form", range(3))
def test_agents_that_may_be_weak_are_told(form: int) -> None:
    rows = np.vstack([PERCENT, np.tile([0.0, 1.0], 12)])
    rows[0, 0] = 1  # so that scores up to 1 exist on this scale
    with pytest.warns(UserWarning, match=says("exceed 1 100")):
        found = Outcomes.from_table(_forms(rows)[form], max_score=100)
    assert found.rates[3].max() == pytest.approx(0.01)


@pytest.mark.filterwarnings("error")
def test_few_scores_tell_nothing() -> None:
    Outcomes.from_table(np.array([[1, 0, 1, 0], [5, 4, 3, 5]]), max_score=5)

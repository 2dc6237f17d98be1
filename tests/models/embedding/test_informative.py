"""What outcomes need for a map."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.models.embedding.informative import check_agents, warn_if_uninformative
from taskspace.outcomes.outcomes import Outcomes
from tests.messages import says

SOLVED = np.random.default_rng(0).integers(0, 2, (20, 8))
EMBEDDERS = [ts.TaskEmbedder(2), ts.OrdinalEmbedder(2, steps=0)]


@pytest.mark.parametrize("embedder", EMBEDDERS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("features", [None, np.arange(8.0)[:, None]])
def test_a_single_agent_and_equal_agents_are_refused(embedder: Any, features: Any) -> None:
    with pytest.raises(ValueError, match=says("2 1")):
        embedder.fit(Outcomes(SOLVED[:1], np.array(1), features=features))
    with pytest.raises(ValueError, match=says("differ 5")):
        embedder.fit(Outcomes(np.repeat(SOLVED[:1], 5, axis=0), np.array(1), features=features))


def test_agents_with_the_same_results_on_the_tasks_they_tried_do_not_differ() -> None:
    rollouts = np.ones((4, 8), int)
    rollouts[0, :4] = rollouts[1, 4:] = 0
    solved = np.where(rollouts > 0, SOLVED[0], 0)
    with pytest.raises(ValueError, match=says("differ 4")):
        check_agents(Outcomes(solved, rollouts))
    solved[2, 3] = 1 - solved[2, 3]
    check_agents(Outcomes(solved, rollouts))


@pytest.mark.parametrize("embedder", EMBEDDERS, ids=lambda e: type(e).__name__)
def test_tasks_that_all_or_no_agents_solve_are_counted(embedder: Any) -> None:
    solved = SOLVED.copy()
    solved[:, :3], solved[:, 3:5] = 1, 0
    with pytest.warns(UserWarning, match=says("3 8 2")):
        found = embedder.fit(Outcomes(solved, np.array(1))).transform(["task-0", "task-6"])
    assert np.isfinite(found).all()


def test_a_task_that_nobody_tried_is_not_counted() -> None:
    rollouts = np.ones(SOLVED.shape, int)
    rollouts[:, 0] = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_if_uninformative(Outcomes(np.where(rollouts > 0, SOLVED, 0), rollouts))


def test_the_command_refuses_before_it_writes(tmp_path: Any) -> None:
    for outcomes in (
        Outcomes(SOLVED[:1], np.array(1)),
        Outcomes(SOLVED, np.array(1), features=np.full((8, 1), 1e308)),
    ):
        with pytest.raises(ValueError, match=says("must")):
            ts.fit(outcomes, tmp_path / "run")
        assert not (tmp_path / "run").exists()

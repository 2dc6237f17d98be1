"""Outcomes and logs of new agents as answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.applications.logged_answers import logged_answers
from tests.messages import says
from tests.outcomes.readers.logs import lines, write


def outcomes_of(results: Any, rollouts: Any, tasks: str, **texts: Any) -> ts.Outcomes:
    return ts.Outcomes(
        np.array(results), np.array(rollouts), tasks=np.array(list(tasks)), task_labels=texts
    )


KNOWN = outcomes_of(
    [[1, 1, 1, 0]] * 9 + [[0, 0, 1, 0]] * 9, 1, "abcd",
    text=["What is a?", "What is b?", "", "What is d?"],
)  # fmt: skip


@pytest.fixture(scope="module")
def predictor() -> ts.PerformancePredictor:
    return ts.PerformancePredictor().fit(KNOWN)


def new(*results: Any, tasks: str = "dax", **texts: Any) -> ts.Outcomes:
    return outcomes_of(results, 1, tasks, **texts)


def test_outcomes_and_logs_of_one_agent_score_like_its_answers(
    predictor: ts.PerformancePredictor, tmp_path: Path
) -> None:
    told = predictor.score(["a", "d"], [1, 0])
    responses = {"subject_id": "new", "responses": {"a": 1, "d": 0, "x": 1}}
    path = write(tmp_path / "logs" / "responses.jsonl", lines(responses))
    for given in (new([0, 1, 1]), path.parent, str(path)):
        with pytest.warns(UserWarning, match=says("1 3 tasks unknown")):
            found = predictor.score(given)
        assert found.answered == told.answered
        np.testing.assert_allclose([found.scores, found.low], [told.scores, told.low], rtol=1e-9)
    with pytest.warns(UserWarning, match=says("unknown")):
        assert predictor.answers_needed(path, None, 0.3) == predictor.answers_needed(
            ["a", "d"], [1, 0], 0.3
        )


def test_attempts_and_gaps_of_several_agents() -> None:
    outcomes = outcomes_of([[1, 0, 2], [0, 1, 0]], [[2, 0, 2], [0, 1, 1]], "abx")
    found = logged_answers(outcomes, KNOWN.tasks, {})
    assert [part.tolist() for part in found.of(0)] == [["a"], [0.5]]
    assert [part.tolist() for part in found.of(1)] == [["b"], [1.0]]


def test_what_cannot_be_matched_is_refused(predictor: ts.PerformancePredictor) -> None:
    with pytest.raises(ValueError, match=says("quiz one agent 2 Outcomes.of_agents")):
        predictor.score(new([0, 1, 1], [1, 1, 1]))
    with pytest.raises(ValueError, match=says("'a' none 3 'x'")):
        predictor.score(new([0, 1, 1], tasks="xyz"))
    with pytest.raises(ValueError, match=says("Outcomes results 'a'")):
        predictor.score(["a"])
    with pytest.raises(ValueError, match=says("'a' text 'What is a?' 'Who is a?'")):
        predictor.score(new([0, 1, 1], text=["What is d?", "Who is a?", ""]))

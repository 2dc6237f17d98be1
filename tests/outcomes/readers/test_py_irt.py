"""Responses in the format of py-irt."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import taskspace as ts
from tests.messages import says
from tests.outcomes.readers.logs import lines, write


def test_responses_are_read(tmp_path: Path) -> None:
    rows = [
        {"subject_id": "ken", "responses": {"q1": 0, "q2": 1}},
        {"subject_id": 7, "responses": {"q2": 1, "q3": None}},
    ]
    write(tmp_path / "responses.jsonlines", lines(*rows))
    found = ts.read_results(tmp_path)
    assert found.agents.tolist() == ["ken", "7"]
    assert found.tasks.tolist() == ["q1", "q2"]
    np.testing.assert_array_equal(found.rates, [[0, 1], [np.nan, 1]])
    assert found.task_labels == {}


@pytest.mark.parametrize(
    ("line", "tokens"),
    [
        ('{"subject_id": "a", "responses": {"q1": 1, "q1": 0}}', "two 'q1' 'a'"),
        ('{"subject_id": null, "responses": {"q1": 1}}', "subject_id None"),
    ],
)
def test_unclear_responses_are_refused(tmp_path: Path, line: str, tokens: str) -> None:
    write(tmp_path / "r.jsonl", line + "\n")
    with pytest.raises(ValueError, match=says(tokens)):
        ts.read_results(tmp_path)

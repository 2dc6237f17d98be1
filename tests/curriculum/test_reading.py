"""What a curriculum is given as tasks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from taskspace.curriculum.reading import read_tasks
from tests.messages import says


def test_rows_are_features_and_names_are_not() -> None:
    rows, features = read_tasks([[1, 2], [3, 4]])
    assert features is rows
    assert rows.dtype == np.float64
    names, features = read_tasks(["a", "b"])
    assert names.tolist() == ["a", "b"]
    assert features is None


@pytest.mark.parametrize(
    ("tasks", "tokens"),
    [
        ([], "tasks"),
        ([1, 2], "tasks (2,)"),
        (None, "tasks"),
        ([[1.0], [float("nan")]], "tasks"),
        (["a", "b", "a"], "names 'a' 2"),
        (["a", ""], "names empty"),
    ],
)
def test_bad_tasks(tasks: Any, tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        read_tasks(tasks)

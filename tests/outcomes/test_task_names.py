"""Tasks by their names."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.outcomes.task_names import positions
from tests.messages import says

KNOWN = np.array(["3", "1"])


def test_whole_numbers_are_names_as_they_are_in_outcomes() -> None:
    assert positions(KNOWN, [1, 3, 1], "map").tolist() == [1, 0, 1]


def test_what_is_not_known_is_told() -> None:
    with pytest.raises(ValueError, match=says("'2' model features")):
        positions(KNOWN, ["1", "2"], "model")
    with pytest.raises(ValueError, match=says("map features (1, 1)")):
        positions(KNOWN, [["1"]], "map")

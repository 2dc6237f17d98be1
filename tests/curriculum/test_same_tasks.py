"""Tasks are compared by their form, number and digest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from taskspace.curriculum.same_tasks import check_same_tasks, fingerprint
from tests.messages import says

ROWS = np.array([[0.5, -0.0], [1.0, 2.0]])


@pytest.mark.parametrize(
    "same", [ROWS.tolist(), ROWS.astype(np.float32), np.asfortranarray(ROWS), np.abs(ROWS)]
)
def test_the_same_rows_in_other_types(same: Any) -> None:
    check_same_tasks(ROWS, [fingerprint(same)])


def test_other_tasks_are_refused() -> None:
    check_same_tasks(["a", "b"], [fingerprint(("a", "b"))])
    for mine, other in ((ROWS, ROWS[::-1]), (["a", "b"], ["b", "a"]), (ROWS, ROWS + 1)):
        with pytest.raises(ValueError, match=says("curriculum must have another order")):
            check_same_tasks(mine, [fingerprint(mine), fingerprint(other)])
    with pytest.raises(ValueError, match=says("got 1 instead of 2")):
        check_same_tasks(ROWS[:1], [fingerprint(ROWS)])


@pytest.mark.parametrize("other", [["a", "b"], [{"mass": 1}, {"mass": 2}], ROWS[:, :1]])
def test_what_cannot_be_compared_is_accepted(other: Any) -> None:
    check_same_tasks(ROWS, [fingerprint(other)])

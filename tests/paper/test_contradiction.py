"""Similarity and difficulty in one vector, in a small study."""

from __future__ import annotations

import pytest

from taskspace.paper import contradiction
from taskspace.paper.contradiction import HARD, SEPARATE, SIMILAR, SLIGHT, X, Y
from taskspace.paper.study import Study

pytestmark = pytest.mark.slow


def test_no_length_shows_both(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contradiction, "NORM_WEIGHTS", (0.0, 0.4))  # there are two maps to fit
    result = contradiction.reproduce(study)
    rows = {row["map"]: row for row in result.tables[0].rows}
    plain, weighted = (rows[contradiction.ordinal(weight)] for weight in (0, 0.4))
    assert weighted[X] > plain[X]
    assert rows[SEPARATE][Y] == rows[SIMILAR][Y] > rows[SLIGHT][Y] > rows[HARD][Y]
    assert rows[SEPARATE][X] == pytest.approx(rows[HARD][X])
    assert rows[HARD][X] > rows[SIMILAR][X] + 0.1
    (picture,) = result.pictures
    assert picture.stat().st_size > 20_000

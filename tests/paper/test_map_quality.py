"""The quality of the maps of a small study."""

from __future__ import annotations

import pytest

from taskspace.paper import map_quality
from taskspace.paper.information import LABEL
from taskspace.paper.study import Study

pytestmark = pytest.mark.slow


def test_every_map_is_between_chance_and_a_second_evaluation(study: Study) -> None:
    quality, fits = map_quality.tables(study, ["MultiKeyNav"])
    rows = {row["map"]: row for row in quality.rows}
    assert list(rows) == [
        map_quality.ORDINAL, LABEL, "success model",
        "map of the second evaluation", "second evaluation",
    ]  # fmt: skip
    assert [row["dimensions"] for row in rows.values()] == [6, 6, None, 6, None]
    best = rows["second evaluation"]
    for row in rows.values():
        assert 0.55 < row["triplets"] < best["triplets"] + 0.05
        assert 0.55 < row["clear triplets"] <= 1
    assert rows[map_quality.ORDINAL]["error in bits"] is None
    assert 0 < best["error in bits"] < 0.05
    assert 0 < rows[LABEL]["error in bits"] < 0.05
    assert rows["success model"]["silhouette"] is None
    assert fits.rows[0][LABEL] < fits.rows[0][map_quality.ORDINAL]

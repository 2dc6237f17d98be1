"""Figure 6, in a small study."""

from __future__ import annotations

import pytest

from taskspace.paper import figure6, information
from taskspace.paper.study import Study

pytestmark = pytest.mark.slow


def test_both_numbers_of_examples_are_there(study: Study) -> None:
    result = figure6.reproduce(study)
    assert [table.name for table in result.tables] == [
        "figure6-multikeynav-50", "figure6-multikeynav-2000",
    ]  # fmt: skip
    rows = {row["method"]: row for row in result.tables[1].rows}
    assert list(rows) == list(figure6.METHODS)
    assert abs(rows["Random"]["Type 1, Top-1"] - 0.1) < 0.03
    assert abs(rows["Random"]["Type 1, Top-3"] - 0.3) < 0.04
    random, ours, best = (rows[name]["Type 1, Top-3"] for name in ("Random", "Ours", "OPT"))
    assert best > ours > random + 0.1
    assert rows[information.LABEL]["Type 1, Top-3"] > ours  # OPT has few rollouts in a fast study
    for row in rows.values():
        assert row["Type 2, Top-3"] >= row["Type 2, Top-1"]
    (picture,) = result.pictures
    assert picture.stat().st_size > 20_000

"""Figure 6 and what limits it, in a small study."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from taskspace.paper import figure6, limits
from taskspace.paper.study import Study
from taskspace.runs.sources.environment import map_settings
from tests.messages import says

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
    for row in rows.values():
        assert row["Type 2, Top-3"] >= row["Type 2, Top-1"]
    (picture,) = result.pictures
    assert picture.stat().st_size > 20_000


def test_limits_change_one_thing_at_a_time(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    brief = replace(map_settings("MultiKeyNav", "fast"), steps=100)  # there are ten maps to fit
    monkeypatch.setattr(limits, "map_settings", lambda env, preset: brief)
    result = limits.reproduce(study)
    rows = {row["change"]: row for row in result.tables[0].rows}
    assert re.search(says("MultiKeyNav quiz 20"), result.notes[1])
    assert len(rows) == 16
    assert rows[limits.RATES]["Type 1, Top-1"] is None
    assert rows["OPT"]["quiz 20"] > rows[limits.AS_IT_IS]["quiz 20"]
    exact, ours = rows[limits.TRUE_DIFFICULTY], rows[limits.AS_IT_IS]
    assert exact["Type 2, Top-1"] > ours["Type 2, Top-1"]
    assert exact["Type 1, Top-1"] == ours["Type 1, Top-1"]

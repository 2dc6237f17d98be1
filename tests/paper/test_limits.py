"""What limits prediction and selection, in a small study."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from taskspace.paper import limits
from taskspace.paper.study import Study
from taskspace.runs.sources.plans import ordinal_plan
from tests.messages import says

pytestmark = pytest.mark.slow


def test_limits_change_one_thing_at_a_time(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    brief = replace(ordinal_plan("MultiKeyNav", "fast"), steps=100)  # there are ten maps to fit
    monkeypatch.setattr(limits, "ordinal_plan", lambda env, preset: brief)
    result = limits.reproduce(study)
    rows = {row["change"]: row for row in result.tables[0].rows}
    assert re.search(says("MultiKeyNav quiz 20"), result.notes[1])
    assert len(rows) == 16
    assert rows[limits.RATES]["Type 1, Top-1"] is None
    assert rows["OPT"]["quiz 20"] > rows[limits.AS_IT_IS]["quiz 20"]
    exact, ours = rows[limits.TRUE_DIFFICULTY], rows[limits.AS_IT_IS]
    assert exact["Type 2, Top-1"] > ours["Type 2, Top-1"]
    assert exact["Type 1, Top-1"] == ours["Type 1, Top-1"]

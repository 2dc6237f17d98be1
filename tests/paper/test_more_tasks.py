"""What more tasks bring the success model of BasicKarel, in a small study."""

from __future__ import annotations

import functools
from dataclasses import replace

import pytest

from taskspace.models.success import model, network
from taskspace.paper import more_tasks
from taskspace.paper.study import Study
from taskspace.runs.sources.plans import information_plan

pytestmark = pytest.mark.slow


def test_every_success_model_is_compared_with_opt(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = replace(information_plan("BasicKarel", "fast"), tasks=400)
    monkeypatch.setattr(more_tasks, "information_plan", lambda env, preset: few)
    monkeypatch.setattr(more_tasks, "FACTORS", (1,))
    brief = functools.partial(network.Training, least_steps=100)
    monkeypatch.setattr(model, "Training", brief)
    result = more_tasks.reproduce(replace(study, environments=("BasicKarel",)))
    rows = {row["learned from"]: row for row in result.tables[0].rows}
    assert list(rows) == [
        "400 tasks", "400 tasks, 8 rollouts each", "400 tasks, twice the width",
        "OPT-50", "OPT",
    ]  # fmt: skip
    assert all(row[query] > 0.1 for row in rows.values() for query in more_tasks.QUERIES.values())
    assert rows["OPT"]["Type 1, Top-1"] > rows["400 tasks"]["Type 1, Top-1"]
    assert rows["400 tasks"]["learning, s"] > 0
    assert rows["OPT"]["learning, s"] is None

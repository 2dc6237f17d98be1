"""The doctor's figures, its advice and diverse agents against measured maps, in a small study."""

from __future__ import annotations

import numpy as np
import pytest

from taskspace.paper import diverse_agents, doctor, followed_advice
from taskspace.paper.everything import reproduce_all
from taskspace.paper.parts import ALONE, PARTS
from taskspace.paper.study import Study


@pytest.mark.slow
def test_the_doctor_is_compared_with_measured_maps(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "VARIANTS", {})
    monkeypatch.setattr(diverse_agents, "SIZES", (8, 16))
    result = doctor.reproduce(study)
    quality, populations, advice, similarities, maps = result.tables
    assert [row["figure"] for row in quality.rows] == list(doctor.COMPARED)
    assert all(-1 <= row["MultiKeyNav"] == row["all"] <= 1 for row in quality.rows)
    assert {row["part"] for row in populations.rows} == {"all", *doctor.HALVES}
    assert all(0.4 < row["triplets"] < 1 for row in populations.rows)
    starts = [row["start"] for row in advice.rows]
    assert starts == [followed_advice.ONE, followed_advice.MOST]
    assert {row["named"] for row in advice.rows} == {"no-pickKeyA"}  # the first that is absent
    for table in (similarities, maps):
        assert [row["agents"] for row in table.rows] == [8, 16]
        mean = {name: np.mean([row[name] for row in table.rows]) for name in diverse_agents.METHODS}
        assert mean[diverse_agents.DIVERSE] > mean[diverse_agents.BEST]


def test_parts_of_populations_have_enough_agents() -> None:
    parts = list(doctor._parts([f"agent {i}" for i in range(20)], np.random.default_rng(0)))
    assert [(part, len(names)) for part, names in parts] == [
        ("all", 20),
        ("half", 10),
        ("half", 10),
    ]
    assert not list(doctor._parts(["agent"] * 7, np.random.default_rng(0)))


def test_it_is_reproduced_only_by_name(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    from taskspace.paper import everything

    asked: list[str] = []
    monkeypatch.setattr(everything, "reproduce", lambda what, study: asked.append(what))
    monkeypatch.setattr(everything, "write_page", lambda results, study, page: None)
    list(reproduce_all(study, study.folder / "page.md"))
    assert set(asked) == set(PARTS) - set(ALONE)

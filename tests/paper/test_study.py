"""Studies: what they are asked for, what they keep, and how tables are shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from taskspace.paper.study import Result, Study, Table
from tests.messages import says

ROWS: list[dict[str, Any]] = [
    {"name": "a", "score": 0.5, "score ±": 0.25, "agents": 7},
    {"name": "b", "score": None, "score ±": None, "agents": 0},
]


def test_names_are_those_of_the_registry(tmp_path: Path) -> None:
    study = Study(tmp_path, ("multikeynav", "MultiKeyNav", "basickarel"))
    assert study.environments == ("MultiKeyNav", "BasicKarel")
    assert study.chosen(["BasicKarel", "PointMass", "MultiKeyNav"]) == ["BasicKarel", "MultiKeyNav"]
    assert Study(tmp_path).chosen(["PointMass"]) == ["PointMass"]
    with pytest.raises(ValueError, match=says("MultiKeyNav BasicKarel PointMass")):
        study.chosen(["PointMass"])


@pytest.mark.parametrize(
    ("changes", "tokens"),
    [
        ({"seeds": 0}, "seeds"),
        ({"preset": "huge"}, "'huge' fast default paper"),
        ({"environments": ("MultiKeyNv",)}, "'MultiKeyNv' 'MultiKeyNav'"),
    ],
)
def test_mistakes_are_told_before_any_work(changes: dict[str, object], tokens: str) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        Study(Path("nowhere"), **changes)  # type: ignore[arg-type]
    assert not Path("nowhere").exists()


def test_spreads_are_shown_with_their_means() -> None:
    table = Table("t", "title", ROWS)
    assert table.headings() == ["name", "score", "agents"]
    assert table.cells() == [["a", "0.500 ± 0.250", "7"], ["b", "–", "0"]]


def test_tables_are_written_as_they_are(tmp_path: Path) -> None:
    study = Study(tmp_path / "new")
    study.write(Result("r", "title", [Table("t", "title", ROWS[:1])]))
    written = (tmp_path / "new" / "t.csv").read_text().splitlines()
    assert written == ['"name","score","score ±","agents"', '"a",0.5,0.25,7']


def test_rows_are_kept(tmp_path: Path) -> None:
    study = Study(tmp_path, log=lambda line: None)
    assert study.saved_rows("rows", {"seed": 0}, lambda: ROWS) == ROWS

    def fail() -> None:
        raise AssertionError("made again")

    assert study.saved_rows("rows", {"seed": 0}, fail) == ROWS
    with pytest.raises(ValueError, match=says("settings seed 0 1")):
        study.saved_rows("rows", {"seed": 1}, fail)

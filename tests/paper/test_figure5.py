"""Figure 5, in a small study."""

from __future__ import annotations

import pytest

from taskspace.paper import figure5, information
from taskspace.paper.study import Result, Study

pytestmark = pytest.mark.slow


def accuracies(result: Result) -> dict[str, dict[str, float]]:
    (table,) = result.tables
    assert [row["method"] for row in table.rows] == list(figure5.METHODS)
    return {row["method"]: dict(row) for row in table.rows}


def test_knowing_more_predicts_better(study: Study) -> None:
    result = figure5.reproduce(study)
    found = accuracies(result)
    for size in (1, 20):
        assert abs(found["Random"][f"quiz {size}"] - 0.5) < 0.04
        assert found["OPT"][f"quiz {size}"] > found["IgnoreTask"][f"quiz {size}"]
    assert found["Ours"]["quiz 20"] > found["Ours"]["quiz 1"] + 0.05
    for ours in ("Ours", information.LABEL):
        assert found[ours]["quiz 20"] < found["OPT"]["quiz 20"]
    (picture,) = result.pictures
    assert picture.stat().st_size > 20_000
    assert picture.with_suffix(".svg").exists()


def test_a_second_look_reuses_everything(study: Study) -> None:
    lines: list[str] = []
    again = Study(study.folder, study.environments, 1, "fast", log=lines.append)
    assert figure5.reproduce(again).tables == figure5.reproduce(study).tables
    assert all(line.endswith("reused") for line in lines)

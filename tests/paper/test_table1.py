"""Table 1 of a small study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from taskspace.envs.registry import make
from taskspace.models.embedding.ordinal_embedder import OrdinalEmbedder
from taskspace.paper import table1
from taskspace.paper.study import Study
from taskspace.runs.measures import silhouettes


@pytest.mark.slow
def test_every_model_is_beside_the_papers(study: Study, folder: Path) -> None:
    scores, maps = table1.reproduce(study).tables
    assert [row["model"] for row in scores.rows] == list(table1.MODELS)
    assert [row["paper"] for row in scores.rows] == [0.036, -0.037, 0.753, 0.753, None]
    random, pred, fixed, ours, informed = (row["reproduced"] for row in scores.rows)
    assert min(ours, fixed, informed) > max(random, pred) + 0.2
    embedder = OrdinalEmbedder.load(folder / "multikeynav-0" / "embedder")
    found = silhouettes(make("MultiKeyNav"), embedder, 300, 0)
    assert ours == pytest.approx(sum(found) / len(found))
    assert 0.55 < maps.rows[0]["triplet accuracy"] < maps.rows[0]["noise ceiling"] + 0.05


@pytest.mark.slow
def test_ours_alone(study: Study) -> None:
    (row,) = table1.reproduce(study, models=["ours"]).tables[0].rows
    assert row["model"] == "ours"


@pytest.mark.slow
def test_other_populations_are_scored_in_the_same_way(folder: Path) -> None:
    study = Study(folder, ("CartPoleVar",), seeds=1, preset="fast", log=lambda line: None)
    result = table1.reproduce(study, models=[table1.FIXED, "ours"])
    tables = {table.name: table for table in result.tables}
    row, alone, earlier = tables["table1-populations"].rows
    # They differ in when skill is measured, and the fast form measures it when it likes.
    assert row["silhouette"] == tables["table1"].rows[1]["reproduced"]
    assert row["agents"] == tables["table1-maps"].rows[0]["agents"]
    assert int(alone["agents"]) < int(row["agents"])
    assert int(earlier["agents"]) < int(row["agents"])
    assert alone["silhouette"] != row["silhouette"] != earlier["silhouette"]


def _row(environment: str, model: str, reproduced: float) -> dict[str, Any]:
    paper = table1.PAPER[environment]["ours"][0]
    return {"environment": environment, "model": model, "paper": paper, "reproduced": reproduced}


def test_a_difference_is_explained_if_the_reason_is_known() -> None:
    scores = [_row("MultiKeyNav", table1.FIXED, 0.8), _row("MultiKeyNav", "ours", 0.9)]
    heading, line = table1.differences(scores, "default")
    assert str(table1.FAR) in heading
    assert "0.900" in line
    assert "constraints" in line
    assert "row above" in line


def test_an_explanation_refers_only_to_rows_that_are_there() -> None:
    _, line = table1.differences([_row("MultiKeyNav", "ours", 0.9)], "default")
    assert "constraints" in line
    assert "row above" not in line
    _, line = table1.differences([_row("CartPoleVar", "ours", 0.6)], "default")
    assert "unknown" in line
    assert "table" not in line


@pytest.mark.parametrize(
    "row", [_row("MultiKeyNav", "ours", 0.3), _row("BasicKarel", table1.FIXED, 0.95)]
)
def test_a_difference_in_the_other_direction_has_no_known_reason(row: dict[str, Any]) -> None:
    _, line = table1.differences([row], "default")
    assert "unknown" in line


def test_the_fast_preset_is_its_own_explanation() -> None:
    heading, line = table1.differences([_row("MultiKeyNav", "ours", 0.9)], "fast")
    assert "fast" in heading
    assert line.endswith("against 0.753.")


def test_scores_near_the_papers_need_no_explanation() -> None:
    assert not [*table1.differences([_row("MultiKeyNav", "ours", 0.8)], "default")]

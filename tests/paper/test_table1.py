"""Table 1 of a small study."""

from __future__ import annotations

from pathlib import Path

import pytest

from taskspace.envs.registry import make
from taskspace.models.embedding.ordinal_embedder import OrdinalEmbedder
from taskspace.paper import table1
from taskspace.paper.study import Study
from taskspace.runs.measures import silhouettes

pytestmark = pytest.mark.slow


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


def test_ours_alone(study: Study) -> None:
    (row,) = table1.reproduce(study, models=["ours"]).tables[0].rows
    assert row["model"] == "ours"


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

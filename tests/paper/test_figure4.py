"""Figure 4: the ablations of a small study."""

from __future__ import annotations

from pathlib import Path

import pytest

from taskspace.paper import figure4
from taskspace.paper.study import Result, Study
from tests.messages import says

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def result(folder: Path) -> Result:
    quiet = Study(folder, ("MultiKeyNav",), 1, "fast", log=lambda line: None)
    return figure4.reproduce(quiet)


def test_without_c_norm_lengths_say_less(result: Result) -> None:
    whole, plain, *_ = result.tables[0].rows
    assert plain["dimensions"] == 5
    assert plain["variation"] < whole["variation"]
    assert plain["rank"] < whole["rank"]


def test_agents_without_keys_know_two_kinds_of_tasks(result: Result) -> None:
    masked = result.tables[0].rows[2]
    assert masked["silhouette"] > 0.8
    rows = [row for row in result.tables[1].rows if row["map"].startswith("(b)")]
    assert rows[0]["success"] > 0
    assert [row["success"] for row in rows[1:]] == [0, 0]
    assert rows[0]["norm"] < min(row["norm"] for row in rows[1:])


def test_the_variants_have_their_own_sets_of_keys(result: Result) -> None:
    counts: dict[str, list[int]] = {}
    for row in result.tables[1].rows:
        counts.setdefault(row["map"][:3], []).append(row["keys to pick"])
    assert counts["(c)"] == [0, 1, 2]
    assert counts["(d)"] == [0, 1]
    assert all(row["silhouette"] > 0.4 for row in result.tables[0].rows)


def test_there_is_one_picture(result: Result) -> None:
    (picture,) = result.pictures
    assert picture.name == "figure4.png"
    assert picture.exists()


def test_only_multikeynav_has_these_ablations(folder: Path) -> None:
    study = Study(folder, ("CartPoleVar",))
    with pytest.raises(ValueError, match=says("CartPoleVar")):
        figure4.reproduce(study)

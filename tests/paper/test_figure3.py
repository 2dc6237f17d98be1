"""Figure 3: the numbers behind the paper's words, and the panels."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import taskspace as ts
from taskspace.paper import figure3
from taskspace.paper.study import Study, Table
from taskspace.runs.run import Run
from tests.messages import says

pytestmark = pytest.mark.slow

RNG = np.random.default_rng(0)


def pretrained(name: str, tasks: int = 400) -> Run:
    """The embedder that ships with the package, and outcomes that fall with difficulty."""
    env, embedder = ts.make(name), ts.load_pretrained(name, "ordinal")
    features = env.sample_tasks(tasks, seed=0)
    norms = embedder.difficulty(features)
    solved = np.round(10 * (1 - norms / norms.max())).astype(np.uint8)
    outcomes = ts.Outcomes(solved[None], np.array(10, np.uint8), features=features)
    settings = {"environment": name, "shown": 300}
    population = ts.Population([])
    return Run(
        "nowhere", settings=settings, environment=env, population=population, outcomes=outcomes,
        embedder=embedder,
    )  # fmt: skip


def plain_mean(first: figure3.Vectors, second: figure3.Vectors | None = None) -> float:
    """The mean inner product over all pairs, one by one."""
    if second is not None:
        return float(np.mean([a @ b for a in first for b in second]))
    pairs = [(i, j) for i in range(len(first)) for j in range(len(first)) if i != j]
    return float(np.mean([first[i] @ first[j] for i, j in pairs]))


def test_mean_inner_products_are_those_of_all_pairs() -> None:
    first, second = RNG.normal(size=(7, 3)), RNG.normal(size=(5, 3))
    assert figure3.within(first) == pytest.approx(plain_mean(first))
    assert figure3.across(first, second) == pytest.approx(plain_mean(first, second))


def test_the_small_study_has_its_tables_and_its_picture(study: Study) -> None:
    result = figure3.reproduce(study)
    clusters, keys, neighbours, informed = result.tables
    assert [row["cluster"] for row in clusters.rows] == list(ts.make("MultiKeyNav").cluster_names)
    assert sum(row["tasks"] for row in clusters.rows) == 500
    assert all(row["same"] > row["other"] for row in clusters.rows if row["cluster"] != "none")
    norms = [row["norm"] for row in keys.rows]
    assert [row["keys to pick"] for row in keys.rows] == [0, 1, 2]
    assert norms[0] < min(norms[1:])
    assert [row["pairs"] for row in neighbours.rows] == [12, 16]
    assert [row["cluster"] for row in informed.rows] == [row["cluster"] for row in clusters.rows]
    assert [path.stem for path in result.pictures] == ["figure3", "figure3-information"]
    for picture in result.pictures:
        assert picture.exists()
        assert picture.with_suffix(".svg").exists()
    study.write(result)
    assert (study.folder / "figure3-keys.csv").exists()


def test_more_keys_are_longer_vectors_and_shared_keys_are_near() -> None:
    keys, neighbours = figure3.statements(pretrained("MultiKeyNav", 2000))
    assert list(np.argsort([row["norm"] for row in keys.rows])) == [0, 1, 2]
    share, none = neighbours.rows
    assert share["inner product"] > none["inner product"]
    assert share["distance"] < none["distance"]
    assert re.search(says("8 clusters 3.4"), neighbours.note)


def test_dynamics_count_and_not_what_brings_them_about() -> None:
    (table,) = figure3.statements(pretrained("CartPoleVar"))
    same, alike, other = (row["inner product"] for row in table.rows)
    assert min(same, alike) > 0 > other


def test_other_environments_have_no_statement_of_their_own() -> None:
    found: list[Table] = list(figure3.statements(pretrained("PointMass")))
    assert found == []


def test_an_environment_without_a_map_is_told(folder: Path) -> None:
    with pytest.raises(ValueError, match=says("MultiKeyNavA")):
        figure3.reproduce(Study(folder, ("MultiKeyNavA",)))

"""A map as files for other programs: names that are hard to write, and targets that are refused."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest

import taskspace as ts
from taskspace.report.export import export
from taskspace.runs.run import Run
from tests.messages import says
from tests.run_folders import write_run

NAMES = ["plain", "two\nlines", "a\ttab", 'a "quote", and more', "é", *map(str, range(7))]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Run:
    rng = np.random.default_rng(0)
    successes = 1 * (rng.normal(size=(30, 1)) > np.linspace(-1, 1, 12))
    known = ts.Outcomes(
        successes, np.array(1), tasks=np.array(NAMES), features=rng.normal(size=(12, 2)),
        feature_names=("height", "weight"),
    )  # fmt: skip
    embedder = ts.OrdinalEmbedder(3, steps=10, random_state=0, progress=False).fit(known)
    return write_run(tmp_path_factory.mktemp("runs"), {"name": "course"}, known, embedder)


def test_a_csv_file_has_a_row_for_each_task_and_a_column_for_each_number(
    made: Run, tmp_path: Path
) -> None:
    assert export(made, tmp_path / "map.CSV") == [tmp_path / "map.CSV"]
    with (tmp_path / "map.CSV").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["task"] for row in rows] == NAMES
    assert {"x", "y", "v0", "v1", "v2", "height", "weight", "cluster"} < set(rows[0])
    vectors = [[float(row[f"v{i}"]) for i in range(3)] for row in rows]
    np.testing.assert_allclose(vectors, made.index.vectors, rtol=1e-6)
    lengths = [float(row["difficulty"]) for row in rows]
    np.testing.assert_allclose(lengths, np.linalg.norm(vectors, axis=1), rtol=1e-6)
    success = [float(row["success"]) for row in rows]
    np.testing.assert_allclose(success, made.outcomes.rates.mean(0))


def test_a_parquet_file_has_vectors_as_lists(made: Run, tmp_path: Path) -> None:
    export(made, tmp_path / "map.parquet")
    found = pyarrow.parquet.read_table(tmp_path / "map.parquet")
    np.testing.assert_allclose(found["vector"].to_pylist(), made.index.vectors, rtol=1e-6)
    assert found["task"].to_pylist() == NAMES
    assert "v0" not in found.column_names


def test_no_name_breaks_the_tables_of_the_projector(made: Run, tmp_path: Path) -> None:
    vectors, metadata = export(made, tmp_path / "new" / "projector")
    assert [path.name for path in (vectors, metadata)] == ["vectors.tsv", "metadata.tsv"]
    lines = [
        line.split("\t") for line in metadata.read_text("utf-8").removesuffix("\n").split("\n")
    ]
    assert len(lines) == 1 + len(NAMES)
    assert {len(line) for line in lines} == {len(lines[0])}
    assert [line[0] for line in lines[1:4]] == ["plain", "two lines", "a tab"]
    numbers = [
        [float(cell) for cell in line.split("\t")] for line in vectors.read_text().split("\n")[:-1]
    ]
    np.testing.assert_allclose(numbers, made.index.vectors, rtol=1e-6)


def test_no_target_is_not_the_working_folder(made: Run) -> None:
    with pytest.raises(ValueError, match=says("target ''")):
        export(made, "")


@pytest.mark.parametrize("name", ["map.xlsx", "taken"])
def test_other_targets_are_refused(made: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(ValueError, match=says(f"{tmp_path / name} .parquet .csv")):
        export(made, tmp_path / name)
    assert (tmp_path / "taken").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_a_part_of_the_run_is_no_target(made: Run) -> None:
    for name in ("embedder", "figures/projector"):
        with pytest.raises(ValueError, match=says("target part")):
            made.export(made.folder / name)

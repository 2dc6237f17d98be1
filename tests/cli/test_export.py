"""`taskspace export`: the map for other programs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest

from taskspace.runs.run import open_run
from tests.cli.maps import N_TASKS, check_complaint, command, rows_of

pytestmark = pytest.mark.slow


def test_export_for_other_programs(fitted: Path, tmp_path: Path) -> None:
    made = open_run(fitted)
    assert command("export", fitted, tmp_path / "map.parquet").returncode == 0
    rows = pyarrow.parquet.read_table(tmp_path / "map.parquet").to_pylist()
    expected = {"task", "x", "y", "vector", "difficulty", "success", "cluster"}
    assert set(rows[0]) == expected
    np.testing.assert_allclose([row["vector"] for row in rows], made.index.vectors, rtol=1e-6)
    made.export(tmp_path / "map.csv")
    assert list(rows_of((tmp_path / "map.csv").read_text())[0])[:5] == [
        "task",
        "x",
        "y",
        "v0",
        "v1",
    ]
    vectors, metadata = (path.read_text() for path in made.export(tmp_path / "projector"))
    assert len(vectors.splitlines()) + 1 == len(metadata.splitlines()) == N_TASKS + 1
    assert metadata.startswith("task\tdifficulty\tsuccess\tcluster\n")


@pytest.mark.usefixtures("inputs")
def test_bad_input_is_told_in_one_sentence(
    fitted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_complaint(["export", str(fitted), "map.xlsx"], ".parquet .csv map.xlsx", capsys)
    before = [*Path().iterdir()]
    check_complaint(["export", str(fitted), ""], "target ''", capsys)
    assert [*Path().iterdir()] == before


def test_the_target_is_checked_before_the_folder_is_opened(
    capsys: pytest.CaptureFixture[str],
) -> None:
    check_complaint(["export", "no-run", "map.foo"], ".parquet .csv map.foo", capsys)
    check_complaint(["export", "no-run", "no-folder/map.csv"], "no-folder exist", capsys)
    check_complaint(["explore", "no-run", "--export", "map.foo"], ".html map.foo", capsys)
    check_complaint(["explore", "no-run", "--export", "no-folder/a.html"], "exist", capsys)

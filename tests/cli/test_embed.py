"""`taskspace embed`: vectors and difficulties of the tasks of a table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from taskspace.runs.run import open_run
from tests.cli.maps import check_complaint, command, rows_of

pytestmark = pytest.mark.slow


def test_embed_streams_a_table(either: Path, tmp_path: Path) -> None:
    (tmp_path / "tasks.csv").write_text("topic,task\nx,q3\ny,q0\n")
    rows = rows_of(command("embed", either, tmp_path / "tasks.csv").stdout)
    made = open_run(either)
    expected = made.embedder.transform(["q3", "q0"])
    assert next(list(row) for row in rows) == ["topic", "task", "v0", "v1", "difficulty"]
    np.testing.assert_allclose([float(row["v1"]) for row in rows], expected[:, 1], rtol=1e-6)
    difficulty = made.embedder.difficulty(["q3", "q0"])
    np.testing.assert_allclose([float(row["difficulty"]) for row in rows], difficulty, rtol=1e-6)


def test_features_in_a_table_of_their_own(described: Path, tmp_path: Path) -> None:
    (tmp_path / "new.csv").write_text("level,skill\n0.3,1\n")
    rows = rows_of(command("embed", described, tmp_path / "new.csv").stdout)
    assert float(rows[0]["difficulty"]) > 0
    by_name = rows_of(command("hardest", described, "-k", 1).stdout)
    assert {"level", "skill"} < set(by_name[0])


@pytest.mark.usefixtures("inputs")
@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("no.csv", "no.csv"),
        ("wrong.csv", "column 'task' level"),
        ("unknown.csv", "'q99'"),
        ("empty.csv", "empty.csv empty"),
        ("tasks.txt", ".csv .parquet 'tasks.txt'"),
    ],
)
def test_bad_input_is_told_in_one_sentence(
    fitted: Path, capsys: pytest.CaptureFixture[str], name: str, tokens: str
) -> None:
    check_complaint(["embed", str(fitted), name], tokens, capsys)

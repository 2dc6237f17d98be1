"""Tables in batches of rows: they are restored exactly, in bounded memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from taskspace.outcomes import table_streams, tables
from tests.messages import says


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_pieces_make_up_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(table_streams, "_BYTES", 1 << 12)
    monkeypatch.setattr(table_streams, "_ROWS", 500)
    whole = {"task": np.arange(3000).astype(str), "x": np.linspace(0, 1, 3000)}
    tables.write(whole, tmp_path / f"in.{kind}")
    lengths = []
    with table_streams.open_writer(tmp_path / f"out.{kind}") as writer:
        for piece in table_streams.read_pieces(tmp_path / f"in.{kind}"):
            lengths.append(len(piece["x"]))
            writer.write({**piece, "twice": 2 * tables.features({"x": piece["x"]})[:, 0]})
    assert len(lengths) > 3
    found = tables.read(tmp_path / f"out.{kind}")
    assert list(found) == ["task", "x", "twice"]
    assert found["task"].to_pylist() == whole["task"].tolist()
    np.testing.assert_allclose(found["twice"].to_numpy(), 2 * whole["x"])


def test_nothing_is_left_of_a_table_that_breaks_off(tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text("mine")

    def write_half() -> None:
        with table_streams.open_writer(tmp_path / "out.csv") as writer:
            writer.write({"x": [1.0]})
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_half()
    assert (tmp_path / "out.csv").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


def test_a_broken_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\n1,2\n3\n")
    with pytest.raises(ValueError, match=says("a.csv csv")):
        list(table_streams.read_pieces(tmp_path / "a.csv"))
    (tmp_path / "b.parquet").write_text("no")
    with pytest.raises(ValueError, match=says("b.parquet parquet")):
        list(table_streams.read_pieces(tmp_path / "b.parquet"))


def test_a_file_that_is_read_is_not_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.csv").symlink_to("tasks.csv")
    for out in ("tasks.csv", "./tasks.csv", str(tmp_path / "tasks.csv"), "link.csv"):
        with pytest.raises(ValueError, match=says(f"{out} --out")):
            table_streams.check_out(out, "quiz.csv", "tasks.csv")
    table_streams.check_out("other.csv", "tasks.csv", None)
    table_streams.check_out(None, "tasks.csv")


@pytest.mark.parametrize(
    ("out", "tokens"),
    [("x.txt", "'x.txt' .csv"), ("no/x.csv", "no exist"), ("x.csv", "x.csv folder")],
)
def test_an_output_that_cannot_be_written_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str, tokens: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.csv").mkdir()
    with pytest.raises((ValueError, OSError), match=says(tokens)):
        table_streams.check_out(out, "tasks.csv")

"""`taskspace curriculum`: what a curriculum trained on when."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import taskspace as ts
from tests.cli.maps import check_complaint, command, rows_of

pytestmark = pytest.mark.slow


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    tasks = rng.uniform(size=(300, 3))
    curriculum = ts.Curriculum(tasks, seed=0)
    for _ in range(20):
        chosen = curriculum.sample(200)
        curriculum.observe(chosen, tasks[chosen, 0] < 0.4)
    curriculum.save(tmp_path / "c.npz")
    return tmp_path / "c.npz"


def test_the_table_adds_up_and_the_picture_is_drawn(file: Path) -> None:
    picture = file.with_suffix(".png")
    rows = rows_of(command("curriculum", file, "--picture", str(picture)).stdout)
    assert [int(row["episodes"]) for row in rows] == [1000, 2000, 3000, 4000]
    assert all(0 < float(row["success"]) < 1 for row in rows)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_bad_input_is_told_in_one_sentence(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check_complaint(["curriculum", str(file.with_name("none.npz"))], "none.npz", capsys)
    check_complaint(["curriculum", str(file), "--picture", "c.txt"], "--picture", capsys)
    text = file.with_name("text.npz")
    text.write_text("no curriculum")
    check_complaint(["curriculum", str(text)], "text.npz curriculum", capsys)

"""Features with the names of columns that commands write never replace these."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from taskspace.cli import main
from taskspace.outcomes import tables
from taskspace.runs.run import Run, open_run

pytestmark = pytest.mark.slow


def _written(out: Path, *words: object) -> dict[str, np.ndarray]:
    assert main([*map(str, words), "--out", str(out)]) == 0
    return {name: column.to_numpy() for name, column in tables.read(out).items()}


def _check_features(found: dict[str, np.ndarray], run: Run, clashes: set[str]) -> None:
    """Every feature is there, those that clash under another name; all exceed 90."""
    names = run.outcomes.feature_names
    assert {f"feature:{name}" for name in clashes} == {n for n in found if ":" in n}
    for name in names:
        assert (found[f"feature:{name}" if name in clashes else name] > 90).all()


def test_hardest_and_similar(clashing: Path, tmp_path: Path) -> None:
    run = open_run(clashing)
    found = _written(tmp_path / "hardest.csv", "hardest", clashing, "-k", 5)
    _check_features(found, run, {"difficulty", "success", "cluster"})
    np.testing.assert_allclose(found["difficulty"], np.sort(run.index.difficulty)[::-1][:5])
    assert (found["success"] <= 1).all()
    found = _written(tmp_path / "similar.csv", "similar", clashing, "task-3", "-k", 5)
    _check_features(found, run, {"difficulty", "success", "cluster", "similarity", "on_map"})


def test_what_was_written_can_be_read_back(clashing: Path, tmp_path: Path) -> None:
    run, out = open_run(clashing), tmp_path / "map.csv"
    assert main(["export", str(clashing), str(out)]) == 0
    found = {name: column.to_numpy() for name, column in tables.read(out).items()}
    _check_features(found, run, {"difficulty", "success", "cluster", "x", "y", "v0"})
    assert run.outcomes.features is not None
    np.testing.assert_allclose(run.tasks_in(tables.read(out)), run.outcomes.features, rtol=1e-6)


def test_embed_and_predict(clashing: Path, tmp_path: Path) -> None:
    run, tasks, quiz = open_run(clashing), tmp_path / "tasks.csv", tmp_path / "quiz.csv"
    assert run.outcomes.features is not None
    columns = dict(zip(run.outcomes.feature_names, run.outcomes.features[:4].T, strict=True))
    tables.write(columns, tasks)
    tables.write({**columns, "result": [1, 0, 1, 0]}, quiz)
    found = _written(tmp_path / "vectors.csv", "embed", clashing, tasks)
    _check_features(found, run, {"difficulty", "v0"})
    np.testing.assert_allclose(found["v0"], run.index.vectors[:4, 0], rtol=1e-5)
    found = _written(tmp_path / "answers.csv", "predict", clashing, "--quiz", quiz, tasks)
    _check_features(found, run, {"probability"})
    assert ((found["probability"] > 0) & (found["probability"] < 1)).all()
    found = _written(tmp_path / "best.csv", "select", clashing, "--reference", *_one(quiz), tasks)
    _check_features(found, run, {"similarity"})


def _one(quiz: Path) -> list[Path]:
    """A table with the first task of another."""
    one = quiz.with_name("one.csv")
    tables.write({name: column.slice(0, 1) for name, column in tables.read(quiz).items()}, one)
    return [one]


def test_a_column_that_is_no_feature_is_not_replaced_either(
    clashing: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tasks = tmp_path / "tasks.csv"
    tasks.write_text("task,v1\ntask-1,0\n")
    assert main(["embed", str(clashing), str(tasks)]) == 2
    assert "'v1'" in capsys.readouterr().err

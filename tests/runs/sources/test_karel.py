"""The stages of `taskspace run karel`, small."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import taskspace as ts
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.generate import generate_dataset
from taskspace.paper import figure3, generalization
from taskspace.paper.study import NothingHereError, Study
from taskspace.runs import pipeline
from taskspace.runs.run import Run
from taskspace.runs.sources.base import Played
from taskspace.runs.sources.karel import KarelSource, karel_settings
from tests.messages import says

pytestmark = pytest.mark.slow


@pytest.mark.usefixtures("small_karel")
def test_a_run_makes_a_map_and_a_report(tmp_path: Path) -> None:
    folder = tmp_path / "karel-0"
    made = pipeline.run("karel", folder, preset="fast", method="ordinal", log=lambda line: None)
    numbers = made.results
    assert numbers["environment"] == "Karel"
    assert numbers["agents"] == 12  # all of the three snapshots of four networks
    assert len(numbers["silhouettes_training"]) == 3
    assert list(numbers["skill_by_program_type"]) == [
        "all",
        "no-loops",
        "no-conditionals",
        "neither",
    ]
    assert made.report().read_text().count("Karel") > 1
    again: list[str] = []
    repeated = pipeline.run("Karel", folder, preset="fast", method="ordinal", log=again.append)
    assert repeated.results == numbers
    assert all("reused" in line for line in again)
    _reproduce(tmp_path)
    _learn_information_map(made)


def _learn_information_map(made: Run) -> None:
    source = KarelSource("fast", 0, None, None, "information")
    found = source.learn(Played(made.outcomes, made.environment, made.population), 0)
    assert isinstance(found, ts.TaskEmbedder)
    tasks = made.outcomes.task_inputs[:20]
    assert found.transform(tasks).shape == (20, 3)
    assert ((found.difficulty(tasks) >= 0) & (found.difficulty(tasks) <= 1)).all()


def _reproduce(folder: Path) -> None:
    """The paper's parts, on the map that is there already."""
    lines: list[str] = []
    study = Study(folder, ("Karel",), seeds=2, preset="fast", log=lines.append)
    result = generalization.reproduce(study)
    scores = {row["model"]: row for row in result.tables[0].rows}
    assert list(scores) == [
        "ours",
        "information map, 3 dimensions",
        "RandomModel",
        "PCA of the state",
        "PCA of the encoder's output",
    ]
    assert all(-1 <= row["validation"] <= 1 for row in scores.values())
    assert scores["PCA of the state"]["validation"] != scores["ours"]["validation"]
    assert "karel-0: population … reused" in lines
    (picture,) = result.pictures
    assert picture.stat().st_size > 10_000
    rows = figure3.reproduce(study).tables[0].rows
    assert [row["cluster"] for row in rows] == ["plain", "loops", "conditionals"]
    other = Study(folder, ("MultiKeyNav",), seeds=1, preset="fast")
    with pytest.raises(NothingHereError, match=says("MultiKeyNav")):
        generalization.reproduce(other)


@pytest.mark.usefixtures("small_karel")
def test_given_tasks_are_taken(tmp_path: Path) -> None:
    generate_dataset(tmp_path / "tasks", 150, seed=3, side=6, progress=False)

    def stop(line: str) -> None:
        if line.startswith("tasks"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pipeline.learn("Karel", tmp_path / "run", preset="fast", data=tmp_path / "tasks", log=stop)
    for part in ("training", "validation"):
        taken = KarelTasks.load(tmp_path / "run" / "tasks" / f"{part}.npz")
        given = KarelTasks.load(tmp_path / "tasks" / f"{part}.npz")
        assert np.array_equal(taken.rows(), given.rows())


def test_missing_data_is_told_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=says(str(tmp_path / "nothing" / "training.npz"))):
        pipeline.run("Karel", tmp_path / "run", data=tmp_path / "nothing")
    assert not (tmp_path / "run").exists()


def test_an_unknown_preset_is_refused() -> None:
    with pytest.raises(ValueError, match=says("Karel 'huge' fast small")):
        karel_settings("huge")

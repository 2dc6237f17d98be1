"""A run folder: its parts belong together, and what is made of them later is kept."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import taskspace as ts
from taskspace.runs import run as run_module
from taskspace.runs.run import Run
from tests.messages import says
from tests.run_folders import write_run


def outcomes(seed: int = 0) -> ts.Outcomes:
    rng = np.random.default_rng(seed)
    skills, levels = rng.normal(size=(30, 1)), np.linspace(-1, 1, 12)
    return ts.Outcomes(1 * (skills + rng.logistic(scale=0.3, size=(30, 12)) > levels), np.array(1))


def course(folder: Path, seed: int = 0) -> Run:
    known = outcomes(seed)
    embedder = ts.OrdinalEmbedder(2, steps=50, random_state=0, progress=False).fit(known)
    return write_run(folder, {"name": f"course-{seed}"}, known, embedder)


@pytest.fixture
def made(tmp_path: Path) -> Run:
    return course(tmp_path / "course")


def test_parts_are_loaded_when_asked_for(made: Run) -> None:
    again = ts.open_run(made.folder)
    assert set(vars(again)) == {"folder"}
    assert again.name == "course-0"
    np.testing.assert_array_equal(again.outcomes.successes, outcomes().successes)
    assert again.embedder.transform(["task-3"]).shape == (1, 2)
    assert "course-0" in repr(again)
    with pytest.raises(FileNotFoundError, match="measurements"):
        _ = again.results


@pytest.mark.parametrize("part", ["environment", "population"])
def test_a_table_has_neither_environment_nor_population(made: Run, part: str) -> None:
    assert made.from_table
    assert made.subpopulations is None
    with pytest.raises(ValueError, match=part):
        getattr(made, part)


def test_outcomes_of_another_run_are_refused(made: Run, tmp_path: Path) -> None:
    other = course(tmp_path / "other", seed=1)
    shutil.copy(other.folder / "outcomes.npz", made.folder / "outcomes.npz")
    with pytest.raises(ValueError, match=r"outcomes\.npz"):
        _ = ts.open_run(made.folder).outcomes
    shutil.copy(other.folder / "outcomes.json", made.folder / "outcomes.json")  # its stamp, too
    with pytest.raises(ValueError, match="settings"):
        _ = ts.open_run(made.folder).outcomes
    with pytest.raises(ValueError, match="outcomes"):
        _ = ts.open_run(made.folder).embedder


def test_folders_of_the_first_edition_are_refused(made: Run) -> None:
    path = made.folder / "settings.json"
    old = json.loads(path.read_text())
    old["taskspace"] |= {"format version": 1, "version": "0.1.0"}
    path.write_text(json.dumps(old))
    with pytest.raises(ValueError, match=r"0\.1\.0"):
        ts.open_run(made.folder)


def test_damaged_folders_are_refused(made: Run, tmp_path: Path) -> None:
    shutil.copytree(made.folder, tmp_path / "run")
    (tmp_path / "run" / "embedder" / "embedder.json").write_text("{")
    with pytest.raises(ValueError, match=says(f"{tmp_path / 'run' / 'embedder'}")):
        _ = ts.open_run(tmp_path / "run").embedder


def test_there_must_be_a_map(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=str(tmp_path)):
        ts.open_run(tmp_path)


# -- what is made when it is first asked for -------------------------------------------------------


def test_the_second_time_reads_what_the_first_made(
    made: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, layouts = made.predictor.posterior_, made.layouts
    monkeypatch.setattr(run_module, "project", lambda vectors: pytest.fail("made again"))
    monkeypatch.setattr(ts.PerformancePredictor, "fit", lambda *_: pytest.fail("made again"))
    again = ts.open_run(made.folder)
    second = again.predictor.posterior_
    np.testing.assert_array_equal(first.profiles, second.profiles)
    np.testing.assert_array_equal(first.prior, second.prior)
    assert (first.temper, first.strength) == (second.temper, second.strength)
    for name, points in layouts.items():
        np.testing.assert_array_equal(points, again.layouts[name])


@pytest.mark.slow
def test_what_is_kept_is_for_this_run_alone(made: Run, tmp_path: Path) -> None:
    other = course(tmp_path / "other", seed=1)
    expected, _ = made.predictor.posterior_, other.predictor
    path = made.folder / "predictor.npz"
    kept = path.read_bytes()
    for wrong in (b"", kept[: len(kept) // 2], (other.folder / "predictor.npz").read_bytes()):
        path.write_bytes(wrong)
        found = ts.open_run(made.folder).predictor.posterior_
        np.testing.assert_array_equal(found.profiles, expected.profiles)
        assert path.read_bytes() == kept  # and is written again


def test_a_folder_that_cannot_be_written_will_do(
    made: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("no room")

    monkeypatch.setattr(ts.PerformancePredictor, "save", full)
    assert len(made.predictor.posterior_.profiles) == 12
    assert not (made.folder / "predictor.npz").exists()


def test_a_success_model_comes_with_the_run(made: Run) -> None:
    assert made.model.predict_proba(["task-0"]).shape == (30, 1)
    assert (made.folder / "success-model").is_dir()


@pytest.mark.slow
def test_a_variant_lives_in_memory(made: Run) -> None:
    few = made.outcomes.of_agents(made.outcomes.agents[:10])
    variant = made.variant(outcomes=few)
    assert (variant.outcomes.n_agents, made.outcomes.n_agents) == (10, 30)
    assert variant.embedder is made.embedder
    _ = made.predictor  # which is kept, and must not be taken for that of the variant
    assert len(variant.predictor.posterior_.prior) == len(made.predictor.posterior_.prior) - 20
    with pytest.raises(ValueError, match="clusters"):
        _ = variant.clusters
    assert ts.open_run(made.folder).outcomes.n_agents == 30


def test_reports_are_copied_and_maps_exported(made: Run, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="report"):
        made.report()
    assert made.export(tmp_path / "map.csv") == [tmp_path / "map.csv"]
    assert "task-7" in (tmp_path / "map.csv").read_text()
    assert made.export(tmp_path / "map.html") == [tmp_path / "map.html"]
    assert "<!doctype html>" in (tmp_path / "map.html").read_text()

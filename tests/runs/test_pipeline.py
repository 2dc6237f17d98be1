"""`taskspace run` from end to end, in its fast preset."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import taskspace as ts
from taskspace.report import examples, health
from taskspace.runs import measures, pipeline
from taskspace.runs.run import Run
from tests.commands import in_this_process
from tests.messages import says

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "multikeynav"
    pipeline.run("multikeynav", folder, preset="fast", log=lambda line: None)
    return folder


@pytest.fixture(scope="module")
def ordinal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "ordinal"
    pipeline.run("multikeynav", folder, preset="fast", method="ordinal", log=lambda line: None)
    return folder


def same_results(one: Path, other: Path) -> bool:
    """Everything but the stamps, which hold the seconds that a stage took."""
    names = ["outcomes.npz", "results.json", "projection.npz", "embedder/weights.safetensors"]
    names += ["vectors.npz", "embedder/success-model/weights.safetensors"]
    return all((one / name).read_bytes() == (other / name).read_bytes() for name in names)


def test_the_folder_holds_all_that_was_made(finished: Path) -> None:
    population = ts.Population.load(finished / "population.zip")
    outcomes = ts.Outcomes.load(finished / "outcomes.npz")
    embedder = ts.TaskEmbedder.load(finished / "embedder")
    assert outcomes.agents.tolist() == list(population)
    assert outcomes.features is not None
    assert embedder.transform(outcomes.features).shape == (500, 6)
    results = json.loads((finished / "results.json").read_text())
    assert results["silhouette"] > 0.4
    assert 0.5 < results["triplet_accuracy"] < results["noise_ceiling"] + 0.1
    assert 0.5 < results["kept_information"] <= 1
    assert results["stability"]["similarity"] > 0.8
    assert not (finished / "constraint-counts.json").exists()
    check_figures(finished, "information", "spectrum")


def test_an_ordinal_map_has_constraints_and_long_vectors(ordinal: Path) -> None:
    embedder = ts.OrdinalEmbedder.load(ordinal / "embedder")
    outcomes = ts.Outcomes.load(ordinal / "outcomes.npz")
    assert embedder.transform(outcomes.task_inputs).shape == (500, 6)
    results = json.loads((ordinal / "results.json").read_text())
    assert results["silhouette"] > 0.4
    assert 0.5 < results["triplet_accuracy"] < results["noise_ceiling"] + 0.1
    constraints = json.loads((ordinal / "constraint-counts.json").read_text())
    assert constraints["possible_pairs"] == 500 * 499 // 2
    assert 0.2 < constraints["difficulty_pair_fraction"] < 0.9
    assert results["norm_difficulty_rank_correlation"] > 0.3
    check_figures(ordinal, "difficulty")


def check_figures(folder: Path, *own: str) -> None:
    """The figures of all runs, and those of a method."""
    names = {"map-tsne", "map-pca", "similarity", "learning", "population", *health.FIGURES, *own}
    drawn = {path.stem for path in (folder / "figures").glob("*.png")}
    assert {name for name in drawn if not name.startswith(examples.FIGURES)} == names
    assert len(drawn) == len(names) + examples.MOST_CLUSTERS
    for name in names:
        assert (folder / "figures" / f"{name}.png").stat().st_size > 5000
        assert (folder / "figures" / f"{name}.svg").read_text().startswith("<?xml")


def test_the_report_stands_alone(finished: Path, ordinal: Path) -> None:
    for folder, figures in ((finished, 9), (ordinal, 8)):
        text = (folder / "report.html").read_text()
        assert text.count("<img") == figures + examples.MOST_CLUSTERS
        assert "learned from 228,000 attempts" in text or folder == ordinal
        assert "which keys must still be picked up" in text
        assert 'src="http' not in text
        assert re.search(r"<h1>.*MultiKeyNav.*</h1>", text)


def test_a_second_run_reuses_everything(finished: Path, ordinal: Path) -> None:
    for folder, method, stages in ((finished, "information", 13), (ordinal, "ordinal", 12)):
        lines: list[str] = []
        pipeline.run("MultiKeyNav", folder, preset="fast", method=method, log=lines.append)
        assert len(lines) == stages
        assert all(line.endswith("reused") for line in lines)


def test_the_first_answer_reads_what_the_run_has_stored(
    finished: Path, ordinal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ts.PerformancePredictor, "fit", lambda *_: pytest.fail("fitted again"))
    monkeypatch.setattr(Run, "make_profiles", lambda _: pytest.fail("computed again"))
    for folder, shape in ((finished, (500,)), (ordinal, None)):
        made = ts.open_run(folder)
        assert len(made.predictor.tasks_) == 500
        assert (None if made.profiles is None else made.profiles.shape[1:]) == shape


def test_other_settings_are_not_mixed_in(finished: Path) -> None:
    with pytest.raises(ValueError, match=r"settings.*\bseed\b.* 0\b.* 1\b"):
        pipeline.run("MultiKeyNav", finished, preset="fast", seed=1)
    with pytest.raises(ValueError, match=says("settings method")):
        pipeline.run("MultiKeyNav", finished, preset="fast", method="ordinal")


def test_the_silhouette_is_that_of_the_clusters(finished: Path) -> None:
    embedder, env = ts.TaskEmbedder.load(finished / "embedder"), ts.make("MultiKeyNav")
    scores = measures.silhouettes(env, embedder, 300, 0)
    assert scores == json.loads((finished / "results.json").read_text())["silhouettes"]
    assert np.std(scores) > 0


KILLED_AFTER = """
import os, signal, sys
from taskspace.runs import pipeline

def kill(line):
    if line.startswith(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)

pipeline.run("multikeynav", sys.argv[1], preset="fast", log=kill)
"""


def test_a_killed_run_resumes_and_ends_with_the_same_results(
    finished: Path, tmp_path: Path
) -> None:
    for stage in ("population", "clusters"):
        program = [sys.executable, "-c", KILLED_AFTER, str(tmp_path / "r"), stage]
        assert subprocess.run(program, capture_output=True).returncode == -signal.SIGKILL
        assert (tmp_path / "r" / f"{stage}.json").exists()
        assert not (tmp_path / "r" / "report.html").exists()
    pipeline.run("multikeynav", tmp_path / "r", preset="fast", log=lambda line: None)
    assert same_results(finished, tmp_path / "r")


@pytest.mark.parametrize(
    ("arguments", "tokens"),
    [
        (["run", "multikeynv"], "'multikeynv' 'MultiKeyNav'"),
        (["run", "multikeynav", "--seed", "-1"], "seed -1"),
        (["run", "multikeynav", "--method", "x"], "--method 'x'"),
        (["reproduce", "table1", "--env", "MultiKeyNavA"], "MultiKeyNavA"),
    ],
)
def test_mistakes_are_told_without_a_traceback(
    arguments: list[str], tokens: str, tmp_path: Path
) -> None:
    done = in_this_process(arguments, tmp_path)
    assert done.returncode == 2
    assert re.search(says(tokens), done.stderr)
    assert "Traceback" not in done.stderr

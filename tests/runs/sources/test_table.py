"""Outcomes that are given as a table: settings, checks, and a map in spite of gaps."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taskspace as ts
from taskspace.outcomes.outcomes import Outcomes
from taskspace.report import figure_files
from taskspace.runs.clusters import Clusters
from taskspace.runs.pipeline import fit
from taskspace.runs.sources.base import MOST_SHOWN, Played
from taskspace.runs.sources.table import TableSource
from taskspace.runs.stages import Stages
from tests.cli.maps import SOLVED
from tests.messages import says


def outcomes(tasks: int = 5, seed: int = 0) -> Outcomes:
    rng = np.random.default_rng(seed)
    return Outcomes(rng.integers(0, 2, (4, tasks)), np.array(1))


def test_settings_tell_one_table_from_another() -> None:
    known = outcomes()
    first = TableSource(known, "course", 2, 0, "information", 100).settings()
    again = TableSource(outcomes(), "course", 2, 0, "information", 100).settings()
    assert first == again
    renamed = Outcomes(known.successes, known.rollouts, tasks=np.array(list("abcde")))
    described = Outcomes(known.successes, known.rollouts, features=np.eye(5)[:, :4])
    for other in (outcomes(seed=1), renamed, described):
        settings = TableSource(other, "course", 2, 0, "information", 100).settings()
        assert settings["results"] != first["results"]


def test_steps_are_a_setting_of_the_ordinal_map_alone() -> None:
    for method, steps in (("information", None), ("ordinal", 100)):
        settings = TableSource(outcomes(), "course", 2, 0, method, 100).settings()
        assert (settings["method"], settings.get("steps")) == (method, steps)


def test_the_map_is_that_of_the_method() -> None:
    rng = np.random.default_rng(0)
    known = Outcomes(1 * (rng.random((20, 1)) > np.linspace(0.2, 0.8, 6)), np.array(1))
    for method, kind in (("information", ts.TaskEmbedder), ("ordinal", ts.OrdinalEmbedder)):
        source = TableSource(known, "course", 2, 0, method, 10)
        made = source.learn(Played(known), 3)
        assert type(made) is kind
        assert (made.n_components_, made.get_params()["random_state"]) == (2, 3)
        assert len(source.clusters(Played(known), made).labels) == 6


def test_the_outcomes_go_into_the_folder(tmp_path: Path) -> None:
    source = TableSource(outcomes(), "course", 2, 0, "information", 100)
    with Stages(tmp_path, source.settings(), log=lambda line: None) as stages:
        played = source.play(stages)
    assert played.outcomes is source.outcomes
    assert (played.environment, played.population) == (None, None)
    stored = Outcomes.load(tmp_path / "outcomes.npz")
    np.testing.assert_array_equal(stored.successes, source.outcomes.successes)


def test_what_is_shown_are_tasks_of_the_table_and_at_most_so_many() -> None:
    source = TableSource(outcomes(MOST_SHOWN + 50), "course", 2, 0, "information", 100)
    labels = np.arange(MOST_SHOWN + 50) % 3
    clusters = Clusters(("a", "b", "c"), "three", labels)
    tasks, shown = source.shown(Played(source.outcomes), clusters)
    assert len(set(tasks.tolist())) == len(tasks) == MOST_SHOWN
    numbers = [int(name.removeprefix("task-")) for name in tasks.tolist()]
    np.testing.assert_array_equal(shown, labels[numbers])
    np.testing.assert_array_equal(source.listed(), numbers)


@pytest.mark.parametrize(
    ("n_components", "steps", "tasks", "tokens"),
    [
        (0, 100, 5, "dimensions 0"),
        ("few", 100, 5, "dimensions 'few'"),
        (2, -1, 5, "steps -1"),
        (2, 100, 2, "3 2"),
    ],
)
def test_bad_arguments_are_refused(
    n_components: int | str, steps: int, tasks: int, tokens: str
) -> None:
    with pytest.raises(ValueError, match=says(tokens)):
        TableSource(outcomes(tasks), "course", n_components, 0, "ordinal", steps)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["information", "ordinal"])
def test_a_table_with_many_gaps(tmp_path: Path, method: str) -> None:
    rng = np.random.default_rng(0)
    sparse = np.where(rng.random(SOLVED.shape) < 0.6, np.nan, SOLVED)
    with pytest.warns(UserWarning, match=says("agents pairs")):
        made = fit(sparse, tmp_path / "run", method=method, steps=250, log=lambda line: None)
    if method == "ordinal":
        assert made.results["norm_difficulty_rank_correlation"] > 0.5
    else:
        assert 0 < made.results["kept_information"] <= 1
    assert re.search(r"\bOther blank cells\b", made.report().read_text())
    copy = made.report(tmp_path / "copy.html")
    assert copy.read_bytes() == made.report().read_bytes()


@pytest.mark.slow
def test_labels_are_measured_and_drawn(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    skills = rng.normal(size=(60, 2))
    topic = np.array(["sums", "areas"] * 15, object)
    solved = 1 * (skills[:, np.arange(30) % 2] + rng.normal(scale=0.3, size=(60, 30)) > 0)
    labels: dict[str, Any] = {
        "topic": topic, "prompt": [f"What is {n}?" for n in range(30)],
        "page": np.where(np.arange(30) == 3, np.nan, np.arange(30.0)),
        "$_kind": [f"_${n % 14}" if n else "" for n in range(30)], "last": topic,
    }  # fmt: skip
    known = Outcomes(solved, np.array(1), task_labels=labels)
    made = fit(known, tmp_path / "run", n_components=2, log=lambda line: None)
    assert list(made.results["labels"]) == ["topic", "$_kind", "last"]
    assert made.results["labels"]["topic"]["purity"] > 0.9
    files = [figure.image.stem for figure in figure_files.load(made.figures)]
    assert files[:5] == ["map-tsne", "map-label-1", "map-label-2", "map-label-3", "map-pca"]
    report = made.report().read_text()
    assert "Map: topic" in report
    assert "Map: page" in report
    assert "Map: last" not in report  # three are enough

"""`taskspace subset`: a short test that predicts the full score."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from taskspace.applications.answers import size_of_test
from taskspace.applications.subset import Subset, choose_subset
from taskspace.cli import main
from taskspace.explore.answers import subset_values
from taskspace.models.embedding.ordinal_embedder import OrdinalEmbedder
from taskspace.outcomes.outcomes import Outcomes
from taskspace.runs.pipeline import fit
from taskspace.runs.run import open_run
from tests.cli.maps import LEVELS, SKILLS, check_complaint, command, rows_of
from tests.messages import says
from tests.run_folders import write_run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run folder without a short test, of few tasks and no gaps, so that choosing is fast."""
    solved = (SKILLS[:, [0]] > LEVELS[None, :12, 0]) * 1
    texts = np.array([f"Is it {number}?" for number in range(12)], object)
    labels = {"text": texts, "page": np.arange(12.0)}
    outcomes = Outcomes(solved, np.array(1), task_labels=labels)
    embedder = OrdinalEmbedder(1, steps=0, random_state=0, progress=False).fit(outcomes)
    return write_run(
        tmp_path_factory.mktemp("runs") / "texts", {"name": "texts"}, outcomes, embedder
    ).folder


def test_the_chosen_tasks_and_weights_are_those_of_the_library(
    labelled: Path, tmp_path: Path
) -> None:
    done = command("subset", labelled, "-k", "5", "--plot", tmp_path / "errors.PNG")
    expected = choose_subset(open_run(labelled), 5)
    rows = rows_of(done.stdout)
    assert [row["task"] for row in rows] == ["(intercept)", *expected.tasks.tolist()]
    weights = [float(row["weight"]) for row in rows]
    np.testing.assert_allclose(weights, expected.columns["weight"], rtol=1e-4)
    assert done.stderr.startswith("5 tasks")
    assert (tmp_path / "errors.PNG").read_bytes().startswith(b"\x89PNG")


def test_the_comparison_is_printed_instead(labelled: Path, tmp_path: Path) -> None:
    out = tmp_path / "errors.csv"
    command("subset", labelled, "-k", "4", "--compare", "--out", out)
    rows = rows_of(out.read_text())
    assert {row["tasks"] for row in rows} == {"1", "2", "4", "8"}
    assert {"informative", "random", "most disputed", "anchor points"} < {
        row["method"] for row in rows
    }


@pytest.mark.usefixtures("inputs")
def test_bad_input_is_told_in_one_sentence(
    fitted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words, tokens in (
        (["-k", "0"], "-k 0"),
        (["-k", "40"], "-k 40"),
        (["--by", "topic"], "--by 'topic'"),
        (["--plot", "errors.txt"], "--plot 'errors.txt'"),
        (["--plot", "no/errors.png"], "no"),
        (["--at-least", "-1", "--by", "topic"], "--at-least -1"),
        (["--at-least", "3"], "--by label --at-least none"),
    ):
        check_complaint(["subset", str(fitted), *words], tokens, capsys)


@pytest.mark.filterwarnings("ignore::UserWarning")  # a weak map
def test_weights_are_for_results_on_the_scale_of_the_run(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    skills, levels = rng.normal(size=(30, 1)), rng.normal(size=24)
    marks = np.clip(np.round(2.5 + 1.5 * (skills - levels) + rng.normal(size=(30, 24))), 0, 5)
    table = {"agent": range(30), **{f"q{task}": marks[:, task] for task in range(24)}}
    folder = tmp_path / "run"
    made = fit(table, folder, max_score=5, log=lambda line: None)
    done = command("subset", folder, "-k", "6")
    assert re.search(says("results 0 5 scores 1"), done.stderr)
    intercept, *rows = rows_of(done.stdout)
    given = [1, 5, 3, 0, 4, 2]
    answers = [f"{row['task']},{result}" for row, result in zip(rows, given, strict=True)]
    (tmp_path / "answers.csv").write_text("\n".join(["task,result", *answers]))
    (row,) = rows_of(command("score", folder, tmp_path / "answers.csv").stdout)
    total = float(intercept["weight"])
    total += sum(float(one["weight"]) * result for one, result in zip(rows, given, strict=True))
    np.testing.assert_allclose(float(row["score"]), total, rtol=1e-4)
    stored = made.short_test
    assert isinstance(stored, Subset)
    np.testing.assert_allclose(stored.estimate(given), total, rtol=1e-4)
    with pytest.raises(ValueError, match=says("results 0 5 got 6")):
        stored.estimate([6, *given[1:]])
    report = (folder / "report.html").read_text()
    assert "weight × result (from 0 to 5)" in report
    weights = subset_values(stored)["scores"][0]["weights"]  # of the explorer
    np.testing.assert_allclose(weights, [float(one["weight"]) for one in rows], rtol=1e-4)


def test_labels_of_the_tasks_come_last(labelled: Path) -> None:
    rows = rows_of(command("subset", labelled, "-k", "2").stdout)
    numbers = [row["task"].removeprefix("task-") for row in rows[1:]]
    assert [row["text"] for row in rows] == ["", *(f"Is it {number}?" for number in numbers)]
    assert [row["page"] for row in rows] == ["", *numbers]  # the intercept has no page
    assert rows[0]["success"] == ""


def test_the_short_test_of_the_run_folder_is_printed(
    fitted: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = open_run(fitted)
    size = size_of_test(run.outcomes.n_tasks)
    chosen = choose_subset(run, size, seed=run.settings["seed"]).tasks.tolist()
    monkeypatch.setattr("taskspace.applications.subset.choose_subset", None)
    words = ["subset", str(fitted), "-k", str(size), "--seed", str(run.settings["seed"])]
    assert main(words) == 0
    assert [row["task"] for row in rows_of(capsys.readouterr().out)] == ["(intercept)", *chosen]

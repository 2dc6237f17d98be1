"""`taskspace fit`: a run folder from a table of results."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from taskspace.cli import main
from taskspace.models.embedding.verdict import WeakMapWarning
from taskspace.runs.pipeline import fit
from taskspace.runs.run import open_run
from tests.cli.maps import LEVELS, SOLVED, check_complaint, command
from tests.commands import in_a_process
from tests.messages import says
from tests.outcomes.readers.logs import lm_log, lm_sample

pytestmark = pytest.mark.slow

# The tables have 60 agents: of fewer, each is left out several times to compare short tests, which
# takes longer.


def test_the_folder_is_that_of_a_run(fitted: Path, table: Path) -> None:
    results = json.loads((fitted / "results.json").read_text())
    assert (results["agents"], results["tasks"], results["dimensions"]) == (60, 40, 2)
    assert results["kept_information"] > 0.6
    assert results["stability"]["similarity"] > 0.99
    assert results["stability"]["difficulty"] == pytest.approx(1)
    report = (fitted / "report.html").read_text()
    assert "<h1>A map of results</h1>" in report
    assert open_run(fitted).clusters.names[0] in report
    again: list[str] = []
    fit(table, fitted, n_components=2, log=again.append)
    assert all("reused" in line for line in again if "…" in line)


def test_the_verdict_is_told_once_and_stands_in_the_report(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).integers(0, 2, (60, 12))
    lines = ["agent," + ",".join(f"q{task}" for task in range(12))]
    lines += [f"s{agent}," + ",".join(map(str, row)) for agent, row in enumerate(rows)]
    (tmp_path / "noise.csv").write_text("\n".join(lines))
    done = in_a_process(["fit", "noise.csv", "--out", "run", "--title", "Pure noise"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    made = open_run(tmp_path / "run")
    assert made.verdict.weak
    words = " ".join((done.stdout + done.stderr).split())
    assert words.count(str(made.verdict)) == 1
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    report = (tmp_path / "run" / "report.html").read_text()
    assert "It is weak: close to chance</h2>" in report
    assert "<h1>Pure noise</h1>" in report
    assert "Pure noise" in done.stdout
    with pytest.warns(WeakMapWarning):
        fit(tmp_path / "noise.csv", tmp_path / "run", title="Pure noise", log=lambda line: None)


def test_the_end_names_the_next_commands_with_a_real_task(fitted: Path, table: Path) -> None:
    shown = command("fit", table, "--out", fitted, "--dimensions", 2).stdout
    assert "stability" not in shown  # it would be 1 whatever the results are
    similar = next(line for line in shown.splitlines() if "taskspace similar" in line)
    _, _, folder, task, *_ = similar.split()
    assert folder == str(fitted)
    assert task in open_run(fitted).outcomes.tasks
    assert f"taskspace explore {fitted}" in shown


def test_a_warning_is_printed_once(tmp_path: Path) -> None:
    """Two maps are learned, with two seeds, of results with a task that every agent solves."""
    rows = np.random.default_rng(0).integers(0, 2, (60, 6))
    rows[:, 0] = 1
    lines = ["agent," + ",".join(f"q{task}" for task in range(6))]
    lines += [f"s{agent}," + ",".join(map(str, row)) for agent, row in enumerate(rows)]
    (tmp_path / "easy.csv").write_text("\n".join(lines))
    done = command("fit", tmp_path / "easy.csv", "--out", tmp_path / "run")
    told = [line for line in done.stderr.splitlines() if line.startswith("taskspace: ")]
    assert told
    assert len(set(told)) == len(told)


def test_the_ordinal_map_is_the_one_of_the_paper(ordinal: Path, table: Path) -> None:
    results = json.loads((ordinal / "results.json").read_text())
    assert results["norm_difficulty_rank_correlation"] > 0.8
    assert results["stability"]["difficulty"] > 0.8
    assert (ordinal / "constraint-counts.json").exists()
    again: list[str] = []
    fit(table, ordinal, n_components=2, method="ordinal", steps=500, log=again.append)
    assert all("reused" in line for line in again if "…" in line)
    with pytest.raises(ValueError, match=says("settings method")):
        fit(table, ordinal, n_components=2)


def test_the_map_knows_the_two_skills(either: Path) -> None:
    made = open_run(either)
    assert made.from_table
    found, _ = made.index.similar(made.index.vectors[4], k=8)
    middling = np.abs(LEVELS[found, 0]) < 1
    assert (LEVELS[found, 1] == LEVELS[4, 1])[middling].mean() > 0.7


def test_the_reading_of_columns_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        f"s{agent},q{task},{SOLVED[agent, task]:g},{'odd' if task % 2 else 'even'},{agent}.5"
        for agent in range(60)
        for task in range(6)
    ]
    text = "\n".join(["student,question,correct,topic,age", *rows])
    (tmp_path / "exam.csv").write_text(text + "\n")
    assert main(["fit", str(tmp_path / "exam.csv"), "--out", str(tmp_path / "run")]) == 0
    told = capsys.readouterr().err
    assert re.search(says("agents 'student' tasks 'question' 'correct'"), told)
    assert re.search(says("labels tasks topic 2"), told)
    assert re.search(says("labels agents age numbers"), told)


def test_other_results_or_settings_are_refused(fitted: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=says(f"{fitted} settings")):
        fit(SOLVED.astype(float), fitted, n_components=2)
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ValueError, match=says(str(tmp_path))):
        fit(SOLVED.astype(float), tmp_path)


def test_a_folder_of_logs_is_read_and_changed_logs_are_noticed(tmp_path: Path) -> None:
    for agent in range(60):
        rows = [lm_sample(task, acc=float(SOLVED[agent, task]), f1=0.5) for task in range(6)]
        lm_log(tmp_path / "logs" / f"org__m{agent}", *rows)
    words = ("fit", tmp_path / "logs", "--out", tmp_path / "run")
    unclear = command(*words)
    assert unclear.returncode == 2
    assert re.search(says(f"acc f1 {tmp_path}/logs --metric acc --out"), unclear.stderr)
    done = command(*words, "--metric", "acc")
    assert done.returncode == 0
    assert "60 files as logs of lm-evaluation-harness" in done.stderr
    made = open_run(tmp_path / "run")
    assert (made.outcomes.n_agents, made.outcomes.n_tasks) == (60, 6)
    assert made.outcomes.task_labels["text"][2] == "What is 2?"
    assert made.results["environment"] == "logs"
    fit(tmp_path / "logs", tmp_path / "run", metric="acc", log=lambda line: None)
    lm_log(tmp_path / "logs" / "org__m0", lm_sample(0, acc=0.0, f1=0.5), date="2026-09-09T00-00-00")
    with pytest.raises(ValueError, match=says("settings results")):
        fit(tmp_path / "logs", tmp_path / "run", metric="acc", log=lambda line: None)


@pytest.mark.usefixtures("inputs")
@pytest.mark.parametrize(
    ("words", "tokens"),
    [
        (["fit", "no.csv", "--out", "run"], "no.csv"),
        (["fit", "one.csv", "--out", "run"], "table column agents"),
        (["fit", "odd.csv", "--out", "run"], "fit odd.csv --agent who --task what --score points"),
        (["fit", "good.csv", "--agent", "who", "--out", "run"], "column 'who' agent"),
        (["fit", "good.csv", "--max-score", "0", "--out", "run"], "max_score positive 0.0"),
        (["fit", "good.csv", "--features", "size", "--out", "run"], "column 'size' features"),
        (["fit", "good.csv", "--out", "run", "--dimensions", "few"], "dimensions 'few'"),
        (["fit", "good.csv", "--out", "run", "--steps", "5"], "--steps ordinal"),
        (["fit", "good.csv", "--out", "run", "--method", "ordinal", "--steps", "-1"], "steps -1"),
        (["fit", "no.csv", "--out", "run", "--dimensions", "0"], "dimensions 0"),
        (["fit", "no.csv", "--out", ""], "folder name"),
        (["fit", "good.csv", "--metric", "acc", "--out", "run"], "metric logs"),
        (["fit", "good.csv", "no.jsonl", "--out", "run"], "no.jsonl"),
        (["fit", ".", "--task", "x", "--out", "run"], "task logs"),
        (["fit", "good.csv", "--out", "run"], "tasks 3 2"),
    ],
)
def test_bad_input_is_told_in_one_sentence(
    capsys: pytest.CaptureFixture[str], words: list[str], tokens: str
) -> None:
    check_complaint(words, tokens, capsys)

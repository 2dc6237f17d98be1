"""`taskspace fit` and all that can be done with a finished map, as a user would."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
import pytest

import taskspace as ts
from taskspace.cli import main
from taskspace.exports import export
from taskspace.finished import FinishedMap
from taskspace.fit_pipeline import fit_table
from taskspace.groups import FoundGroups
from tests.messages import says

pytestmark = pytest.mark.slow

N_AGENTS, N_TASKS = 60, 40
RNG = np.random.default_rng(0)
SKILLS = RNG.normal(size=(N_AGENTS, 2))
LEVELS = np.column_stack([RNG.normal(size=N_TASKS), np.arange(N_TASKS) % 2])  # level, which skill
SOLVED = SKILLS[:, LEVELS[:, 1].astype(int)] > LEVELS[:, 0]


def command(*arguments: Any) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "taskspace.cli", *map(str, arguments)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert "Traceback" not in done.stderr
    return done


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wide table without features: students by row, questions by column, some never tried."""
    path = tmp_path_factory.mktemp("table") / "results.csv"
    missing = np.random.default_rng(1).random(SOLVED.shape) < 0.1
    with path.open("w") as file:
        print("agent", *(f"q{i}" for i in range(N_TASKS)), sep=",", file=file)
        for agent in range(N_AGENTS):
            cells = np.where(missing[agent], "", SOLVED[agent].astype(int).astype(str))
            print(f"s{agent}", *cells, sep=",", file=file)
    return path


@pytest.fixture(scope="module")
def fitted(table: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "course"
    done = command("fit", table, "--out", folder, "--dimensions", "2", "--steps", "500")
    assert done.returncode == 0, done.stderr
    assert "agents" in done.stdout
    assert f"report: {folder}/report.html" in done.stdout
    return folder


def test_the_folder_is_that_of_a_run(fitted: Path, table: Path) -> None:
    results = json.loads((fitted / "results.json").read_text())
    assert (results["agents"], results["tasks"], results["dimensions"]) == (60, 40, 2)
    assert results["norm_difficulty_rank_correlation"] > 0.8
    assert results["agreement_of_seeds"]["difficulty"] > 0.8
    report = (fitted / "report.html").read_text()
    assert "results.csv" in report
    assert FoundGroups.clusters_told.partition(";")[0] in report
    again: list[str] = []
    fit_table(table, fitted, n_components=2, steps=500, say=again.append)
    assert all("reused" in line for line in again)


def test_the_map_knows_the_two_skills(fitted: Path) -> None:
    made = FinishedMap.load(fitted)
    assert isinstance(made.space, FoundGroups)
    found, _ = made.index.similar(made.index.vectors[4], k=8)
    middling = np.abs(LEVELS[found, 0]) < 1
    assert (LEVELS[found, 1] == LEVELS[4, 1])[middling].mean() > 0.7


def test_other_results_or_settings_are_refused(fitted: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=says(f"{fitted} settings")):
        fit_table(SOLVED.astype(float), fitted, n_components=2, steps=500)
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ValueError, match=says(str(tmp_path))):
        fit_table(SOLVED.astype(float), tmp_path)


def test_embed_streams_a_table(fitted: Path, tmp_path: Path) -> None:
    (tmp_path / "tasks.csv").write_text("topic,task\nx,q3\ny,q0\n")
    rows = rows_of(command("embed", fitted, tmp_path / "tasks.csv").stdout)
    made = FinishedMap.load(fitted)
    expected = made.embedder.transform(["q3", "q0"])
    assert next(list(row) for row in rows) == ["topic", "task", "v0", "v1", "difficulty"]
    np.testing.assert_allclose([float(row["v1"]) for row in rows], expected[:, 1], rtol=1e-6)


@pytest.mark.parametrize("column", ["result", "solved"])
def test_predict_from_a_quiz(fitted: Path, tmp_path: Path, column: str) -> None:
    able = [f"q{i},1" for i in range(0, 20, 2)] + [f"q{i},0" for i in range(1, 20, 2)]
    (tmp_path / "quiz.csv").write_text(f"task,{column}\n" + "\n".join(able) + "\n")
    (tmp_path / "tasks.csv").write_text("task\n" + "\n".join(f"q{i}" for i in range(20, 40)) + "\n")
    out = tmp_path / "answers.parquet"
    done = command(
        "predict", fitted, "--quiz", tmp_path / "quiz.csv", tmp_path / "tasks.csv", "--out", out
    )
    assert done.returncode == 0, done.stderr
    chances = pyarrow.parquet.read_table(out)["probability"].to_numpy()
    assert chances[::2].mean() > chances[1::2].mean() + 0.2


def test_select_similar_and_hardest(fitted: Path, tmp_path: Path) -> None:
    made = FinishedMap.load(fitted)
    similar = rows_of(command("similar", fitted, "q5", "-k", "3", "--harder").stdout)
    assert "q5" not in [row["task"] for row in similar]
    own = made.embedder.difficulty(["q5"])[0]
    assert all(float(row["difficulty"]) > own for row in similar)
    hardest = rows_of(command("hardest", fitted, "-k", "2").stdout)
    assert [row["task"] for row in hardest] == made.outcomes.tasks[made.index.hardest(2)].tolist()
    (tmp_path / "one.csv").write_text("task\nq5\n")
    (tmp_path / "options.csv").write_text("task\nq1\nq7\nq9\nq2\n")
    chosen = rows_of(
        command(
            "select", fitted, "--reference", tmp_path / "one.csv", tmp_path / "options.csv", "-k", 2
        ).stdout
    )
    expected = ts.select(made.embedder, "q5", ["q1", "q7", "q9", "q2"], k=2)
    assert [int(row["row"]) for row in chosen] == expected.tolist()


def test_export_for_other_programs(fitted: Path, tmp_path: Path) -> None:
    made = FinishedMap.load(fitted)
    assert command("export", fitted, tmp_path / "map.parquet").returncode == 0
    rows = pyarrow.parquet.read_table(tmp_path / "map.parquet").to_pylist()
    expected = {"task", "x", "y", "vector", "difficulty", "success", "cluster"}
    assert set(rows[0]) == expected
    np.testing.assert_allclose([row["vector"] for row in rows], made.index.vectors, rtol=1e-6)
    export(made, tmp_path / "map.csv")
    assert list(rows_of((tmp_path / "map.csv").read_text())[0])[:5] == [
        "task",
        "x",
        "y",
        "v0",
        "v1",
    ]
    vectors, metadata = (path.read_text() for path in export(made, tmp_path / "projector"))
    assert len(vectors.splitlines()) + 1 == len(metadata.splitlines()) == N_TASKS + 1
    assert metadata.startswith("task\tdifficulty\tsuccess\tcluster\n")


def test_features_in_a_table_of_their_own(tmp_path: Path) -> None:
    results = {"agent": [], "task": [], "score": []}  # type: dict[str, list[Any]]
    for agent, task in np.ndindex(SOLVED.shape):
        for name, value in zip(results, (agent, task, SOLVED[agent, task]), strict=True):
            results[name].append(value)
    features = {"task": np.arange(N_TASKS), "level": LEVELS[:, 0], "skill": LEVELS[:, 1]}
    fit_table(results, tmp_path / "run", features=features, steps=100, say=lambda line: None)
    (tmp_path / "new.csv").write_text("level,skill\n0.3,1\n")
    rows = rows_of(command("embed", tmp_path / "run", tmp_path / "new.csv").stdout)
    assert float(rows[0]["difficulty"]) > 0
    by_name = rows_of(command("hardest", tmp_path / "run", "-k", 1).stdout)
    assert {"level", "skill"} < set(by_name[0])


def test_a_table_with_many_gaps(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    sparse = np.where(rng.random(SOLVED.shape) < 0.6, np.nan, SOLVED)
    with pytest.warns(UserWarning, match=says("agents pairs")):
        numbers = fit_table(sparse, tmp_path / "run", steps=250, say=lambda line: None)
    assert numbers["norm_difficulty_rank_correlation"] > 0.5
    assert re.search(r"\bwhite\b(?!-)", Path(numbers["report"]).read_text())


@pytest.mark.parametrize(
    ("words", "tokens"),
    [
        (["embed", "{}", "no.csv"], "no.csv"),
        (["embed", "{}", "wrong.csv"], "column 'task' level"),
        (["embed", "{}", "unknown.csv"], "'q99'"),
        (["embed", "{}", "empty.csv"], "empty.csv empty"),
        (["embed", "{}", "tasks.txt"], ".csv .parquet 'tasks.txt'"),
        (["predict", "{}", "--quiz", "unknown.csv", "one.csv"], "column 'result'"),
        (["predict", "{}", "--quiz", "bad.csv", "one.csv"], "result"),
        (["select", "{}", "--reference", "two.csv", "one.csv"], "two.csv 2 tasks"),
        (["similar", "{}", "q99"], "'q99'"),
        (["hardest", "{}", "-k", "0"], "k 0"),
        (["hardest", "nowhere"], "map nowhere"),
        (["export", "{}", "map.xlsx"], ".parquet .csv map.xlsx"),
        (["fit", "no.csv", "--out", "run"], "no.csv"),
        (["fit", "one.csv", "--out", "run"], "table"),
        (["fit", "good.csv", "--out", "run", "--dimensions", "few"], "dimensions 'few'"),
        (["fit", "good.csv", "--out", "run", "--steps", "-1"], "steps -1"),
        (["fit", "good.csv", "--out", "run"], "tasks 3 2"),
    ],
)
def test_bad_input_is_told_in_one_sentence(
    fitted: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    tokens: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "wrong.csv": "level\n1\n", "unknown.csv": "task\nq99\n", "empty.csv": "task\n",
        "tasks.txt": "task\nq1\n", "one.csv": "task\nq1\n", "two.csv": "task\nq1\nq2\n",
        "good.csv": "agent,task,score\na,x,1\na,y,0\nb,x,0\nb,y,1\n",
        "bad.csv": "task,result\nq1,7\n",
    }.items():  # fmt: skip
        Path(name).write_text(text)
    assert main([word.format(fitted) for word in words]) == 2
    errors = capsys.readouterr().err
    assert re.search(says(tokens), errors)
    assert len(errors.strip().splitlines()) == 1
    assert not Path("run").exists()


def test_damaged_folders_are_refused(fitted: Path, tmp_path: Path) -> None:
    shutil.copytree(fitted, tmp_path / "run")
    (tmp_path / "run" / "embedder" / "embedder.json").write_text("{")
    with pytest.raises(ValueError, match=says(f"{tmp_path / 'run' / 'embedder'} damaged")):
        FinishedMap.load(tmp_path / "run")

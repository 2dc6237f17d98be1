"""A map fitted once for all tests of commands, and small tables to ask it with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from taskspace.outcomes.outcomes import Outcomes
from taskspace.runs.pipeline import fit
from tests.cli.maps import LEVELS, N_AGENTS, N_TASKS, SOLVED, command


@pytest.fixture(scope="session")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wide table without features: students by row, questions by column, some never tried."""
    path: Path = tmp_path_factory.mktemp("table") / "results.csv"
    missing = np.random.default_rng(1).random(SOLVED.shape) < 0.1
    with path.open("w") as file:
        print("agent", *(f"q{i}" for i in range(N_TASKS)), sep=",", file=file)
        for agent in range(N_AGENTS):
            cells = np.where(missing[agent], "", SOLVED[agent].astype(int).astype(str))
            print(f"s{agent}", *cells, sep=",", file=file)
    return path


@pytest.fixture(scope="session")
def fitted(table: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run folder that `taskspace fit` makes of this table; tests must not change it."""
    folder: Path = tmp_path_factory.mktemp("runs") / "course"
    done = command("fit", table, "--out", folder, "--dimensions", "2")
    assert done.returncode == 0, done.stderr
    assert "agents" in done.stdout
    assert f"report: {folder}/report.html" in done.stdout
    return folder


@pytest.fixture(scope="session")
def ordinal(table: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run folder of the paper's map of this table; tests must not change it."""
    folder: Path = tmp_path_factory.mktemp("runs") / "ordinal"
    options = ("--dimensions", "2", "--method", "ordinal", "--steps", "500")
    done = command("fit", table, "--out", folder, *options)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="session")
def described(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run folder of a long table whose tasks have features, in a table of their own."""
    agents, tasks = np.indices(SOLVED.shape).reshape(2, -1)
    names = np.array([f"q{number}" for number in range(N_TASKS)])
    results = {"agent": agents, "task": names[tasks], "score": 1 * SOLVED.ravel()}
    features = {"task": names, "level": LEVELS[:, 0], "skill": LEVELS[:, 1]}
    folder: Path = tmp_path_factory.mktemp("runs") / "described"
    fit(results, folder, features=features, log=lambda line: None)
    return folder


@pytest.fixture(scope="session")
def clashing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run folder of tasks whose features have the names of columns that commands write."""
    names = ("difficulty", "success", "x", "y", "v0", "cluster", "vector", "similarity", "on_map",
             "probability")  # fmt: skip
    features = 100.0 + np.random.default_rng(0).normal(size=(N_TASKS, len(names)))
    outcomes = Outcomes(1 * SOLVED, np.array(1), features=features, feature_names=names)
    folder: Path = tmp_path_factory.mktemp("runs") / "clashing"
    fit(outcomes, folder, method="ordinal", steps=0, n_components=2, log=lambda line: None)
    return folder


@pytest.fixture(params=["fitted", "ordinal"])
def either(request: pytest.FixtureRequest) -> Path:
    """A run folder of each method."""
    folder: Path = request.getfixturevalue(request.param)
    return folder


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with good and bad tables, which is the current one."""
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "wrong.csv": "level\n1\n", "unknown.csv": "task\nq99\n", "empty.csv": "task\n",
        "tasks.txt": "task\nq1\n", "one.csv": "task\nq1\n", "two.csv": "task\nq1\nq2\n",
        "odd.csv": "who,what,points\na,x,1\nb,y,0\n",
        "good.csv": "agent,task,score\na,x,1\na,y,0\nb,x,0\nb,y,1\n",
        "bad.csv": "task,result\nq1,7\n",
    }.items():  # fmt: skip
        Path(name).write_text(text)
    return tmp_path

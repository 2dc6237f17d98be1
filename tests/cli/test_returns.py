"""A table of returns: `fit --returns`, and the commands that read the run folder it makes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import taskspace as ts
from taskspace.cli import main
from taskspace.runs.run import open_run
from tests.cli.maps import check_complaint, command, rows_of

pytestmark = pytest.mark.slow

N_AGENTS, N_TASKS = 40, 12
RNG = np.random.default_rng(0)
SKILLS = RNG.normal(size=(N_AGENTS, 2))[:, np.arange(N_TASKS) % 2]
RETURNS = -np.exp(np.arange(N_TASKS) / 4 - SKILLS - 0.3 * RNG.normal(size=SKILLS.shape))


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two attempts per pair, with returns below 0."""
    rows = [
        f"a{agent},t{task},{RETURNS[agent, task] * times},{'odd' if task % 2 else 'even'}"
        for agent, task in np.ndindex(RETURNS.shape)
        for times in (0.9, 1.1)
    ]
    path = tmp_path_factory.mktemp("returns") / "returns.csv"
    path.write_text("\n".join(["agent,task,reward,skill", *rows]))
    return path


@pytest.fixture(scope="module")
def folder(table: Path) -> Path:
    out = table.parent / "run"
    done = command("fit", table, "--returns", "--best", "0", "--out", out)
    assert done.returncode == 0, done.stderr
    assert "returns: 'reward'" in done.stderr
    return out


def test_the_run_has_returns_and_a_map_of_both_skills(folder: Path) -> None:
    made = open_run(folder)
    assert made.outcomes.scale is not None
    assert made.outcomes.scale.rule == "best"
    assert made.outcomes.returns is not None
    np.testing.assert_allclose(made.outcomes.returns, RETURNS, rtol=1e-5)
    nearest = [int(made.similar(task, 1)[0][0]) for task in range(N_TASKS)]
    assert all(other % 2 == task % 2 for task, other in enumerate(nearest))
    regret = (-RETURNS).mean(0) / -RETURNS.min(0)
    np.testing.assert_allclose(made.embedder.difficulty(made.outcomes.tasks), regret, rtol=1e-4)


def test_similar_hardest_and_exports_show_returns(folder: Path, tmp_path: Path) -> None:
    similar = rows_of(command("similar", folder, "t4", "-k", "3").stdout)
    assert {int(row["task"][1:]) % 2 for row in similar} == {0}
    hardest = rows_of(command("hardest", folder, "-k", "12").stdout)
    mean = {row["task"]: float(row["return"]) for row in hardest}
    np.testing.assert_allclose(
        [mean[f"t{task}"] for task in range(N_TASKS)], RETURNS.mean(0), rtol=1e-4
    )
    assert "success" not in hardest[0]
    assert main(["export", str(folder), str(tmp_path / "map.csv")]) == 0
    assert "return" in rows_of((tmp_path / "map.csv").read_text())[0]


def test_the_doctor_reads_returns_and_near_copies_refuse_them(
    table: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = command("doctor", table, "--returns", "--best", "0")
    figures = {row["figure"]: float(row["value"]) for row in rows_of(done.stdout)}
    assert figures["usable tasks (agents differ)"] == N_TASKS
    assert figures["skills above chance"] == 2
    assert figures == {
        row["figure"]: float(row["value"]) for row in rows_of(command("doctor", folder).stdout)
    }
    assert main(["redundant", str(folder)]) == 2
    assert "returns" in capsys.readouterr().err


def test_bad_input_is_told_in_one_sentence(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = ["fit", str(table), "--out", "run"]
    check_complaint(given, "'reward' --returns", capsys)
    check_complaint([*given, "--score", "reward"], "0 1 --returns", capsys)
    check_complaint([*given, "--best", "0"], "best --returns", capsys)
    check_complaint([*given, "--returns", "--best", "-9"], "best -9", capsys)
    check_complaint([*given, "--returns", "--best", "0", "--success", "1"], "success best", capsys)
    check_complaint([*given, "--returns", "--max-score", "9"], "max_score 9", capsys)


def test_outcomes_can_be_fitted_by_their_returns(tmp_path: Path) -> None:
    played = ts.Outcomes(np.zeros(RETURNS.shape, int), np.array(1), returns=RETURNS)  # type: ignore[arg-type]
    made = ts.fit(played, tmp_path / "run", returns=True, success=-1, log=lambda line: None)
    assert made.outcomes.scale is not None
    np.testing.assert_allclose(
        made.embedder.difficulty(made.outcomes.tasks), (RETURNS < -1).mean(0), atol=1e-6
    )
    with pytest.raises(ValueError, match="no returns"):
        ts.fit(ts.Outcomes(np.eye(4, dtype=int), np.array(1)), tmp_path / "no", returns=True)

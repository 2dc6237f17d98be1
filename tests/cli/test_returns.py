"""A table of returns: `fit --returns`, and the commands that read the run folder it makes."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

import taskspace as ts
from taskspace.cli import main
from taskspace.explore.answers import answers_of
from taskspace.explore.data import explorer_data
from taskspace.explore.service import Service
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


def test_report_and_page_leave_out_what_only_successes_answer(folder: Path) -> None:
    made = open_run(folder)
    report = made.report().read_text()
    assert "Is the population good enough?" in report
    for heading in ("Redundant tasks", "A short test", "Agents"):
        assert f">{heading}<" not in report
    assert "success rate" not in report
    assert answers_of(made).keys() == {"agents", "doctor"}
    assert "returns" in answers_of(made)["agents"]["reason"]


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
    Path("two.csv").write_text("agent,t,u,v\na,5,-1,3\nb,2,7,9\n")
    two = ["fit", "two.csv", "--returns", "--out", "two"]
    check_complaint(two, "returns 3 agents 2", capsys)
    assert not Path("two").exists()


def test_outcomes_can_be_fitted_by_their_returns(tmp_path: Path) -> None:
    played = ts.Outcomes(np.zeros(RETURNS.shape, int), np.array(1), returns=RETURNS)  # type: ignore[arg-type]
    made = ts.fit(played, tmp_path / "run", returns=True, success=-1, log=lambda line: None)
    assert made.outcomes.scale is not None
    np.testing.assert_allclose(
        made.embedder.difficulty(made.outcomes.tasks), (RETURNS < -1).mean(0), atol=1e-6
    )
    with pytest.raises(ValueError, match="no returns"):
        ts.fit(ts.Outcomes(np.eye(4, dtype=int), np.array(1)), tmp_path / "no", returns=True)


def test_predictions_scores_and_quizzes_are_in_returns(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    quiz = tmp_path / "quiz.csv"
    quiz.write_text(f"task,return\nt0,{RETURNS[0, 0]}\nt1,{RETURNS[0, 1]}\nt2,\n")
    tasks = tmp_path / "tasks.csv"
    tasks.write_text("task\nt4\nt5\n")
    found = rows_of(command("predict", folder, "--quiz", quiz, tasks).stdout)
    for row, task in zip(found, (4, 5), strict=True):
        low, middle, high = (float(row[name]) for name in ("low", "return", "high"))
        assert low <= middle <= high
        assert abs(middle - RETURNS[0, task]) < np.ptp(RETURNS[:, task]) / 2
    (score,) = rows_of(command("score", folder, quiz).stdout)
    assert RETURNS.min() < float(score["low"]) <= float(score["score"]) <= float(score["high"]) <= 0
    answers = f"good\n{RETURNS[0].mean()}\n-1e9\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(answers))
    assert main(["quiz", str(folder), "--at-most", "2"]) == 0
    done = capsys.readouterr()
    assert "'good'" in done.err
    assert "-1e+09" in done.err
    assert "answers: 1" in done.err
    assert {"task", "return", "low", "high", "answer"} == set(rows_of(done.out)[0])


def test_successes_are_no_answers_in_returns(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = tmp_path / "answers.csv"
    answers.write_text("task,passed\nt0,1\n")
    check_complaint(["score", str(folder), str(answers)], "answers.csv return passed", capsys)
    answers.write_text("task,return,passed\nt0,-1,1\n")  # which is clear
    assert command("score", folder, answers).returncode == 0


def test_what_needs_successes_refuses_returns(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for given in (["subset", str(folder), "-k", "3"], ["agents", str(folder)]):
        check_complaint(given, "0 1 returns", capsys)


def test_report_and_page_speak_of_returns(folder: Path) -> None:
    made = open_run(folder)
    report = made.report().read_text(encoding="utf-8")
    assert "mean normalised regret" in report
    assert "that the return on" in report
    data = explorer_data(made)
    assert data["returns"]["shared"] is False
    np.testing.assert_allclose(data["returns"]["low"], RETURNS.min(0), rtol=1e-5)
    shift, stretch = data["returns"]["shift"], data["returns"]["stretch"]
    agents = data["posterior"]["agents"]
    known = data["posterior"]["profiles"][:, :agents] / 255
    near = np.abs(known - (shift + stretch * made.outcomes.rates.T)).mean()
    assert near < 0.1  # candidates are on the wider scale
    service = Service(made)
    predicted, low, high = service.predict(["t0"], [float(RETURNS[0, 0])], ["t4"], 0.9)
    assert low is not None
    assert high is not None
    assert low[0] <= predicted[0] <= high[0] <= 0

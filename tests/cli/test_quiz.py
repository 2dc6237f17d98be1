"""The quiz on the command line: questions, answers, the table at the end, and mistakes."""

from __future__ import annotations

import argparse
import csv
import io
import re
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from taskspace.cli import quiz
from taskspace.models.embedding.ordinal_embedder import OrdinalEmbedder
from taskspace.outcomes.outcomes import Outcomes
from tests.messages import says
from tests.run_folders import write_run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A map of eight questions on two topics, asked of 40 students."""
    folder, rng = tmp_path_factory.mktemp("course"), np.random.default_rng(0)
    solved = rng.integers(0, 2, 40)[:, None] == np.arange(8) % 2
    names = [f"q{number}" for number in range(8)]
    outcomes = Outcomes.from_table({"agent": range(40), **dict(zip(names, solved.T, strict=True))})
    outcomes = replace(outcomes, task_labels={"topic": np.array(["even", "odd"] * 4)})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # students of one topic fail the other
        embedder = OrdinalEmbedder(2, steps=5, random_state=0).fit(outcomes)
    return write_run(folder, {"name": "course"}, outcomes, embedder).folder


def run(*arguments: str) -> None:
    parser = argparse.ArgumentParser()
    quiz.add(parser.add_subparsers())
    options = parser.parse_args(["quiz", *arguments])
    options.run(options)


def answers(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def rows(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


def test_the_summary_tells_the_score(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    answers(monkeypatch, "y\n" * 9)
    run(str(folder), "--aim", "score", "--at-most", "3", "--until", "0")
    summary = capfd.readouterr().err.splitlines()[-1]
    found = re.search(r"^answers: 3; .*score: (\d+)% \(90% interval: (\d+)% to (\d+)%\)$", summary)
    assert found
    score, low, high = map(int, found.groups())
    assert low <= score <= high


def test_scores_and_limits_by_label(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    answers(monkeypatch, "y\n" * 9)
    label = ("--by", "topic", "--at-most-per-label", "1")
    run(str(folder), "--aim", "labels", *label, "--among", "3", "--seed", "1")
    lines = capfd.readouterr().err.splitlines()
    even, odd = (f"q{number}" for number in sorted(int(q[1:]) % 2 for q in lines[:2]))
    assert (even, odd) == ("q0", "q1")  # one question of each topic
    assert lines[2].startswith("answers: 2;")
    assert [line.split(":")[0] for line in lines[3:]] == ["score of even", "score of odd"]


def test_it_stops_at_the_wanted_width(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    answers(monkeypatch, "y\n" * 9)
    run(str(folder), "--width", "1")
    assert capfd.readouterr().err.startswith("answers: 0;")


def test_a_terminal_gets_a_table(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    answers(monkeypatch, "y\n")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    run(str(folder), "--at-most", "1")
    told = re.sub(r"\x1b\[\d*m", "", capfd.readouterr().out)  # without colours
    assert "," not in told
    assert re.search(r"^\s*task\s+probability\s+low\s+high", told, re.MULTILINE)
    assert len(re.findall(r"^\s*q\d ", told, re.MULTILINE)) == 8


def test_answers_decide_the_chances(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    answers(monkeypatch, "y\n")
    run(str(folder), "--at-most", "1")
    told = capfd.readouterr()
    question = told.err.splitlines()[0]
    assert question in [f"q{number}" for number in range(8)]
    assert re.search(r"^answers\D*1\b", told.err, re.MULTILINE)
    table = list(csv.DictReader(io.StringIO(told.out)))
    assert [row["task"] for row in table] == [f"q{number}" for number in range(8)]
    solved = int(question[1:]) % 2
    for number, row in enumerate(table):
        assert (float(row["probability"]) > 0.5) == (number % 2 == solved)
        assert float(row["low"]) <= float(row["probability"]) <= float(row["high"])
        assert max(map(len, (row["probability"], row["low"], row["high"]))) <= len("0.1234")
    assert [row["task"] for row in table if row["answer"]] == [question]
    assert float(table[int(question[1:])]["answer"]) == 1


def test_without_answers_none_is_marked(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("none.csv", "none.parquet"):
        answers(monkeypatch, "")
        run(str(folder), "--out", str(tmp_path / name))
    assert {row["answer"] for row in rows(tmp_path / "none.csv")} == {""}


def test_it_asks_again_where_it_does_not_understand(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    answers(monkeypatch, "maybe\n2\nnan\nNo\n0.5\n")
    run(str(folder), "--at-most", "2", "--choose", "random", "--out", str(tmp_path / "out.csv"))
    told = capfd.readouterr()
    lines = told.err.splitlines()
    assert re.search(says("'maybe' y n 1 0"), lines[1])
    assert lines[0] == lines[2] == lines[4] == lines[6]
    assert re.search(r"^answers\D*2\b", lines[-1])
    assert told.out == ""
    assert len(rows(tmp_path / "out.csv")) == 8


class Terminal(io.StringIO):
    """Somebody who types."""

    def isatty(self) -> bool:
        return True


def test_a_person_is_asked_a_question(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal("y\n"))  # and then Ctrl-D
    run(str(folder), "--at-most", "2", "--choose", "random")
    prompt = r"\D*\bq\d \(topic: \w+\)\? \[y/n.*?0.*?1.*?Enter.*?\] "
    asked, summary = capfd.readouterr().err.splitlines()  # what is typed is not in it
    assert re.fullmatch(prompt + prompt, asked)
    assert re.search(r"^answers\D*1\b", summary)


@pytest.mark.parametrize("typed", [True, False])
def test_questions_have_features_with_few_digits_and_for_people_labels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], typed: bool
) -> None:
    solved = np.array([[0, 0, 1], [0, 1, 1], [1, 1, 1]] * 5)
    features = np.array([[1 / 3], [0.33332], [0.33334]])
    outcomes = Outcomes(
        solved, np.array(1), features=features, feature_names=("x",),
        task_labels={"text": np.array(["How many?"] * 3, object)},
    )  # fmt: skip
    embedder = OrdinalEmbedder(1, steps=5, random_state=0).fit(outcomes)
    write_run(tmp_path, {"name": "three"}, outcomes, embedder)
    monkeypatch.setattr("sys.stdin", Terminal("\n") if typed else io.StringIO("\n"))
    run(str(tmp_path))
    line = capfd.readouterr().err.splitlines()[0]
    if typed:
        assert re.search(r"\btask-\d \(x 0\.3333, text: How many\?\)\? \[", line)
    else:
        assert re.fullmatch(r"task-\d: x 0\.3333", line)


def test_a_name_with_line_breaks_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    solved = np.array([[0, 0, 1], [0, 1, 1], [1, 1, 1]] * 5)
    outcomes = Outcomes(solved, np.array(1), tasks=np.array(["a\nb", "c\r\nd", "e\nf"]))
    embedder = OrdinalEmbedder(1, steps=5, random_state=0).fit(outcomes)
    write_run(tmp_path, {"name": "three"}, outcomes, embedder)
    answers(monkeypatch, "1\n1\n1\n")
    run(str(tmp_path), "--choose", "random", "--at-most", "3")
    lines = capfd.readouterr().err.splitlines()
    assert sorted(lines[:3]) == ["a b", "c d", "e f"]


@pytest.mark.parametrize("text", ["", "\n1\n"])
def test_the_end_of_the_answers_ends_the_quiz(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], text: str
) -> None:
    answers(monkeypatch, text)
    run(str(folder))
    told = capfd.readouterr()
    assert re.search(r"^answers\D*0\b", told.err, re.MULTILINE)
    assert len(told.out.splitlines()) == 9


def test_targets_are_what_is_asked_about_and_listed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "exam.csv").write_text("task\nq5\nq2\n")
    answers(monkeypatch, "1\n" * 20)
    out = tmp_path / "chances.csv"
    run(str(folder), "--targets", str(tmp_path / "exam.csv"), "--until", "0.3", "--out", str(out))
    assert [row["task"] for row in rows(out)] == ["q5", "q2"]


@pytest.mark.parametrize("out", ["exam.csv", "./exam.csv", "link.csv"])
def test_the_targets_are_not_overwritten(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, out: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("exam.csv").write_text("task\nq5\n")
    Path("link.csv").symlink_to("exam.csv")
    with pytest.raises(ValueError, match=says(f"{out} --out")):
        run(str(folder), "--targets", "exam.csv", "--out", out)
    assert Path("exam.csv").read_text() == "task\nq5\n"


def test_mistakes_are_told_before_the_first_question(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    answers(monkeypatch, "1\n" * 20)
    (tmp_path / "exam.csv").write_text("task\nq9\n")
    with pytest.raises(ValueError, match=says("'q9'")):
        run(str(folder), "--targets", str(tmp_path / "exam.csv"))
    with pytest.raises(ValueError, match=says("--until 2.0")):
        run(str(folder), "--until", "2")
    with pytest.raises(ValueError, match=says("--width 0.0")):
        run(str(folder), "--width", "0")
    with pytest.raises(ValueError, match=says("--among 0")):
        run(str(folder), "--among", "0")
    with pytest.raises(ValueError, match=says("--by none")):
        run(str(folder), "--aim", "labels")
    with pytest.raises(ValueError, match=says("--by 'colour' 'topic'")):
        run(str(folder), "--aim", "labels", "--by", "colour")
    with pytest.raises(ValueError, match=says("--at-most -1")):
        run(str(folder), "--at-most", "-1")
    with pytest.raises(FileNotFoundError, match=says(str(tmp_path))):
        run(str(tmp_path))

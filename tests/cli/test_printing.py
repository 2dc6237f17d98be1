"""Lists of tasks on the command line: short ones to read, whole ones in files."""

from __future__ import annotations

import argparse
import csv
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from taskspace.cli import main
from taskspace.cli.printing import MOST_SHOWN, print_note
from taskspace.models.embedding.ordinal_embedder import OrdinalEmbedder
from taskspace.outcomes.outcomes import Outcomes
from tests.messages import says
from tests.run_folders import write_run


def make(folder: Path, n_features: int, **labels: Any) -> Path:
    """A map of ten tasks with so many features, and labels."""
    rng = np.random.default_rng(0)
    solved = rng.random((30, 1)) > np.linspace(0.1, 0.9, 10)
    names = tuple(f"f{number}" for number in range(n_features))
    features = rng.random((10, n_features))
    given: Any = {"features": features, "feature_names": names, "task_labels": labels}
    outcomes = Outcomes(1 * solved, np.array(1), **given)
    embedder = OrdinalEmbedder(2, steps=5, random_state=0, progress=False).fit(outcomes)
    return write_run(folder, {"name": "ten"}, outcomes, embedder).folder


@pytest.mark.slow
@pytest.mark.parametrize("words", [["similar", "{}", "task-3"], ["hardest", "{}"]])
@pytest.mark.parametrize("n_features", [MOST_SHOWN, MOST_SHOWN + 1])
def test_many_features_go_to_files_alone(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], words: list[str], n_features: int
) -> None:
    folder, out = make(tmp_path / "run", n_features), tmp_path / "list.csv"
    arguments = [*(word.format(folder) for word in words), "-k", "2"]
    assert main([*arguments, "--out", str(out)]) == 0
    whole = list(csv.DictReader(out.read_text().splitlines()))
    assert {"task", "difficulty", "cluster", "f0", f"f{n_features - 1}"} < set(whole[0])
    capfd.readouterr()
    assert main(arguments) == 0
    told = capfd.readouterr()
    rows = list(csv.DictReader(told.out.splitlines()))
    if n_features <= MOST_SHOWN:
        assert (rows, told.err) == (whole, "")
        return
    short = [{name: row[name] for name in row if name[0] != "f"} for row in whole]
    assert rows == short
    assert re.fullmatch(rf"{says(f'{n_features} features --out')}.*\n", told.err)


def test_a_person_at_a_terminal_gets_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make(tmp_path / "run", MOST_SHOWN)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")  # no colours
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["hardest", str(folder), "-k", "2"]) == 0
    shown = [line for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert all(len(line) <= 80 for line in shown)
    head, rule, *rows, rest = shown
    assert head.split()[:5] == ["task", "difficulty", "success", "cluster", "f0"]
    assert re.search(says(f"{4 + MOST_SHOWN - len(head.split())} columns --out"), rest)
    assert set(rule.strip()) == {"─"}
    assert len(rows) == 2
    assert all(len(number) <= 6 for row in rows for number in row.split()[1:3])


def test_labels_are_shown_beside_the_tasks_and_cut_on_the_screen_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    prompt = "What is one plus one,\nand what is two plus two?"
    labels = {"page": [np.nan] * 10, "prompt": [prompt] * 10}
    folder, out = make(tmp_path / "run", MOST_SHOWN + 1, **labels), tmp_path / "list.csv"
    assert main(["hardest", str(folder), "-k", "2", "--out", str(out)]) == 0
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["prompt"] for row in rows] == [prompt] * 2
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "80")
    capsys.readouterr()
    assert main(["hardest", str(folder), "-k", "2"]) == 0
    head, _, *rows_shown = [line for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert head.split() == ["task", "difficulty", "success", "cluster", "page", "prompt"]
    assert all("What is one plus one" in row and "…" in row for row in rows_shown)
    assert not any("nan" in row for row in rows_shown)


@pytest.mark.parametrize(
    ("words", "columns"),
    [(["embed", "tasks.csv"], ["task", "difficulty", "v0", "v1"]),
     (["select", "--reference", "task-1", "tasks.csv"], ["row", "task", "similarity"])],
)  # fmt: skip
def test_tables_of_tasks_are_answered_by_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    words: list[str], columns: list[str],
) -> None:  # fmt: skip
    folder = make(tmp_path / "run", 1)
    monkeypatch.chdir(tmp_path)
    Path("tasks.csv").write_text("task\n" + "task-3\ntask-4\n" * 11)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "80")
    assert main([words[0], str(folder), *words[1:], *["-k", "2"] * (words[0] == "select")]) == 0
    head, _, *rows = [line for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert head.split() == columns
    assert all(len(number) <= 10 for row in rows[:2] for number in row.split())
    if words[0] == "embed":
        assert rows[20:] == ["2 more rows are not shown; use --out FILE to write all."]


def test_sentences_are_broken_at_a_terminal_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    options, text = argparse.Namespace(json=False), "word " * 40
    print_note(options, text)
    assert capsys.readouterr().err == f"{text}\n"
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    print_note(options, text)
    assert max(map(len, capsys.readouterr().err.splitlines())) <= 80

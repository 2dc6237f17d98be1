"""Lists of tasks on the command line: short ones to read, whole ones in files."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from taskspace.cli import main
from taskspace.cli.printing import MOST_SHOWN, print_columns
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


def test_names_are_shortened_in_the_middle_so_that_numbers_and_labels_fit(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "80")
    names = np.array([f"benchmark_of_{'many_' * 20}words/{number}" for number in range(3)])
    numbers = {name: np.full(3, 0.123456) for name in ("similarity", "on_map", "success")}
    texts = np.array(["What is one plus one, and what is it not?"] * 3, object)
    print_columns({"task": names, **numbers, "text": texts})
    head, _, *rows, note = [line for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert head.split() == ["task", *numbers, "text"]
    assert [re.search(r"^ *benchmark.*…\S*words/(\d) ", row)[1] for row in rows] == list("012")  # type: ignore[index]
    assert all("What is one" in row for row in rows)
    assert re.search(says("names shortened --out"), note)
    assert max(map(len, [head, *rows, note])) <= 80
    print_columns({"task": np.array(["task-1"]), "year": np.array([20231.0])})
    shown = capsys.readouterr().out
    assert "20231" in shown
    assert "shortened" not in shown


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

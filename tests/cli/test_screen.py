"""Tables and sentences at a terminal of 80 columns."""

from __future__ import annotations

import re

import numpy as np
import pyarrow
import pytest

from taskspace.cli.screen import MOST_ROWS, filled, first_rows, print_columns
from tests.messages import says


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")  # no colours
    monkeypatch.setenv("COLUMNS", "80")


def shown(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [line for line in capsys.readouterr().out.splitlines() if line.strip()]


def test_names_are_shortened_in_the_middle_so_that_numbers_and_labels_fit(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = np.array([f"benchmark_of_{'many_' * 20}words/{number}" for number in range(3)])
    numbers = {name: np.full(3, 0.123456) for name in ("similarity", "on_map", "success")}
    texts = np.array(["What is one plus one, and what is it not?"] * 3, object)
    print_columns({"task": names, **numbers, "text": texts})
    head, _, *rows, note = shown(capsys)
    assert head.split() == ["task", *numbers, "text"]
    assert [re.search(r"^ *benchmark.*…\S*words/(\d) ", row)[1] for row in rows] == list("012")  # type: ignore[index]
    assert all("What is one" in row for row in rows)
    assert re.search(says("names shortened --out"), note)
    assert max(map(len, [head, *rows, note])) <= 80
    print_columns({"task": np.array(["task-1"]), "year": np.array([20231.0])})
    printed = capsys.readouterr().out
    assert "20231" in printed
    assert "shortened" not in printed


def test_headings_are_broken_if_more_columns_fit_then(capsys: pytest.CaptureFixture[str]) -> None:
    names = ("episodes", "tasks", "effective_tasks", "success", "uniform_success", "mean_p",
             "uniform_share", "memory")  # fmt: skip
    print_columns({name: np.array([0.0001234 if name == "mean_p" else 1000.5]) for name in names})
    first, second, _, row = shown(capsys)
    assert first.split() == ["effective_", "uniform_", "uniform_"]  # numbers are wider than mean_p
    assert second.split() == ["episodes", "tasks", "tasks", "success", "success", "mean_p", "share",
                              "memory"]  # fmt: skip
    assert len(row.split()) == 8


def test_empty_columns_are_left_out_first(capsys: pytest.CaptureFixture[str]) -> None:
    empty = {f"nothing {number}": np.full(2, "", object) for number in range(8)}
    empty |= {f"unknown {number}": np.full(2, np.nan) for number in range(2)}
    print_columns({"agent": np.array(["a", "b"]), **empty, "score": np.array([0.5, 0.25])})
    head, _, *_, note = shown(capsys)
    assert head.split() == ["agent", "score"]
    assert re.search(says("10 more columns --out"), note)
    print_columns({"agent": np.array(["a"]), "label": np.array([""], object)})
    assert shown(capsys)[0].split() == ["agent", "label"]  # all fit


def test_rows_that_are_not_shown_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    whole = {"agent": np.arange(MOST_ROWS + 1).astype(str)}
    print_columns(first_rows(whole), MOST_ROWS + 1)
    _, _, *rows, note = shown(capsys)
    assert len(rows) == MOST_ROWS
    assert note == "1 more row is not shown; use --out FILE to write all."


def test_columns_of_files_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    print_columns({
        "task": pyarrow.chunked_array([["q1"], [None]]), "row": pyarrow.array([7, 8]),
        "level": pyarrow.array([0.123456, None]), "odd": pyarrow.array([True, False]),
    })  # fmt: skip
    _, _, first, second = shown(capsys)
    assert first.split() == ["q1", "7", "0.1235", "True"]
    assert second.split() == ["8", "False"]


def test_sentences_are_broken_into_lines_and_lists_are_indented() -> None:
    lines = filled("- " + "word " * 40).splitlines()
    assert max(map(len, lines)) <= 80
    assert all(line.startswith("  word") for line in lines[1:])


def test_the_numbers_of_a_column_have_the_same_decimals(
    capsys: pytest.CaptureFixture[str],
) -> None:
    columns = {
        "low": np.array([0.09808, 0.6, np.nan]),
        "return": np.array([-512.25, 3.0, 12.5]),
        "plain": np.array([0.0, 1.0, np.nan]),
        "tiny": np.array([2.5e-7, 1e-9, 0.0]),
    }
    print_columns(columns)
    rows = [line.split() for line in shown(capsys)[2:]]
    assert rows[0] == ["0.0981", "-512.2", "0", "2.5e-07"]
    assert rows[1] == ["0.6000", "3.0", "1", "1e-09"]
    assert rows[2] == ["12.5", "0"]

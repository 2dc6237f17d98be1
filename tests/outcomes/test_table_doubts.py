"""Rows of a table that count as attempts, and names that look the same: the user is told."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

from taskspace.outcomes.how_read import how_read
from taskspace.outcomes.outcomes import Outcomes
from taskspace.outcomes.readers.read import read_results
from tests.messages import says


def exams(**columns: Any) -> dict[str, Any]:
    """Two rows for each of four students and one question."""
    students = [f"s{number // 2}" for number in range(8)]
    return {"student": students, "question": ["q0"] * 8, "correct": [0, 1] * 4, **columns}


def test_agents_with_several_rows_of_a_wide_table_are_told() -> None:
    table = {"agent": ["a", "b", "a"], "q0": [1, 0, 0], "q1": [1, 1, 0]}
    with pytest.warns(UserWarning, match=says("1 agent 'a' attempts names")):
        found = Outcomes.from_table(table)
    assert "attempts per pair: up to 2, one per row" in how_read(found)


def test_a_column_that_separates_all_attempts_may_be_part_of_the_task() -> None:
    with pytest.warns(UserWarning, match=says("'exam' 'question' different tasks name")):
        found = Outcomes.from_table(exams(exam=["first", "second"] * 4))
    assert "attempts per pair: up to 2, one per row" in how_read(found)


@pytest.mark.parametrize(
    "columns",
    [
        {},
        {"attempt": [1, 2] * 4},
        {"exam": ["first"] * 8},  # which does not separate them
        {"saved": [f"at {number}" for number in range(8)]},  # which is about the rows
    ],
)
def test_other_columns_are_not_part_of_the_task(columns: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Outcomes.from_table(exams(**columns))


def test_pairs_in_two_tables_are_told(tmp_path: Path) -> None:
    for exam, results in (("exam0", "s0,q0,1\ns1,q0,0\n"), ("exam1", "s0,q0,0\ns2,q0,0\n")):
        (tmp_path / f"{exam}.csv").write_text(f"student,question,correct\n{results}")
    with pytest.warns(UserWarning, match=says("'s0' 'q0' exam0.csv exam1.csv different")):
        found = read_results(tmp_path)
    assert "attempts per pair: up to 2, one per row" in how_read(found)
    (tmp_path / "exam1.csv").write_text("student,question,correct\ns0,q1,1\ns1,q1,0\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_results(tmp_path)


@pytest.mark.parametrize(
    ("one", "other"), [("q0", "Q0"), ("3", "3.0"), ("3", "03"), ("q0", "q0 "), ("é", "e\u0301")]
)
def test_names_that_look_the_same_are_told(one: str, other: str) -> None:
    table = {"agent": ["a", "b"], "task": [one, other], "score": [1, 0]}
    with pytest.warns(UserWarning, match=says(f"tasks {one!r} {other!r} two")):
        Outcomes.from_table(table)
    table = {"agent": [one, other], "task": ["t", "t"], "score": [1, 0]}
    with pytest.warns(UserWarning, match=says(f"agents {one!r} {other!r} two")):
        Outcomes.from_table(table)

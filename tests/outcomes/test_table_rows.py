"""Rows in messages: lines of CSV files, and rows counted from 1 elsewhere."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import taskspace as ts
from taskspace import Outcomes
from tests.messages import says

BAD = {
    "agent,task,score\na,t,1\nb,t,7\n": "score got 7.0 line 3",
    "agent,task,score\r\n\r\na,t,1\r\nb,t,no\r\n": "'score' got 'no' line 4",
    'agent,task,score\n"a\nnamesake",t,1\n"b\nc",t,7\n': "score got 7.0 line 4",
    "agent;task;score\na;t;1\n;t;1\n": "agent line 3",
    "agent,task,successes,rollouts\na,t,1,1\n\na,t,1,1\n": "again line 4",
    "\ufeffagent,q1,q2\na,1,0\nb,0,-3\n": "q2 got -3.0 line 3",
}


@pytest.mark.parametrize("text", BAD)
def test_lines_of_a_file_are_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    with pytest.raises(ValueError, match=says(f"{BAD[text]} of {path} header 1")):
        Outcomes.from_table(path)


def test_the_line_is_that_of_the_right_file(tmp_path: Path) -> None:
    rows = ["a,t,1", "b,t,0", "b,s,7"]
    for name, some in (("x", rows[:2]), ("y", rows[2:])):
        (tmp_path / f"{name}.csv").write_text("\n".join(["agent,task,score", *some]))
    with pytest.raises(ValueError, match=says(f"got 7.0 line 2 of {tmp_path / 'y.csv'}")):
        ts.read_results(tmp_path)
    (tmp_path / "x.csv").write_text("agent,score\na,easy\n,hard\n")
    with pytest.raises(ValueError, match=says(f"agent line 3 of {tmp_path / 'x.csv'}")):
        Outcomes.from_table(
            {"agent": ["a"], "task": ["t"], "score": [1]}, agents=tmp_path / "x.csv"
        )


def test_rows_of_other_tables_are_counted_from_1(tmp_path: Path) -> None:
    table = pd.DataFrame({"agent": ["a", "b"], "task": ["t", "t"], "score": [1, 7]})
    table.to_parquet(tmp_path / "t.parquet")
    for given in (table, table.to_dict("list"), tmp_path / "t.parquet"):
        with pytest.raises(ValueError, match=says("got 7.0 row 2 first is row 1")):
            Outcomes.from_table(given)

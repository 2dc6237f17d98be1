"""CSV files as spreadsheets, pandas, R and people write them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from taskspace import Outcomes
from taskspace.outcomes.csv_dialect import find_dialect
from tests.messages import says

LONG = "agent,task,score\na,t,0.5\na,u,1\nb,t,0\n"
WRITTEN = {
    "comma": LONG,
    "semicolon": LONG.replace(",", ";"),
    "tab": LONG.replace(",", "\t"),
    "bar": LONG.replace(",", "|"),
    "space after comma": LONG.replace(",", ", "),
    "decimal comma": LONG.replace(",", ";").replace(".", ","),
    "mark": "\ufeff" + LONG,
    "Windows": LONG.replace("\n", "\r\n"),
    "row numbers": '"",agent,task,score\n1,a,t,0.5\n2,a,u,1\n3,b,t,0\n',
    "row numbers without a header": 'agent,task,score\n"1",a,t,0.5\n"2",a,u,1\n"3",b,t,0\n',
    "quoted": '"agent","task","score"\n"a","t",0.5\n"a","u",1\n"b","t",0\n',
    "empty last column": "agent,task,score,\na,t,0.5,\na,u,1,\nb,t,0,\n",
    "empty lines": LONG.replace("\n", "\n\n"),
}


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN)
def test_a_table_is_the_same_however_it_is_written(tmp_path: Path, text: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8", newline="")
    outcomes = Outcomes.from_table(path)
    assert outcomes.agents.tolist() == ["a", "b"]
    assert outcomes.tasks.tolist() == ["t", "u"]
    assert outcomes.successes.tolist() == [[0.5, 1], [0, 0]]
    assert outcomes.rollouts.tolist() == [[1, 1], [1, 0]]
    assert outcomes.task_labels == {}


def test_row_names_of_a_wide_table_are_agents(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    for text in ("q1,q2\nann,1,0\nbob,0,1\n", ",q1,q2\nann,1,0\nbob,0,1\n"):
        path.write_text(text)
        outcomes = Outcomes.from_table(path)
        assert outcomes.agents.tolist() == ["ann", "bob"]
        assert outcomes.tasks.tolist() == ["q1", "q2"]


def test_row_numbers_of_r_are_no_names(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text('"agent","task","score"\n"1","a","t",1\n"2","b","t",0\n"3","a","u",1\n')
    outcomes = Outcomes.from_table(path)
    assert outcomes.agents.tolist() == ["a", "b"]
    assert outcomes.tasks.tolist() == ["t", "u"]


@pytest.mark.parametrize(
    "text",
    [
        "agent,task,score\na,t,1,0.5\na,u,1,0.5\n",  # the same name twice
        "agent,t,u\na,1,0,\nb,0,1,\n",  # a separator at the end
        "agent,t,u\na,1,0,1\nb,0,1,1\n",  # the agents have names
        "level,kind\n1,5,1\n2,5,1\n",  # decimal commas
    ],
)
def test_a_cell_too_many_is_no_row_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text)
    assert not find_dialect(path).row_names
    with pytest.raises(ValueError, match=says("table.csv csv")):
        Outcomes.from_table(path)


def test_a_separator_within_quotes_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text('agent;task;score\na;"1, 2; 3, 4, 5";1\n')
    assert Outcomes.from_table(path).tasks.tolist() == ["1, 2; 3, 4, 5"]


def test_a_long_file_is_looked_at_only_at_its_start(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    pd.DataFrame({"a": range(50_000), "b": "x" * 20}).to_csv(path, index=False, sep=";")
    assert find_dialect(path).separator == ";"
    assert not find_dialect(path).row_names


@pytest.mark.parametrize(
    ("content", "tokens"),
    [
        (LONG.encode("utf-16"), "table.csv UTF-8"),
        (LONG.encode("utf-16-le"), "table.csv UTF-8"),
        ("agent,task,score\né,t,1\n".encode("latin-1"), "table.csv UTF-8"),
        (b'agent, task, score\na, "t, u", 1\n', "table.csv csv"),
        (b'agent, task, score\na, "t", 1\n', "'task' quotes space"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, content: bytes, tokens: str) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=says(tokens)):
        Outcomes.from_table(path)


@pytest.mark.parametrize("number", ["1.200", "1,200"])
def test_separators_of_thousands_are_refused(tmp_path: Path, number: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"agent;task;score\na;t;{number}\nb;t;900\n")
    with pytest.raises(ValueError, match=says(f"'score' thousands '{number}' '900'")):
        Outcomes.from_table(path, returns=True)
    path.write_text(f"agent;task;score\na;t;{number}\nb;t;{number}\nc;t;0{number[1]}125\n")
    assert Outcomes.from_table(path, returns=True).returns.max() == pytest.approx(1.2)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("# made by x\nagent,task,score\na,t,1\n", "1 line 1 3 line 2"),
        ("agent,task,score\n\na,t,1\nb,t\n", "3 line 1 2 line 4"),
        ("Results,,\nagent,task,score\na,t,1\n", "2 columns without first line header"),
        ("<html></html>", "header row"),
        ("agent,task,score\n" + "a,t,1\n" * 20_000 + "\xe9,t,1\n", "UTF-8"),
        ("task,m1,m2\nt1,1,0\nt2,0,1\n", "'task' transpose"),
        ("agent,q1,q2\na,yes,no\nb,no,no\n", "numbers true text q1 q2"),
        ("agent,task,score\na,t,1\nb,t,-\n", "'-' line 3 empty"),
    ],
)
def test_what_is_no_table_is_told_in_one_sentence(tmp_path: Path, text: str, tokens: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match=says(tokens)):
        Outcomes.from_table(path)

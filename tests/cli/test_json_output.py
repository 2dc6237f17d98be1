"""`--json`: the same columns as in the table, numbers as numbers, and what is missing is null."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest

from taskspace.cli.json_output import plain, rows
from taskspace.cli.parser import build_parser
from tests.cli.maps import command
from tests.test_docs import PARSERS

# `explore` serves a page, and `completion` prints a script.
WITHOUT = {"taskspace", "taskspace explore", "taskspace karel", "taskspace completion"}


def test_values_become_those_of_json() -> None:
    given = {"a": np.float32(0.5), "b": np.nan, "c": (np.int64(3), None, True), "d": Path("x")}
    assert plain(given) == {"a": 0.5, "b": None, "c": [3, None, True], "d": "x"}
    columns = {"task": np.array(["q1", "q2"]), "n": pyarrow.chunked_array([[1], [None]])}
    assert list(rows(columns)) == [{"task": "q1", "n": 1}, {"task": "q2", "n": None}]


@pytest.mark.parametrize("parser", [pytest.param(each, id=each.prog) for each in PARSERS])
def test_every_command_that_prints_a_result_has_it(parser: Any) -> None:
    assert ("--json" in parser.format_help()) == (parser.prog not in WITHOUT)


def test_json_and_a_file_exclude_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        build_parser().parse_args(["hardest", "run", "--json", "--out", "tasks.csv"])
    assert "--json" in capsys.readouterr().err


def compare(listed: list[dict[str, Any]], text: str) -> None:
    """A list of rows has the columns and values of a CSV file."""
    table = list(csv.DictReader(io.StringIO(text)))
    assert len(listed) == len(table) > 0
    for row, cells in zip(listed, table, strict=True):
        assert list(row) == list(cells)
        for name, value in row.items():
            if isinstance(value, float):
                assert float(cells[name]) == pytest.approx(value, rel=1e-6)
            else:
                assert cells[name] == ("" if value is None else str(value))


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "hardest {} -k 3",
        "similar {} q5 -k 3",
        "embed {} two.csv",
        "predict {} --quiz quiz.csv two.csv --interval 0.8",
        "select {} --reference one.csv two.csv",
        "agents {}",
        "redundant {} --candidates",
        "doctor {}",
        "score {} quiz.csv",
    ],
)
@pytest.mark.usefixtures("inputs")
def test_rows_are_those_of_the_table(fitted: Path, words: str) -> None:
    Path("quiz.csv").write_text("task,result\nq3,1\nq7,0\n")
    arguments = words.format(fitted).split()
    done, table = command(*arguments, "--json"), command(*arguments)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    if isinstance(found, list):
        compare(found, table.stdout)
        assert done.stderr == table.stderr
        return
    compare(found.pop("rows"), table.stdout)
    assert done.stderr == ""  # what was said there is in the object
    for said in (part for part in found.values() if isinstance(part, str)):
        assert said in table.stderr


@pytest.mark.slow
def test_a_finished_map_is_one_object(fitted: Path, table: Path) -> None:
    done = command("fit", table, "--out", fitted, "--dimensions", 2, "--json")
    found = json.loads(done.stdout)
    assert found["results"] == json.loads((fitted / "results.json").read_text())
    assert found["verdict"]["level"]
    assert found["next"][-1].split()[:2] == ["taskspace", "quiz"]
    assert Path(found["report"]).exists()


@pytest.mark.slow
def test_other_commands_print_one_value(fitted: Path, tmp_path: Path) -> None:
    assert json.loads(command("envs", "--json").stdout)[0]["name"] == "MultiKeyNav"
    written = json.loads(command("export", fitted, tmp_path / "map.csv", "--json").stdout)
    assert written == {"wrote": [str(tmp_path / "map.csv")]}
    quiz = json.loads(command("quiz", fitted, "--at-most", 0, "--json").stdout)
    assert quiz["answers"] == 0
    assert len(quiz["rows"]) == 40
    made = command("karel", "generate", tmp_path / "tasks", "--tasks", 20, "--json")
    assert sum(row["tasks"] for row in json.loads(made.stdout)["rows"]) >= 20
    task = command("karel", "show", tmp_path / "tasks" / "training.npz", "--json")
    assert len(json.loads(task.stdout)["examples"]) == 6
    (tmp_path / "program.txt").write_text("DEF run m( move m)")
    (tmp_path / "world.txt").write_text(".  >  .  .\n.  .  .  .\n")
    run = command("karel", "exec", tmp_path / "program.txt", tmp_path / "world.txt", "--json")
    assert json.loads(run.stdout)["actions"] == ["move"]

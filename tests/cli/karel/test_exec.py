"""A program of Karel, run on a world."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from taskspace.cli import main
from taskspace.envs.karel.data import grid_json, read_tasks
from taskspace.envs.karel.language import parse
from taskspace.envs.karel.worlds import from_text
from tests.cli.karel.commands import DRAWING, WALK, Output, complaint, process, told
from tests.messages import says

pytestmark = pytest.mark.slow


def test_exec_tells_a_run(files: Path, capsys: Output) -> None:
    expected = """world before:
  .  #  .  .
  .  >  2  .

actions (3):
  move move putMarker

status: done
ticks: 6

world after:
  .  #  .  .
  .  .  2  >1
"""
    assert told(capsys, "exec", "walk.txt", "world.txt") == expected
    grid = {**grid_json(from_text(DRAWING)), "crashed": False}  # as it stands in the data set
    Path("world.json").write_text(json.dumps(grid))
    assert told(capsys, "exec", "walk.txt", "world.json") == expected


@pytest.mark.parametrize(
    ("body", "status", "ticks"),
    [
        ("move move move", "crashed at action 3, move: ran into a wall or off the grid", 3),
        ("pickMarker", "crashed at action 1, pickMarker: picked where there is no marker", 1),
        (
            "REPEAT R=11 r( putMarker r)",
            "crashed at action 11, putMarker: put an eleventh marker",
            22,
        ),
        (
            "WHILE c( frontIsClear c) w( turnLeft turnRight w)",
            "out of ticks: stopped after 200",
            200,
        ),
        ("WHILE c( markersPresent c) w( move w)", "done", 1),
    ],
)
def test_exec_says_how_a_run_ends(
    files: Path, capsys: Output, body: str, status: str, ticks: int
) -> None:
    Path("program.txt").write_text(f"DEF run m( {body} m)")
    out = told(capsys, "exec", "program.txt", "world.txt")
    assert f"\nstatus: {status}\nticks: {ticks}\n" in out
    assert max(map(len, out.splitlines())) <= 100
    if status == "done":
        assert "actions (0):\n  none\n" in out


def test_exec_does_what_the_examples_of_a_task_show(
    folder: Path, files: Path, capsys: Output
) -> None:
    task = next(read_tasks(folder / "validation.jsonl.gz"))
    Path("program.txt").write_text(" ".join(task.tokens))
    Path("input.json").write_text(json.dumps(grid_json(task.inputs[5])))
    out = told(capsys, "exec", "program.txt", "input.json")
    assert from_text(out.partition("world after:\n")[2]).same_as(task.outputs[5])
    assert " ".join(task.actions[5]).split() == re.findall(
        r"\b(?:move|turn\w+|\w+Marker)\b", out.partition("status")[0]
    )


@pytest.mark.parametrize(
    ("program", "tokens"),
    [
        (
            "DEF run m(\n  jump\nm)",
            "program.txt line 2 column 3 token 4 'jump' REPEAT WHILE IF IFELSE",
        ),
        ("", "program.txt line 1 column 1 token 1 'DEF'"),
        ("DEF " * 1001, "program.txt 1000 1001"),
        (b"\xff\xfe", "program.txt text"),
    ],
)
def test_exec_says_what_is_wrong_with_a_program(
    files: Path, capsys: Output, program: str | bytes, tokens: str
) -> None:
    content = program if isinstance(program, bytes) else program.encode()
    Path("program.txt").write_bytes(content)
    assert re.search(says(tokens), complaint(capsys, "exec", "program.txt", "world.txt"))


@pytest.mark.parametrize(
    ("world", "tokens"),
    [
        ("", "bad 1 16 0 lines"),
        (". .\n.", "bad 1 16 2 lines"),
        (". .", "bad hero 0"),
        ("> x", "bad cell 'x'"),
        ('{"rows": 2', "bad JSON"),
        ('{"rows": 2}', "bad 'cols' 1 16"),
        ("[1]", "bad JSON object [1]"),
        ('{"a":' * 100_000, "bad"),
    ],
)
def test_exec_says_what_is_wrong_with_a_world(
    files: Path, capsys: Output, world: str, tokens: str
) -> None:
    Path("bad").write_text(world)
    assert re.search(says(tokens), complaint(capsys, "exec", "walk.txt", "bad"))


def test_exec_of_files_that_are_not_there(files: Path, capsys: Output) -> None:
    assert complaint(capsys, "exec", "absent", "world.txt") == "there is no file absent"
    assert complaint(capsys, "exec", "walk.txt", "absent") == "there is no file absent"
    assert complaint(capsys, "exec", ".", "world.txt") == "there is no file ."


def test_a_process_complains_in_one_sentence(files: Path) -> None:
    done = process("exec", "world.txt", "world.txt")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("taskspace: ")
    assert re.search(says("world.txt line 1 column 1 token 1 '.' 'DEF'"), done.stderr)
    assert done.stderr.count("\n") == 1


def test_the_help_of_exec_has_examples_that_run(files: Path, capsys: Output) -> None:
    with pytest.raises(SystemExit):
        main(["karel", "exec", "--help"])
    out = capsys.readouterr().out
    program = out.partition("example of program.txt:\n")[2].partition("\n\n")[0]
    drawing = out.partition("three markers.\n")[2].partition("\n\n")[0]
    grid = json.loads(out.splitlines()[-1])
    assert parse(program) == parse(WALK)
    assert grid == grid_json(from_text(drawing))

"""The command line for Karel, as a user meets it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from taskspace.cli import main
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.data import KarelTask, grid_json, read_tasks, write_tasks
from taskspace.envs.karel.language import kind, parse, pretty
from taskspace.envs.karel.quotas import PAPER_TASKS
from taskspace.envs.karel.worlds import Worlds, from_text, random_worlds
from tests.messages import says

Output = pytest.CaptureFixture[str]
TASKS = 40
WALK = "DEF run m(\n    WHILE c( frontIsClear c) w(\n        move\n    w)\n    putMarker\nm)\n"
DRAWING = ".  #  .  .\n.  >  2  .\n"


def told(output: Output, *arguments: object) -> str:
    """What a command that works prints."""
    assert main(["karel", *map(str, arguments)]) == 0
    out, err = output.readouterr()
    assert err == ""
    return out


def complaint(output: Output, *arguments: object) -> str:
    """The one sentence about a mistake."""
    assert main(["karel", *map(str, arguments)]) == 2
    out, err = output.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("taskspace: ")
    return err.removeprefix("taskspace: ").removesuffix("\n")


def process(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "taskspace.cli", "karel", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, encoding="utf-8")


def numbers(line: str) -> list[int]:
    return [int(word) for word in line.split() if word.isdecimal()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Generated tasks; what was printed is in `printed`."""
    made: Path = tmp_path_factory.mktemp("karel") / "tasks"
    done = process("generate", made, "--tasks", TASKS, "--seed", 3, "--side", 6, "--json-lines")
    assert (done.returncode, done.stderr) == (0, "")
    (made / "printed").write_text(done.stdout, "utf-8")
    return made


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a program and a world, in which we are."""
    (tmp_path / "walk.txt").write_text(WALK)
    (tmp_path / "world.txt").write_text(DRAWING)
    monkeypatch.chdir(tmp_path)
    return tmp_path


# -- generate and filter ---------------------------------------------------------------------------


def test_generate_writes_the_tasks_and_a_table_of_them(folder: Path) -> None:
    printed = (folder / "printed").read_text("utf-8")
    lines = printed.splitlines()
    (heading,) = [line for line in lines if line.split()[:2] == ["part", "type"]]
    assert heading.split()[2:] == ["10", "11", "12", "13", "14", "all"]
    sums = [numbers(line) for line in lines if line.split()[:1] == ["all"]]
    for part, counts in zip(("training", "validation"), sums, strict=True):
        tasks = KarelTasks.load(folder / f"{part}.npz")
        assert counts == [*(int((tasks.lengths == n).sum()) for n in range(10, 15)), len(tasks)]
        loops = [line for line in lines if "loops" in line][part == "validation"]
        assert numbers(loops)[-1] == (tasks.kinds == "loops").sum()
        assert tasks.sizes.max() <= 6
        assert len(list(read_tasks(folder / f"{part}.jsonl.gz"))) == len(tasks)
        for ending in ("npz", "jsonl.gz"):
            assert f"  {folder / part}.{ending}\n" in printed
    assert sum(counts[-1] for counts in sums) == TASKS


@pytest.mark.slow
def test_generate_is_one_with_its_seed_and_writes_json_lines_only_if_asked(
    folder: Path, tmp_path: Path, capsys: Output
) -> None:
    for seed in (3, 4):
        told(capsys, "generate", tmp_path / str(seed), "--tasks", 5, "--seed", seed, "--side", 6)
    assert sorted(p.name for p in (tmp_path / "3").iterdir()) == ["training.npz", "validation.npz"]
    few, others = (KarelTasks.load(tmp_path / name / "training.npz") for name in "34")
    many = {task.guid for task in KarelTasks.load(folder / "training.npz").records()}
    assert {task.guid for task in few.records()} <= many
    assert not {task.guid for task in others.records()} & many


def test_filter_keeps_what_fits_and_tells_what_is_missing(
    folder: Path, tmp_path: Path, capsys: Output
) -> None:
    source = folder / "training.jsonl.gz"
    out = told(capsys, "filter", source, tmp_path / "subset", "--tasks", TASKS)
    count = len(KarelTasks.load(folder / "training.npz"))
    assert len(KarelTasks.load(tmp_path / "subset" / "training.npz")) == count
    assert re.search(says(str(count)), out)
    missing = [line for line in out.splitlines() if re.match("  (training|validation), ", line)]
    assert any(re.search(says("validation loops 10 0 1"), line) for line in missing)
    assert not any("training," in line for line in missing)


def test_filter_says_nothing_of_a_shortage_where_there_is_none(
    folder: Path, tmp_path: Path, capsys: Output
) -> None:
    out = told(capsys, "filter", folder / "training.jsonl.gz", tmp_path / "subset", "--tasks", 3)
    assert not re.search(r"^  (training|validation), ", out, re.MULTILINE)
    assert "quota" in out


def test_mistakes_of_generate_and_filter(folder: Path, tmp_path: Path, capsys: Output) -> None:
    new = tmp_path / "new"
    taken = complaint(capsys, "generate", folder)
    assert re.search(says(str(folder / "training.jsonl.gz")), taken)
    assert re.search(says("4 16 17"), complaint(capsys, "generate", new, "--side", 17))
    assert re.search(says("tasks 0"), complaint(capsys, "generate", new, "--tasks", 0))
    absent = tmp_path / "absent.jsonl"
    assert re.search(says(str(absent)), complaint(capsys, "filter", absent, new))
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{}\n")
    assert re.search(says(f"{bad}:1 'program_tokens'"), complaint(capsys, "filter", bad, new))


# -- show ------------------------------------------------------------------------------------------


def drawings(out: str) -> list[tuple[Worlds, Worlds]]:
    """The pairs of worlds that the drawings show, read back."""
    pairs = []
    for example in re.split(r"\nexample .*\n", out)[1:]:
        rows = [line.replace("->", "").split() for line in example.splitlines() if line]
        half = len(rows[0]) // 2
        halves = ([row[:half] for row in rows], [row[half:] for row in rows])
        before, after = (from_text("\n".join(map(" ".join, part))) for part in halves)
        pairs.append((before, after))
    return pairs


@pytest.mark.parametrize("number", [0, 7])
def test_show_draws_program_and_examples_of_both_formats_alike(
    folder: Path, capsys: Output, number: int
) -> None:
    out = told(capsys, "show", folder / "training.npz", "--task", number)
    assert out == told(capsys, "show", folder / "training.jsonl.gz", "--task", number)
    task = list(read_tasks(folder / "training.jsonl.gz"))[number]
    program = parse(task.tokens)
    assert pretty(program) in out
    first = out.splitlines()[0]
    assert re.search(says(f"{number} {kind(program)} {len(task.tokens)}"), first)
    assert re.findall(r"^example \d of 6.*$", out, re.MULTILINE)[4:] == [
        "example 5 of 6", "example 6 of 6, held out",
    ]  # fmt: skip
    for example, (before, after) in enumerate(drawings(out)):
        assert before.same_as(task.inputs[example])
        assert (before.walls == task.inputs[example].walls).all()
        assert after.same_as(task.outputs[example])


def test_the_widest_worlds_fit_in_100_columns(tmp_path: Path, capsys: Output) -> None:
    worlds = random_worlds(6, seed=0, sides=(16, 16), walls=0, markers=1)
    worlds.markers[:] = 10
    tokens = ("DEF", "run", "m(", "turnLeft", "m)")
    crashed = (True, *(False,) * 5)
    task = KarelTask("wide", tokens, worlds, worlds, (("turnLeft",),) * 6, crashed)
    write_tasks([task], tmp_path / "wide.jsonl")
    out = told(capsys, "show", tmp_path / "wide.jsonl")
    assert max(map(len, out.splitlines())) == 100
    assert re.search(r"^example 1 of 6, crash", out, re.MULTILINE)
    for example, pair in enumerate(drawings(out)):
        assert all(world.same_as(worlds[example]) for world in pair)


@pytest.mark.slow
def test_show_draws_a_picture(folder: Path, tmp_path: Path, capsys: Output) -> None:
    from matplotlib.image import imread

    picture = tmp_path / "task.png"
    out = told(capsys, "show", folder / "validation.npz", "--picture", picture)
    assert out.endswith(f"m)\n\npicture: {picture}\n")
    pixels = imread(picture)
    assert pixels.shape[:2] == (1128, 1680)
    blue = np.abs(pixels[..., :3] - [0, 0x72 / 255, 0xB2 / 255]).max(-1) < 0.02  # the hero's
    rows = np.array_split(blue[:, 400:], 3)
    assert all(part.any() for row in rows for part in np.array_split(row, 4, axis=1))
    assert [place.name for place in tmp_path.iterdir()] == ["task.png"]


def test_mistakes_of_show(folder: Path, files: Path, capsys: Output) -> None:
    tasks = folder / "training.npz"
    count = len(KarelTasks.load(tasks))
    for name in (tasks, folder / "training.jsonl.gz"):
        tokens = f"{name} --task 0 {count - 1} {count}"
        assert re.search(says(tokens), complaint(capsys, "show", name, "--task", count))
    assert re.search(says("--task -1"), complaint(capsys, "show", tasks, "--task", "-1"))
    assert re.search(says("absent.npz"), complaint(capsys, "show", "absent.npz"))
    assert re.search(says("world.txt:1 JSON"), complaint(capsys, "show", "world.txt"))
    Path("empty.jsonl").touch()
    assert re.search(says("empty.jsonl empty"), complaint(capsys, "show", "empty.jsonl"))
    pdf = complaint(capsys, "show", tasks, "--picture", "a.pdf")
    assert re.search(says("OUT.png 'a.pdf'"), pdf)
    nowhere = complaint(capsys, "show", tasks, "--picture", "absent/a.png")
    assert re.search(says("absent/a.png absent"), nowhere)


# -- exec ------------------------------------------------------------------------------------------


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
        ("move move move", "crashed.* 3, move: .*wall.*", 3),
        ("pickMarker", "crashed.* 1, pickMarker: .*marker.*", 1),
        ("REPEAT R=11 r( putMarker r)", "crashed.* 11, putMarker: .*marker.*", 22),
        ("WHILE c( frontIsClear c) w( turnLeft turnRight w)", ".*ticks.* 200.*", 200),
        ("WHILE c( markersPresent c) w( move w)", "done", 1),
    ],
)
def test_exec_says_how_a_run_ends(
    files: Path, capsys: Output, body: str, status: str, ticks: int
) -> None:
    Path("program.txt").write_text(f"DEF run m( {body} m)")
    out = told(capsys, "exec", "program.txt", "world.txt")
    assert re.search(rf"\nstatus: {status}\nticks: {ticks}\n", out)
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
        ("DEF run m(\n  jump\nm)", "line 2 column 3 token 4 'jump' REPEAT WHILE IF IFELSE"),
        ("", "line 1 column 1 token 1 'DEF'"),
        ("DEF " * 1001, "tokens 1000 1001"),
        (b"\xff\xfe", "text"),
    ],
)
def test_exec_says_what_is_wrong_with_a_program(
    files: Path, capsys: Output, program: str | bytes, tokens: str
) -> None:
    content = program if isinstance(program, bytes) else program.encode()
    Path("program.txt").write_bytes(content)
    told = complaint(capsys, "exec", "program.txt", "world.txt")
    assert re.search(says(f"program.txt {tokens}"), told)


@pytest.mark.parametrize(
    ("world", "tokens"),
    [
        ("", "lines 1 16"),
        (". .\n.", "lines 1 16"),
        (". .", "hero 0"),
        ("> x", "'x' '#'"),
        ('{"rows": 2', "JSON"),
        ('{"rows": 2}', "'cols' 1 16"),
        ("[1]", "JSON object"),
        ('{"a":' * 100_000, ""),
    ],
)
def test_exec_says_what_is_wrong_with_a_world(
    files: Path, capsys: Output, world: str, tokens: str
) -> None:
    Path("bad").write_text(world)
    assert re.search(says(f"bad {tokens}"), complaint(capsys, "exec", "walk.txt", "bad"))


def test_exec_of_files_that_are_not_there(files: Path, capsys: Output) -> None:
    assert re.search(says("absent"), complaint(capsys, "exec", "absent", "world.txt"))
    assert re.search(says("absent"), complaint(capsys, "exec", "walk.txt", "absent"))
    assert complaint(capsys, "exec", ".", "world.txt").endswith(" .")


# -- help ------------------------------------------------------------------------------------------


def test_a_process_complains_in_one_sentence(files: Path) -> None:
    done = process("exec", "world.txt", "world.txt")
    assert (done.returncode, done.stdout) == (2, "")
    tokens = "world.txt line 1 column 1 token 1 '.' Karel 'DEF'"
    assert re.search(f"^taskspace: {says(tokens)}", done.stderr)
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("command", "taught"),
    [
        ([], ("generate", "filter", "show", "exec", "taskspace karel show tasks/training.npz")),
        (["generate"], ("--tasks", "--seed", "--side", "--json-lines", f"{PAPER_TASKS:,}")),
        (["filter"], ("SOURCE", "DIR", "--tasks", f"{PAPER_TASKS:,}")),
        (["show"], ("FILE", "--task", "--picture")),
        (["exec"], ("PROGRAM", "WORLD", "frontIsClear", ".  >  2  .", '"hero": "0:1:east"')),
    ],
)
def test_help_teaches(capsys: Output, command: list[str], taught: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["karel", *command, "--help"])
    out = capsys.readouterr().out
    assert all(part in out for part in taught)


def test_the_help_of_exec_has_examples_that_run(files: Path, capsys: Output) -> None:
    with pytest.raises(SystemExit):
        main(["karel", "exec", "--help"])
    out = capsys.readouterr().out
    program = out.partition("for example:\n")[2].partition("\n\n")[0]
    drawing = out.partition("three markers.\n")[2].partition("\n\n")[0]
    grid = json.loads(out.splitlines()[-1])
    assert parse(program) == parse(WALK)
    assert grid == grid_json(from_text(drawing))

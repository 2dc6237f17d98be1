"""Karel tasks on disk: the public format, compact arrays, the paper's subset."""

from __future__ import annotations

import copy
import gzip
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from taskspace.envs.karel.data import KarelTask, read_tasks, to_json, write_tasks
from taskspace.envs.karel.interpreter import run
from taskspace.envs.karel.language import encode
from taskspace.envs.karel.worlds import Worlds, from_text, random_worlds, stack, to_text
from tests.messages import says

PROGRAM = ["DEF", "run", "m(", "move", "putMarker", "turnLeft", "m)"]


def index(channel: int, row: int, column: int) -> int:
    return (channel * 18 + row) * 18 + column


def tensor(rows: int, cols: int, ones: list[tuple[int, int, int]]) -> str:
    """Written from the format's description: border, then the ones of cells (channel, r, c)."""
    places = {
        index(5, r, c)
        for r in range(rows + 2)
        for c in range(cols + 2)
        if r in (0, rows + 1) or c in (0, cols + 1)
    }
    places |= {index(channel, r + 1, c + 1) for channel, r, c in ones}
    return " ".join(f"{place}:1.0" for place in sorted(places))


def public_record() -> dict[str, Any]:
    """Two rows and three columns; a wall bottom right, two markers top left; hero bottom left."""
    before = {
        "rows": 2, "cols": 3, "hero": "0:0:east", "blocked": "0:2", "markers": "1:0:2 1:2:10",
        "crashed": False,
    }  # fmt: skip
    after = {**before, "hero": "0:1:north", "markers": "0:1:1 1:0:2 1:2:10"}
    fixed = [(4, 0, 2), (7, 1, 0), (15, 1, 2)]
    examples = [
        {
            "example_index": number,
            "actions": ["move", "putMarker", "turnLeft"],
            "inpgrid_json": before,
            "inpgrid_tensor": tensor(2, 3, [(1, 0, 0), *fixed]),
            "outgrid_json": after,
            "outgrid_tensor": tensor(2, 3, [(0, 0, 1), (6, 0, 1), *fixed]),
        }
        for number in range(6)
    ]
    return {
        "guid": "a1", "program_tokens": PROGRAM, "program_json": {"run": [{"type": "move"}]},
        "examples": examples,
    }  # fmt: skip


def lines(path: Path, *records: Any) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def same(one: Worlds, other: Worlds) -> bool:
    parts = ("sizes", "heroes", "walls", "markers")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in parts)


def make_tasks(program: str, count: int, seed: int = 0) -> list[KarelTask]:
    """Tasks of a program that never crashes, on random worlds."""
    inputs = random_worlds(6 * count, seed).reshape(count, 6)
    outputs = run(encode([program]), inputs).worlds
    return [
        KarelTask(f"{seed}-{n}", tuple(program.split()), inputs[n], outputs[n], ((),) * 6)
        for n in range(count)
    ]


# -- JSON lines ------------------------------------------------------------------------------------


def test_public_record_is_read(tmp_path: Path) -> None:
    (task,) = read_tasks(lines(tmp_path / "train.json", public_record()))
    assert task.tokens == tuple(PROGRAM)
    assert to_text(task.inputs[3]) == "2  .  10\n>  .  #"
    assert to_text(task.outputs[3]) == "2  .  10\n.  ^1 #"
    assert task.actions[5] == ("move", "putMarker", "turnLeft")
    assert run(encode([PROGRAM]), task.inputs).reach(task.outputs).all()


def test_public_record_is_written_as_it_was(tmp_path: Path) -> None:
    record = public_record()
    (task,) = read_tasks(lines(tmp_path / "train.json", record))
    assert json.loads(to_json(task)) == record


def test_order_spaces_and_short_ones_do_not_matter(tmp_path: Path) -> None:
    record = public_record()
    example = record["examples"][0]
    example["inpgrid_json"] = {**example["inpgrid_json"], "markers": "1:2:10  1:0:2 "}
    words = example["inpgrid_tensor"].split()
    example["inpgrid_tensor"] = " ".join(reversed(words)).replace(":1.0", ":1") + " "
    (task,) = read_tasks(lines(tmp_path / "train.json", record))
    assert to_text(task.inputs[0]) == "2  .  10\n>  .  #"


@pytest.mark.parametrize("name", ["tasks.jsonl", "tasks.jsonl.gz"])
def test_round_trip(tmp_path: Path, name: str) -> None:
    tasks = make_tasks("DEF run m( turnLeft turnLeft m)", 20)
    assert write_tasks(tasks, tmp_path / name) == 20
    again = list(read_tasks(tmp_path / name))
    assert len(again) == 20
    for one, other in zip(tasks, again, strict=True):
        assert same(one.inputs, other.inputs)
        assert same(one.outputs, other.outputs)
        assert (one.guid, one.tokens, one.actions) == (other.guid, other.tokens, other.actions)
    with pytest.raises((UnicodeDecodeError, gzip.BadGzipFile)):
        (gzip.open if name[-1] == "l" else open)(tmp_path / name, "rt").read()


def test_same_tasks_are_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        write_tasks(make_tasks("DEF run m( turnLeft m)", 3), tmp_path / name)
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = lines(tmp_path / "tasks.jsonl", "old")

    def broken() -> Any:
        yield from make_tasks("DEF run m( turnLeft m)", 2)
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        write_tasks(broken(), path)
    assert path.read_text() == '"old"\n'
    assert list(tmp_path.iterdir()) == [path]


def put(*path: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(record: dict[str, Any]) -> None:
        for step in path[:-1]:
            record = record[step]
        record[path[-1]] = value

    return change


def drop(*path: Any) -> Callable[[dict[str, Any]], None]:
    def change(record: dict[str, Any]) -> None:
        for step in path[:-1]:
            record = record[step]
        del record[path[-1]]

    return change


GRID = ("examples", 2, "inpgrid_json")
FAULTS = {
    "token": (put("program_tokens", 3, value="jump"), "program_tokens 4 'jump' REPEAT"),
    "unclosed": (put("program_tokens", value=PROGRAM[:-1]), "program_tokens 7 'm)'"),
    "tokens no list": (put("program_tokens", value="DEF"), 'program_tokens "DEF"'),
    "tokens numbers": (put("program_tokens", value=[1, 2]), "program_tokens [1, 2]"),
    "no tokens": (drop("program_tokens"), "program_tokens list"),
    "no guid": (drop("guid"), "guid"),
    "no tree": (drop("program_json"), "program_json"),
    "no examples": (drop("examples"), "examples 6"),
    "five examples": (drop("examples", 0), "examples 5 6"),
    "example text": (put("examples", 2, value="x"), 'example 2 "x"'),
    "example index": (put("examples", 2, "example_index", value=3), "example_index 3 2"),
    "index true": (put("examples", 1, "example_index", value=True), "example_index true 1"),
    "action": (put("examples", 2, "actions", 0, value="run"), '2 actions "run" move turnLeft'),
    "no actions": (drop("examples", 2, "actions"), "example 2 actions putMarker"),
    "no grid": (drop(*GRID), "example 2 inpgrid_json rows crashed"),
    "no rows": (drop(*GRID, "rows"), "inpgrid_json rows 1 16"),
    "rows text": (put(*GRID, "rows", value="2"), 'inpgrid_json rows "2" 1 16'),
    "too large": (put(*GRID, "cols", value=17), "inpgrid_json 17 16"),
    "direction": (put(*GRID, "hero", value="0:0:up"), "inpgrid_json hero 'up' north east south"),
    "hero": (put(*GRID, "hero", value="0:0"), 'inpgrid_json hero "0:0"'),
    "hero minus": (put(*GRID, "hero", value="-1:0:east"), 'inpgrid_json hero "-1:0:east"'),
    "hero outside": (put(*GRID, "hero", value="2:0:east"), "inpgrid_json 2:0"),
    "hero on wall": (put(*GRID, "hero", value="0:2:east"), "inpgrid_json hero wall"),
    "wall outside": (put(*GRID, "blocked", value="0:3"), "inpgrid_json 0:3"),
    "wall far outside": (put(*GRID, "blocked", value="99:0"), "inpgrid_json 99:0"),
    "walls": (put(*GRID, "blocked", value="0:1:2"), 'inpgrid_json blocked "0:1:2"'),
    "wall twice": (put(*GRID, "blocked", value="0:2 0:2"), "inpgrid_json blocked cell"),
    "marker on wall": (put(*GRID, "markers", value="0:2:1"), "inpgrid_json marker wall"),
    "eleven": (put(*GRID, "markers", value="1:0:11"), "inpgrid_json markers 11 1:0 10"),
    "none": (put(*GRID, "markers", value="1:0:0"), "inpgrid_json markers 0 1:0 10"),
    "crashed": (put(*GRID, "crashed", value=True), "inpgrid_json crashed true false"),
    "crashed text": (put(*GRID, "crashed", value="no"), 'inpgrid_json crashed "no" true false'),
    "no crashed": (drop(*GRID, "crashed"), "inpgrid_json crashed"),
    "no tensor": (drop("examples", 2, "outgrid_tensor"), "example 2 outgrid_tensor"),
    "tensor half": (put("examples", 2, "outgrid_tensor", value="3:0.5"), 'outgrid_tensor "3:0.5"'),
    "tensor index": (
        put("examples", 2, "outgrid_tensor", value="5184:1.0"),
        "outgrid_tensor 5184 5183",
    ),
    "tensor twice": (
        put("examples", 2, "outgrid_tensor", value="3:1.0 3:1.0"),
        "outgrid_tensor index",
    ),
    "disagree": (
        put(*GRID, "markers", value="1:0:3 1:2:10"),
        "example 2 inpgrid_json inpgrid_tensor 2305 7",
    ),
    "other walls": (
        lambda record: record["examples"][4].update(
            outgrid_json={**record["examples"][4]["outgrid_json"], "blocked": ""},
            outgrid_tensor=tensor(2, 3, [(0, 0, 1), (6, 0, 1), (7, 1, 0), (15, 1, 2)]),
        ),
        "example 4 outgrid_json inpgrid_json walls",
    ),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_bad_records_are_refused(tmp_path: Path, fault: str) -> None:
    change, tokens = FAULTS[fault]
    bad = copy.deepcopy(json.loads(json.dumps(public_record())))
    change(bad)
    path = lines(tmp_path / "train.json", public_record(), public_record(), bad)
    tasks = read_tasks(path)
    next(tasks), next(tasks)
    with pytest.raises(ValueError, match=says(f"train.json:3 {tokens}")):
        next(tasks)


@pytest.mark.parametrize("line", ["{", "", "[1]", "\udc80", "[" * 100_000])
def test_lines_that_are_no_records(tmp_path: Path, line: str) -> None:
    path = tmp_path / "train.json"
    path.write_bytes(line.encode("utf-8", "surrogateescape") + b"\n")
    with pytest.raises(ValueError, match=r"train\.json:1: "):
        next(read_tasks(path))


def test_cut_gzip_and_missing_file(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl.gz"
    write_tasks(make_tasks("DEF run m( turnLeft m)", 50), path)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(ValueError, match=r"tasks\.jsonl\.gz:\d+: .*ended"):
        list(read_tasks(path))
    path.write_bytes(b"no gzip at all")
    with pytest.raises(ValueError, match=r"tasks\.jsonl\.gz:1: Not a gzipped file"):
        list(read_tasks(path))
    with pytest.raises(FileNotFoundError, match=says("none.json")):
        read_tasks(tmp_path / "none.json")


def test_unwanted_grids_are_not_looked_at(tmp_path: Path) -> None:
    record = public_record()
    record["examples"] = "nonsense"
    assert list(read_tasks(lines(tmp_path / "a.json", record), lambda tokens: False)) == []


@pytest.mark.slow
@pytest.mark.parametrize(("count", "wanted"), [(300, True), (4000, False)])
def test_reading_takes_little_memory(tmp_path: Path, count: int, wanted: bool) -> None:
    path, text = tmp_path / "many.jsonl.gz", json.dumps(public_record()) + "\n"
    with gzip.open(path, "wt", compresslevel=1) as file:
        for _ in range(count):
            file.write(text)
    next(read_tasks(path))
    tracemalloc.start()
    read = sum(1 for _ in read_tasks(path, lambda tokens: wanted))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert read == count * wanted
    assert peak < 1e6 < count * len(text)


def test_text_of_one_cell() -> None:
    world = from_text(">10")
    task = KarelTask("x", tuple(PROGRAM), stack([world] * 6), stack([world] * 6), ((),) * 6)
    grid = json.loads(to_json(task))["examples"][0]["inpgrid_json"]
    assert grid == {
        "rows": 1, "cols": 1, "hero": "0:0:east", "blocked": "", "markers": "0:0:10",
        "crashed": False,
    }  # fmt: skip

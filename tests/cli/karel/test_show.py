"""A task of Karel, drawn."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.data import KarelTask, read_tasks, write_tasks
from taskspace.envs.karel.language import kind, parse, pretty
from taskspace.envs.karel.worlds import Worlds, from_text, random_worlds
from tests.cli.karel.commands import Output, complaint, told
from tests.messages import says

pytestmark = pytest.mark.slow


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
    assert first == f"task {number}: {kind(program)}, {len(task.tokens)} tokens"
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
    assert "example 1 of 6, crashes\n" in out
    for example, pair in enumerate(drawings(out)):
        assert all(world.same_as(worlds[example]) for world in pair)


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
        told_range = f"--task must be 0 to {count - 1}, got {count}; {name} has {count} tasks"
        assert complaint(capsys, "show", name, "--task", count) == told_range
    assert "--task must be at least 0, got -1" in complaint(capsys, "show", tasks, "--task", "-1")
    assert complaint(capsys, "show", "absent.npz") == "there is no file absent.npz"
    assert re.search(says("world.txt:1 JSON"), complaint(capsys, "show", "world.txt"))
    Path("empty.jsonl").touch()
    assert re.search(says("empty.jsonl task"), complaint(capsys, "show", "empty.jsonl"))
    assert "--picture must be a .png file, got 'a.pdf'" in complaint(
        capsys, "show", tasks, "--picture", "a.pdf"
    )
    assert "does not exist" in complaint(capsys, "show", tasks, "--picture", "absent/a.png")

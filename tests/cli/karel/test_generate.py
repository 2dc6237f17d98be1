"""Random tasks of Karel."""

from __future__ import annotations

import re
from pathlib import Path

from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.data import read_tasks
from tests.cli.karel.commands import TASKS, Output, complaint, told
from tests.messages import says


def numbers(line: str) -> list[int]:
    return [int(word) for word in line.split() if word.isdecimal()]


def test_generate_writes_the_tasks_and_a_table_of_them(folder: Path) -> None:
    printed = (folder / "printed").read_text("utf-8")
    lines = printed.splitlines()
    (heading,) = [line for line in lines if line.split()[:2] == ["split", "type"]]
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


def test_mistakes_of_generate(folder: Path, tmp_path: Path, capsys: Output) -> None:
    new = tmp_path / "new"
    taken = complaint(capsys, "generate", folder)
    assert re.search(says(f"{folder / 'training.jsonl.gz'} folder"), taken)
    assert re.search(says("side 4 16 17"), complaint(capsys, "generate", new, "--side", 17))
    assert "a positive integer, got 0" in complaint(capsys, "generate", new, "--tasks", 0)

"""Quotas, and the paper's subset of a data set."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.data import KarelTask, read_tasks, write_tasks
from taskspace.envs.karel.quotas import PAPER_QUOTAS, filter_dataset, part_of, quotas
from taskspace.envs.karel.worlds import stack
from tests.envs.karel.test_data import lines, make_tasks, public_record, same
from tests.messages import says


def test_paper_quotas() -> None:
    assert sum(PAPER_QUOTAS["training"].values()) == 58_737  # the paper says 59,007
    assert sum(PAPER_QUOTAS["validation"].values()) == 14_681
    assert len(PAPER_QUOTAS["training"]) == len(PAPER_QUOTAS["validation"]) == 12
    assert PAPER_QUOTAS["validation"]["conditionals", 14] == 3158


@pytest.mark.parametrize("count", [1, 7, 100, 9999, 73_418, 200_000])
def test_scaled_quotas(count: int) -> None:
    scaled = quotas(count)
    assert sum(sum(table.values()) for table in scaled.values()) == count
    for part, table in PAPER_QUOTAS.items():
        for cell, whole in table.items():
            assert abs(scaled[part][cell] - whole * count / 73_418) < 1
    with pytest.raises(ValueError, match=says("tasks 0")):
        quotas(0)


def dataset(tmp_path: Path) -> tuple[Path, list[KarelTask]]:
    """Tasks of programs in both parts, and of programs that are not of the subset."""
    turns = [f"DEF run m( {' '.join([turn] * 6)} m)" for turn in ("turnLeft", "turnRight")]
    puts = "DEF run m( IF c( noMarkersPresent c) i( putMarker i) {} {} m)"
    programs = [
        *turns,
        *(puts.format(*pair) for pair in (("turnLeft",) * 2, ("turnRight",) * 2)),
        "DEF run m( turnLeft m)",  # too short
        "DEF run m( turnLeft IF c( noMarkersPresent c) i( putMarker i) m)",  # 12 tokens
        "DEF run m( REPEAT R=2 r( IF c( markersPresent c) i( turnLeft i) r) m)",  # 14, but both
    ]
    tasks = [task for n, text in enumerate(programs) for task in make_tasks(text, 6, seed=n)]
    order = np.random.default_rng(0).permutation(len(tasks))
    tasks = [tasks[n] for n in order]
    tasks.insert(1, tasks[0])
    write_tasks(tasks, tmp_path / "all.jsonl.gz")
    return tmp_path / "all.jsonl.gz", tasks


def test_filter(tmp_path: Path) -> None:
    source, tasks = dataset(tmp_path)
    selection = filter_dataset(source, tmp_path / "subset", tasks=20)
    assert selection.seen == len(tasks)
    wanted = quotas(20)
    digests = set()
    for part in ("training", "validation"):
        found = list(read_tasks(tmp_path / "subset" / f"{part}.jsonl.gz"))
        for cell in wanted[part]:
            of_cell = [task for task in found if cell == (_kind(task), len(task.tokens))]
            there = {
                task.guid: task
                for task in tasks
                if cell == (_kind(task), len(task.tokens)) and part_of(task.tokens) == part
            }
            first = list(there)[: wanted[part][cell]]
            assert [task.guid for task in of_cell] == first
            assert selection.found[part][cell] == len(first)
        digests |= {task.guid for task in found}
        if found:
            packed = KarelTasks.load(tmp_path / "subset" / f"{part}.npz")
            assert same(packed.inputs, stack([task.inputs for task in found]))
    assert len(digests) == sum(sum(table.values()) for table in selection.found.values())
    assert not selection.full
    line = f"training, loops of 10 tokens: 0 of {wanted['training']['loops', 10]}"
    assert line in selection.shortage().splitlines()


def _kind(task: KarelTask) -> str:
    loops, ifs = "REPEAT" in task.tokens, "IF" in task.tokens
    return "both" if loops and ifs else "loops" if loops else "conditionals" if ifs else "plain"


def test_filter_keeps_trees_and_drops_crashes(tmp_path: Path) -> None:
    text = "DEF run m( turnLeft turnLeft turnLeft turnLeft turnLeft turnLeft m)"
    one, two = make_tasks(text, 2)
    tree = {"run": ["anything"]}
    part = part_of(one.tokens)
    kept = KarelTask("kept", one.tokens, one.inputs, one.outputs, one.actions, program_json=tree)
    lost = KarelTask("lost", two.tokens, two.inputs, two.outputs, two.actions, (True,) * 6)
    write_tasks([lost, kept, one], tmp_path / "all.jsonl")
    selection = filter_dataset(tmp_path / "all.jsonl", tmp_path / "subset")
    (found,) = read_tasks(tmp_path / "subset" / f"{part}.jsonl.gz")
    assert (found.guid, found.program_json) == ("kept", tree)
    assert selection.dropped == {"crashed": 1, "repeated": 1}


def test_filter_checks_before_work(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        filter_dataset(tmp_path / "none.json", tmp_path / "subset")
    assert not (tmp_path / "subset").exists()
    source = lines(tmp_path / "all.json", public_record(), "x")
    with pytest.raises(ValueError, match=r"all\.json:2"):
        filter_dataset(source, tmp_path / "subset")
    assert not (tmp_path / "subset").exists()
    with pytest.raises(ValueError, match=says("folder name")):
        filter_dataset(source, "")
    (tmp_path / "subset").mkdir()
    (tmp_path / "subset" / "training.npz").touch()
    with pytest.raises(FileExistsError, match=says("training.npz")):
        filter_dataset(source, tmp_path / "subset")


def test_part_is_a_property_of_the_program() -> None:
    rng = np.random.default_rng(0)
    names = ("move", "turnLeft", "turnRight", "pickMarker", "putMarker")
    programs = [["DEF", "run", "m(", *rng.choice(names, 7), "m)"] for _ in range(3000)]
    share = np.mean([part_of(program) == "validation" for program in programs])
    assert 0.17 < share < 0.23

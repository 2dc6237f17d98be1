"""Karel tasks in memory and in their file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.data import KarelTask, read_tasks, write_tasks
from taskspace.envs.karel.worlds import stack
from tests.envs.karel.test_data import make_tasks, same
from tests.messages import says


def test_compact_round_trip(tmp_path: Path) -> None:
    tasks = make_tasks("DEF run m( turnLeft m)", 1030)
    tasks += make_tasks("DEF run m( turnRight IF c( markersPresent c) i( pickMarker i) m)", 5)
    packed = KarelTasks.from_records(iter(tasks))
    assert packed.tokens.shape == (1035, 12)
    assert sum(part.nbytes for part in vars(packed).values()) < 2000 * len(packed)
    packed.save(tmp_path / "tasks.npz")
    loaded = KarelTasks.load(tmp_path / "tasks.npz")
    assert same(loaded.inputs, stack([task.inputs for task in tasks]))
    assert same(loaded.outputs, stack([task.outputs for task in tasks]))
    assert loaded.kinds[[0, -1]].tolist() == ["plain", "conditionals"]
    assert loaded.lengths[[0, -1]].tolist() == [5, 12]
    chosen = loaded[np.array([1034, 0])]
    assert same(chosen.outputs[0], tasks[1034].outputs)
    for one, other in zip(tasks[1028:], loaded[1028:].records(), strict=True):
        assert one.tokens == other.tokens
        assert same(one.outputs, other.outputs)
        assert other.actions[0][0] in ("turnLeft", "turnRight")


def test_compact_becomes_json_lines(tmp_path: Path) -> None:
    packed = KarelTasks.from_records(make_tasks("DEF run m( turnLeft turnLeft m)", 4))
    write_tasks(packed.records(), tmp_path / "tasks.jsonl")
    again = list(read_tasks(tmp_path / "tasks.jsonl"))
    assert {task.actions for task in again} == {(("turnLeft",) * 2,) * 6}
    assert len({task.guid for task in again}) == 4
    assert {task.program_json for task in again} == {None}


def test_tasks_that_crash_are_not_packed() -> None:
    (task,) = make_tasks("DEF run m( turnLeft m)", 1)
    crashed = KarelTask(
        "x", task.tokens, task.inputs, task.outputs, task.actions, (False,) * 5 + (True,)
    )
    with pytest.raises(ValueError, match=says("task x")):
        KarelTasks.from_records([crashed])
    with pytest.raises(ValueError, match=says("batch")):
        KarelTasks.from_records([])


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    packed = KarelTasks.from_records(make_tasks("DEF run m( turnLeft m)", 3))
    parts: dict[str, Any] = dict(vars(packed), format="taskspace karel tasks", version=1)
    path = tmp_path / "tasks.npz"

    def refused(words: str, **changed: Any) -> None:
        np.savez(path, **{**parts, **changed})
        with pytest.raises(ValueError, match=says(f"tasks.npz {words}")):
            KarelTasks.load(path)

    refused("version 2", version=2)
    refused("'other'", format="other")
    tokens = packed.tokens.copy()
    tokens[1, 3] = 51
    refused("program 1", tokens=tokens)
    refused("0 51", tokens=tokens + np.uint8(60))
    refused("sizes uint8 (3, 6, 2) (3, 5, 2)", sizes=packed.sizes[:, :5])
    refused("tokens uint8 ()", tokens=np.uint8(3))
    refused("tokens uint8 int64", tokens=packed.tokens.astype(np.int64))
    refused("inputs walls markers", markers=packed.markers | np.uint8(15))
    refused("inputs hero", heroes=packed.heroes | np.uint8(16))
    refused("Karel allow_pickle=False", tokens=np.array([object()]))
    path.write_bytes(b"PK nonsense")
    with pytest.raises(ValueError, match=says("tasks.npz Karel")):
        KarelTasks.load(path)
    with path.open("wb") as file:
        np.save(file, packed.tokens)
    with pytest.raises(ValueError, match=says("tasks.npz Karel")):
        KarelTasks.load(path)
    packed.save(path)
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(ValueError, match=says("tasks.npz Karel")):
        KarelTasks.load(path)
    with pytest.raises(FileNotFoundError):
        KarelTasks.load(tmp_path / "none.npz")

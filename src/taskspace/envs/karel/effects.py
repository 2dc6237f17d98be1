"""What the examples of Karel tasks show without their programs, as a few numbers per example.

Positions are relative to the hero at the start, as Karel's programs see the world. A plain program
has the same effect in all examples. So does one with REPEAT, but a larger one. A condition makes
effects differ, and a WHILE ends where its condition no longer holds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.data import SPECIFICATION
from taskspace.envs.karel.worlds import COLUMN_STEP, ROW_STEP, SIDE, Worlds, inside

NAMES = (
    "ahead", "aside", "distance", "turn 0", "turn 1", "turn 2", "turn 3",
    "put", "picked", "changed cells", "largest change", "change ahead", "change aside",
    "change at start", "change at end",
    "front clear at start", "left clear at start", "right clear at start", "marker at start",
    "front clear at end", "left clear at end", "right clear at end", "marker at end",
)  # fmt: skip
_VIEWS = (0, 3, 1)  # quarter turns to the right: front, left, right


def effects(tasks: KarelTasks) -> NDArray[np.float32]:
    """The effects in the first five examples: (tasks, 5, names).

    >>> from taskspace.envs.karel.generate import generate_tasks
    >>> effects(generate_tasks(100, side=6)[0]["validation"]).shape
    (18, 5, 23)
    """
    before = tasks.inputs[:, :SPECIFICATION]
    after = tasks.outputs[:, :SPECIFICATION]
    numbers = (*_moves(before, after), *_changes(before, after), *_seen(before), *_seen(after))
    return np.stack(numbers, -1).astype(np.float32)


def _steps(worlds: Worlds, quarters: int = 0) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The steps (rows, columns) in the hero's direction after quarter turns to the right."""
    direction = (worlds.heroes[..., 2].astype(np.int64) + quarters) % 4
    return np.array(ROW_STEP)[direction], np.array(COLUMN_STEP)[direction]


def _moves(before: Worlds, after: Worlds) -> tuple[NDArray[np.int64], ...]:
    """How far the hero moved ahead and to the right, the distance, and the turn."""
    by = after.heroes.astype(np.int64) - before.heroes
    up, right = _steps(before), _steps(before, 1)
    ahead = by[..., 0] * up[0] + by[..., 1] * up[1]
    aside = by[..., 0] * right[0] + by[..., 1] * right[1]
    turns = (1 * (by[..., 2] % 4 == turn) for turn in range(4))
    return ahead, aside, abs(ahead) + abs(aside), *turns


def _changes(before: Worlds, after: Worlds) -> tuple[NDArray[np.int64], ...]:
    """How many markers were put and picked, and where."""
    change = after.markers.astype(np.int64) - before.markers
    grid, axes = np.arange(SIDE), (-2, -1)
    rows = grid[:, None] - before.heroes[..., 0, None, None].astype(np.int64)
    columns = grid - before.heroes[..., 1, None, None].astype(np.int64)
    sums = (change * rows).sum(axes), (change * columns).sum(axes)
    up, right = _steps(before), _steps(before, 1)
    return (
        change.clip(0).sum(axes), (-change).clip(0).sum(axes), (change != 0).sum(axes),
        abs(change).max(axes),
        sums[0] * up[0] + sums[1] * up[1], sums[0] * right[0] + sums[1] * right[1],
        _at(change, before), _at(change, after),
    )  # fmt: skip


def _seen(worlds: Worlds) -> tuple[NDArray[np.int64], ...]:
    """What Karel's conditions say: clear in front, left and right, and a marker here."""
    clear = np.pad(1 * (inside(worlds.sizes) & ~worlds.walls), [(0, 0), (0, 0), (1, 1), (1, 1)])
    views = []
    for quarters in _VIEWS:
        row, column = _steps(worlds, quarters)
        views.append(_at(clear, worlds, row + 1, column + 1))  # 1 for the padding
    return (*views, 1 * (_at(worlds.markers, worlds) > 0))


def _at(
    grids: NDArray[np.integer],
    worlds: Worlds,
    up: NDArray[np.int64] | int = 0,
    right: NDArray[np.int64] | int = 0,
) -> NDArray[np.int64]:
    """The values of grids (tasks, examples, rows, columns) beside the heroes."""
    task, example = np.indices(worlds.shape)
    row, column = (worlds.heroes[..., axis].astype(np.int64) for axis in (0, 1))
    return grids[task, example, row + up, column + right].astype(np.int64)

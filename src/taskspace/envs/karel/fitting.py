"""Random worlds that fit a program, so that it does not crash in them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace.envs.karel.interpreter import run
from taskspace.envs.karel.machine import HIT_WALL, NO_MARKER
from taskspace.envs.karel.worlds import COLUMN_STEP, ROW_STEP, SIDE, Worlds, inside

TRIES = 24  # worlds per program
MOST_IN_CELL = 9  # markers, as in the public data set
_REPAIRS = 8
# Proportions of walls and of cells with markers, which worlds have in turn.
_RECIPES = ((0.1, 0.1), (0.25, 0.1), (0.1, 0.5))
_WALL = MOST_IN_CELL + 1


def fitting_worlds(programs: NDArray[np.uint8], side: int, rng: np.random.Generator) -> Worlds:
    """24 random worlds per program, (n, 24), repaired where it crashes.

    A repair removes a wall, adds markers, or moves the hero back. That does not always succeed.
    """
    worlds = _draw_worlds(len(programs), side, rng)
    _repair(programs, worlds, rng)
    return worlds


def _draw_worlds(count: int, side: int, rng: np.random.Generator) -> Worlds:
    """Random worlds (count, tries), from one random byte per cell."""
    sizes = rng.integers(2, side + 1, (count, TRIES, 2), np.uint8)
    positions = (rng.random((count, TRIES, 2)) * sizes).astype(np.uint8)
    heroes = np.concatenate([positions, rng.integers(0, 4, (count, TRIES, 1), np.uint8)], 2)
    cells = rng.integers(0, 256, (count, TRIES, SIDE, SIDE), np.uint8)
    for number, (walls, markers) in enumerate(_RECIPES):
        cells[:, number :: len(_RECIPES)] = _meanings(walls, markers)[
            cells[:, number :: len(_RECIPES)]
        ]
    cells *= inside(sizes)
    blocked = cells == _WALL
    cells[blocked] = 0
    worlds = Worlds(sizes, heroes, blocked, cells)
    _clear(worlds.reshape(-1), np.arange(count * TRIES), heroes.reshape(-1, 3))
    return worlds


def _meanings(walls: float, markers: float) -> NDArray[np.uint8]:
    """The meaning of each byte: a wall, 1 to 9 markers, or nothing."""
    meaning = np.zeros(256, np.uint8)
    first, last = round(256 * walls), round(256 * (walls + markers))
    meaning[:first] = _WALL
    meaning[first:last] = 1 + np.arange(last - first) % MOST_IN_CELL
    return meaning


def _clear(worlds: Worlds, numbers: NDArray[np.int64], cells: NDArray[Any]) -> None:
    """Remove the wall in this cell of these worlds."""
    worlds.walls[numbers, cells[:, 0], cells[:, 1]] = False


def _repair(programs: NDArray[np.uint8], worlds: Worlds, rng: np.random.Generator) -> None:
    """Change worlds (n, tries) in place where programs (n, length) crash, while that helps."""
    flat = worlds.reshape(-1)
    rows = np.repeat(programs, TRIES, 0)
    left = np.arange(len(rows))
    for _ in range(_REPAIRS):
        runs = run(rows[left], flat[left])
        gives = rng.integers(1, 4, len(left), np.uint8)  # markers or steps per repair
        ends = runs.heroes.astype(np.int64)
        steps = np.stack([np.array(ROW_STEP)[ends[:, 2]], np.array(COLUMN_STEP)[ends[:, 2]]], 1)
        ahead = ends[:, :2] + steps
        on_grid = ((ahead >= 0) & (ahead < flat.sizes[left])).all(1)
        hit = runs.status == HIT_WALL
        walled, outside, bare = hit & on_grid, hit & ~on_grid, runs.status == NO_MARKER
        _clear(flat, left[walled], ahead[walled])
        _put_back(flat, left[outside], steps[outside] * gives[outside, None])
        here = left[bare], ends[bare, 0], ends[bare, 1]
        flat.markers[here] = np.minimum(flat.markers[here] + gives[bare], MOST_IN_CELL)
        left = left[hit | bare]


def _put_back(worlds: Worlds, numbers: NDArray[np.int64], by: NDArray[np.int64]) -> None:
    """Move the hero back, but not off the grid."""
    start = worlds.heroes[numbers, :2] - by
    start = np.clip(start, 0, worlds.sizes[numbers].astype(np.int64) - 1)
    worlds.heroes[numbers, :2] = start
    _clear(worlds, numbers, start)

"""Grids of zeros and ones from packed Karel worlds, as inputs of networks, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from taskspace import checks
from taskspace.envs.compiling import build
from taskspace.envs.karel.compact import KarelTasks
from taskspace.envs.karel.data import EXAMPLES, SPECIFICATION
from taskspace.envs.karel.worlds import BORDER, CHANNELS, MARKERS, MOST_MARKERS, SIDE, WALLS


@njit
def _turned(row, column, quarters):
    """The position of a cell after quarter turns of the world around its corner, north to east."""
    if quarters == 0:
        return row, column
    if quarters == 1:
        return -column, row
    if quarters == 2:
        return -row, -column
    return column, -row


def _fill_factory(turned: Any) -> Any:
    def fill(sizes, heroes, walls, markers, examples, radius, grids):
        """Fill in grids (tasks, examples, 2, channels, edge, edge), which must be zeros."""
        edge = grids.shape[-1]
        for task in range(len(grids)):
            for place in range(examples.shape[1]):
                example = examples[task, place]
                rows, columns = sizes[task, example]
                # The position of the world's corner, and the number of quarter turns.
                low, left, quarters = 1, 1, 0
                if radius:
                    hero = heroes[task, example, 0]
                    quarters = (4 - hero[2]) % 4
                    up, right = turned(hero[0], hero[1], quarters)
                    low, left = radius - up, radius - right
                for end in range(2):
                    grid, hero = grids[task, place, end], heroes[task, example, end]
                    for row in range(-1, rows + 1):
                        for column in range(-1, columns + 1):
                            up, right = turned(row, column, quarters)
                            r, c = low + up, left + right
                            if r < 0 or c < 0 or r >= edge or c >= edge:
                                continue
                            if row < 0 or column < 0 or row == rows or column == columns:
                                grid[BORDER, r, c] = 1
                                continue
                            cell = row * SIDE + column
                            if walls[task, example, cell >> 3] >> (7 - (cell & 7)) & 1:
                                grid[WALLS, r, c] = 1
                            count = markers[task, example, end, cell >> 1] >> 4 * (cell & 1) & 15
                            if 0 < count <= MOST_MARKERS:
                                grid[MARKERS + count - 1, r, c] = 1
                            if row == hero[0] and column == hero[1]:
                                grid[(hero[2] + quarters) % 4, r, c] = 1

    return fill


def to_grids(
    tasks: KarelTasks,
    side: int = SIDE,
    examples: NDArray[np.int64] | None = None,
    *,
    radius: int = 0,
) -> NDArray[np.float32]:
    """The inputs and outputs of some examples: (tasks, examples, 2, 16, edge, edge).

    `examples` (tasks, k) are the numbers of the examples, by default the first five. The edge of
    grids is `side` + 2, where no world may be larger than `side`.

    With a `radius`, grids show the part of a world of any side within this distance of the hero at
    the start, who is in the middle and faces north: their edge is 2 `radius` + 1. Karel's programs
    refer to left and right, never to north, so nothing is lost within the radius, and networks have
    far less to learn.

    >>> from taskspace.envs.karel.generate import generate_tasks
    >>> tasks = generate_tasks(100, side=6)[0]["validation"]
    >>> to_grids(tasks, side=6).shape, to_grids(tasks, side=6, radius=5).shape
    ((18, 5, 2, 16, 8, 8), (18, 5, 2, 16, 11, 11))
    """
    checks.whole(side, "side", 1)
    checks.whole(radius, "radius")
    largest = int(tasks.sizes.max(initial=0))
    if largest > (SIDE if radius else min(side, SIDE)):
        raise ValueError(f"the side of worlds must be at most {side}, got {largest}")
    if examples is None:
        examples = np.tile(np.arange(SPECIFICATION), (len(tasks), 1))
    elif len(examples) != len(tasks) or not np.isin(examples, range(EXAMPLES)).all():
        raise ValueError(
            f"examples must be integers in 0 to {EXAMPLES - 1}, one row for each of {len(tasks)}"
            f" tasks, got {len(examples)} rows"
        )
    edge = 2 * radius + 1 if radius else side + 2
    grids = np.zeros((len(tasks), examples.shape[1], 2, CHANNELS, edge, edge), np.float32)
    build(_fill_factory, _turned)(
        tasks.sizes.astype(np.int64), tasks.heroes.astype(np.int64), tasks.walls, tasks.markers,
        np.ascontiguousarray(examples), radius, grids,
    )  # fmt: skip
    return grids

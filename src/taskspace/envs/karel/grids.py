"""What the networks see of Karel tasks: packed worlds to grids of zeros and ones, compiled."""

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
    """Where a cell goes when the world turns around its corner; north goes to east."""
    if quarters == 0:
        return row, column
    if quarters == 1:
        return -column, row
    if quarters == 2:
        return -row, -column
    return column, -row


def _fill_factory(turned: Any) -> Any:
    def fill(sizes, heroes, walls, markers, examples, radius, grids):
        """Grids (tasks, examples, 2, channels, edge, edge), which are zeros before."""
        edge = grids.shape[-1]
        for task in range(len(grids)):
            for place in range(examples.shape[1]):
                example = examples[task, place]
                rows, columns = sizes[task, example]
                # Where the world's corner is, and by how many quarters it is turned.
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
    """Input and output of some examples: (tasks, examples, 2, 16, edge, edge).

    `examples` (tasks, k) are the numbers of the examples, the first five by default. The grids are
    cut for worlds of this `side`, and no world may be larger: their edge is `side` + 2.

    With a `radius` they show instead, of worlds of any side, what lies so far around the hero at
    the start, who looks north in the middle: their edge is 2 `radius` + 1. Karel's programs speak
    of left and right, never of north, so nothing is lost within the radius, and far less has to be
    learned.

    >>> from taskspace.envs.karel.generate import generate_tasks
    >>> tasks = generate_tasks(100, side=6)[0]["validation"]
    >>> to_grids(tasks, side=6).shape, to_grids(tasks, side=6, radius=5).shape
    ((18, 5, 2, 16, 8, 8), (18, 5, 2, 16, 11, 11))
    """
    checks.whole(side, "side", 1)
    checks.whole(radius, "radius")
    largest = int(tasks.sizes.max(initial=0))
    if largest > (SIDE if radius else min(side, SIDE)):
        raise ValueError(f"there is a world of side {largest}; expected at most {side}")
    if examples is None:
        examples = np.tile(np.arange(SPECIFICATION), (len(tasks), 1))
    elif len(examples) != len(tasks) or not np.isin(examples, range(EXAMPLES)).all():
        raise ValueError(f"examples are numbers below {EXAMPLES}, a row for each of the tasks")
    edge = 2 * radius + 1 if radius else side + 2
    grids = np.zeros((len(tasks), examples.shape[1], 2, CHANNELS, edge, edge), np.float32)
    build(_fill_factory, _turned)(
        tasks.sizes.astype(np.int64), tasks.heroes.astype(np.int64), tasks.walls, tasks.markers,
        np.ascontiguousarray(examples), radius, grids,
    )  # fmt: skip
    return grids

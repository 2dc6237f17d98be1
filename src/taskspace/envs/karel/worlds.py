"""Batches of Karel worlds: compact arrays, tensors for networks, text, and random worlds.

Row 0 is the bottom row and north is up. Directions are north, east, south, west.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taskspace import checks

SIDE, MOST_MARKERS = 16, 10
NORTH, EAST, SOUTH, WEST = range(4)
ROW_STEP, COLUMN_STEP = (1, 0, -1, 0), (0, 1, 0, -1)
# Channels of the tensor: hero by direction, walls, border, then cells with 1 to 10 markers.
WALLS, BORDER, MARKERS, CHANNELS = 4, 5, 6, 16
MOST_WORLDS = 1_000_000  # at a time
TENSOR_SHAPE = (CHANNELS, SIDE + 2, SIDE + 2)
HEROES, WALL, FLOOR = "^>v<", "#", "."


@dataclass(frozen=True, eq=False)
class Worlds:
    """An array of worlds of any shape, e.g. () for one world or (n, 6) for six worlds per task.

    Worlds can be indexed (which copies) and reshaped like an array. Cells outside a world are
    empty.
    """

    sizes: NDArray[np.uint8]  # (..., 2): rows, columns, each 1 to 16
    heroes: NDArray[np.uint8]  # (..., 3): row, column, direction
    walls: NDArray[np.bool_]  # (..., 16, 16)
    markers: NDArray[np.uint8]  # (..., 16, 16): how many

    def __post_init__(self) -> None:
        inner = {"sizes": (2,), "heroes": (3,), "walls": (SIDE, SIDE), "markers": (SIDE, SIDE)}
        kinds = {"sizes": np.uint8, "heroes": np.uint8, "walls": np.bool_, "markers": np.uint8}
        batch = np.shape(self.sizes)[:-1]
        for name, shape in inner.items():
            found: Any = getattr(self, name)
            fits = isinstance(found, np.ndarray) and found.dtype == kinds[name]
            if not fits or found.shape != batch + shape:
                raise ValueError(
                    f"{name} of worlds must be an array of {np.dtype(kinds[name])} and of shape"
                    f" {batch + shape}, got {getattr(found, 'dtype', type(found).__name__)} and"
                    f" {np.shape(found)}"
                )

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array of worlds."""
        return self.sizes.shape[:-1]

    def __len__(self) -> int:
        return len(self.sizes) if self.shape else 0

    def __getitem__(self, index: Any) -> Worlds:
        flat = self.reshape(-1)
        numbers = np.arange(len(flat)).reshape(self.shape)[index]
        return Worlds(
            flat.sizes[numbers], flat.heroes[numbers], flat.walls[numbers], flat.markers[numbers]
        )

    def reshape(self, *shape: int) -> Worlds:
        """The same worlds in another shape."""
        whole = np.empty(self.shape, np.void).reshape(shape).shape  # resolves a -1
        grid = (*whole, SIDE, SIDE)
        return Worlds(
            self.sizes.reshape(*whole, 2),
            self.heroes.reshape(*whole, 3),
            self.walls.reshape(grid),
            self.markers.reshape(grid),
        )

    def same_as(self, other: Worlds) -> NDArray[np.bool_]:
        """Where the heroes and all markers are the same; walls and sizes are not compared.

        >>> world = from_text("> 2")
        >>> bool(world.same_as(world)), bool(world.same_as(from_text("> 1")))
        (True, False)
        """
        heroes = np.equal(self.heroes, other.heroes).all(-1)
        markers = np.equal(self.markers, other.markers).all((-2, -1))
        return np.asarray(heroes & markers)


def stack(worlds: list[Worlds]) -> Worlds:
    """Stack worlds of the same shape along a new first axis.

    >>> stack([from_text("> ."), from_text("< #")]).shape
    (2,)
    """
    if not worlds:
        raise ValueError("there must be at least one world to stack, got none")
    names = ("sizes", "heroes", "walls", "markers")
    return Worlds(*(np.stack([getattr(world, name) for world in worlds]) for name in names))


def check(worlds: Worlds) -> Worlds:
    """Check that worlds are valid; returns them."""
    rows, columns = (worlds.sizes[..., axis] for axis in (0, 1))
    outside = ~inside(worlds.sizes)
    row, column, direction = (worlds.heroes[..., part] for part in range(3))
    faults = (
        ((worlds.sizes < 1) | (worlds.sizes > SIDE)).any(-1),
        (row >= rows) | (column >= columns) | (direction > WEST),
        (worlds.walls & outside).any((-2, -1)) | (worlds.markers * outside).any((-2, -1)),
        (worlds.markers > MOST_MARKERS).any((-2, -1)),
        (worlds.walls & (worlds.markers > 0)).any((-2, -1)),
    )
    messages = (
        f"the numbers of rows and columns must be 1 to {SIDE}",
        "the hero must be inside the grid, in direction 0 to 3",
        "walls and markers must be inside the grid",
        f"a cell must have at most {MOST_MARKERS} markers",
        "a marker must not be on a wall",
    )
    for fault, what in zip(faults, messages, strict=True):
        _refuse(fault, what)
    flat = worlds.walls.reshape(*worlds.shape, SIDE * SIDE)
    cell = (row.astype(np.int64) * SIDE + column)[..., None]
    _refuse(np.take_along_axis(flat, cell, -1)[..., 0], "the hero must not be on a wall")
    return worlds


def _refuse(fault: NDArray[np.bool_] | np.bool_, what: str) -> None:
    if fault.any():
        where = np.argwhere(fault)[0].tolist()
        number = " " + ", ".join(map(str, where)) if where else ""
        raise ValueError(f"world{number}: {what}")


def inside(sizes: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """The cells of worlds of these sizes: (..., 16, 16)."""
    axis = np.arange(SIDE)
    rows = axis[:, None] < sizes[..., 0, None, None]
    return np.asarray(rows & (axis < sizes[..., 1, None, None]))


# -- tensors ---------------------------------------------------------------------------------------


def to_tensor(worlds: Worlds) -> NDArray[np.float32]:
    """The input of networks: zeros and ones (..., 16, 18, 18).

    >>> to_tensor(from_text("> 2"))[7].nonzero()
    (array([1]), array([2]))
    """
    flat = worlds.reshape(-1)
    tensor = np.zeros((len(flat), *TENSOR_SHAPE), np.float32)
    every = np.arange(len(flat))
    row, column, direction = flat.heroes.T.astype(np.int64)
    tensor[every, direction, row + 1, column + 1] = 1
    tensor[:, WALLS, 1:-1, 1:-1] = flat.walls
    tensor[:, BORDER] = _border(flat.sizes)
    which, rows, columns = flat.markers.nonzero()
    counts = flat.markers[which, rows, columns].astype(np.int64)
    tensor[which, MARKERS + counts - 1, rows + 1, columns + 1] = 1
    return tensor.reshape(worlds.shape + TENSOR_SHAPE)


def _border(sizes: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """The border around each world: (..., 18, 18)."""
    axis = np.arange(SIDE + 2)
    last = sizes.astype(np.int64) + 1
    row, column = axis[:, None], axis
    last_row, last_column = last[:, 0, None, None], last[:, 1, None, None]
    edge = (row == 0) | (row == last_row) | (column == 0) | (column == last_column)
    return np.asarray(edge & (row <= last_row) & (column <= last_column))


# -- text ------------------------------------------------------------------------------------------


def to_text(world: Worlds) -> str:
    """Draw one world as text, with the top row first.

    `#` is a wall, `.` an empty cell, a number that of markers, `^ > v <` the hero, and `>3` the
    hero on three markers.

    >>> print(to_text(from_text("# 10 . v2")))
    #  10 .  v2
    """
    if world.shape:
        raise ValueError(f"world must be one world, got worlds of shape {world.shape}")
    rows, columns = world.sizes.tolist()
    hero = tuple(world.heroes[:2].tolist())
    lines = []
    for row in reversed(range(rows)):
        cells = [_cell(world, row, column, (row, column) == hero) for column in range(columns)]
        lines.append(cells)
    width = max(len(cell) for line in lines for cell in line)
    return "\n".join(" ".join(f"{cell:{width}}" for cell in line).rstrip() for line in lines)


def _cell(world: Worlds, row: int, column: int, hero: bool) -> str:
    count = str(world.markers[row, column] or "")
    if hero:
        return HEROES[world.heroes[2]] + count
    return WALL if world.walls[row, column] else count or FLOOR


def from_text(text: str) -> Worlds:
    """The world from a text like that of `to_text`.

    >>> from_text('''
    ... #  .
    ... ^2 .
    ... ''').sizes
    array([2, 2], dtype=uint8)
    """
    lines = [line.split() for line in text.splitlines() if line.strip()]
    widths = {len(line) for line in lines}
    if len(widths) != 1 or len(lines) > SIDE or max(widths) > SIDE:
        raise ValueError(
            f"a world must be 1 to {SIDE} lines with the same number of cells, 1 to {SIDE}, got"
            f" {len(lines)} lines with {', '.join(map(str, sorted(widths))) or 'no'} cells"
        )
    walls = np.zeros((SIDE, SIDE), np.bool_)
    markers = np.zeros((SIDE, SIDE), np.uint8)
    heroes = []
    for row, line in enumerate(reversed(lines)):
        for column, cell in enumerate(line):
            count = cell[1:] if cell[0] in HEROES else cell
            if cell[0] in HEROES:
                heroes.append((row, column, HEROES.index(cell[0])))
            walls[row, column] = cell == WALL
            if count not in ("", WALL, FLOOR) or (cell[0] in HEROES and count in (WALL, FLOOR)):
                markers[row, column] = _count(count, cell)
    if len(heroes) != 1:
        raise ValueError(f"a world must have one hero (^, >, v or <), got {len(heroes)}")
    sizes = np.array([len(lines), len(lines[0])], np.uint8)
    return Worlds(sizes, np.array(heroes[0], np.uint8), walls, markers)


def _count(letters: str, cell: str) -> int:
    if not (letters.isdecimal() and letters.isascii() and 1 <= int(letters) <= MOST_MARKERS):
        raise ValueError(
            f"a cell must be '#', '.', 1 to {MOST_MARKERS} markers, or a hero (^, >, v or <) with"
            f" or without markers, got {cell!r}"
        )
    return int(letters)


# -- random worlds ---------------------------------------------------------------------------------


def random_worlds(
    count: int,
    seed: int,
    sides: tuple[int, int] = (2, SIDE),
    walls: float = 0.1,
    markers: float = 0.15,
) -> Worlds:
    """Random worlds with sides in the range `sides`, and proportions of walls and of marked cells.

    Sides are uniform, and so are the 1 to 10 markers of a marked cell and the hero's cell, which
    has no wall.

    >>> random_worlds(3, seed=0, sides=(4, 8)).shape
    (3,)
    """
    count = checks.whole(count, "the number of worlds", most=MOST_WORLDS)
    least, most = sides
    if not 1 <= least <= most <= SIDE:
        raise ValueError(
            f"sides must be two integers in 1 to {SIDE}, the smaller first, got {sides}"
        )
    if not (0 <= walls <= 1 and 0 <= markers <= 1):
        raise ValueError(f"walls and markers must be in 0 to 1, got {walls} and {markers}")
    rng = np.random.default_rng(checks.seed(seed))
    sizes = rng.integers(least, most + 1, (count, 2), np.uint8)
    positions = (rng.random((count, 2)) * sizes).astype(np.uint8)
    heroes = np.column_stack([positions, rng.integers(0, 4, count, np.uint8)])
    cells = inside(sizes)
    blocked = cells & (rng.random(cells.shape, np.float32) < walls)
    blocked[np.arange(count), heroes[:, 0], heroes[:, 1]] = False
    marked = cells & ~blocked & (rng.random(cells.shape, np.float32) < markers)
    counts = rng.integers(1, MOST_MARKERS + 1, cells.shape, np.uint8)
    return Worlds(sizes, heroes, blocked, np.where(marked, counts, np.uint8(0)))

"""Pictures of Karel worlds and tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from taskspace.envs.basickarel import AGENT, DARK, MARKER
from taskspace.envs.drawing import BLUE, INK, ORANGE
from taskspace.envs.karel.data import EXAMPLES, SPECIFICATION, KarelTask
from taskspace.envs.karel.language import parse, pretty
from taskspace.envs.karel.worlds import COLUMN_STEP, ROW_STEP, Worlds

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_world(world: Worlds, ax: Axes) -> None:
    """Draw one world: dark walls, diamonds with numbers for markers, a triangle for the hero."""
    from matplotlib.patches import Polygon, Rectangle

    if world.shape:
        raise ValueError(f"world must be one world, got worlds of shape {world.shape}")
    rows, columns = world.sizes.tolist()
    ax.axis("off")
    ax.set(xlim=(-0.2, columns + 0.2), ylim=(-0.2, rows + 0.2), aspect="equal")
    for row, column in np.ndindex(rows, columns):
        face = DARK if world.walls[row, column] else "white"
        ax.add_patch(Rectangle((column, row), 1, 1, fc=face, ec="#cfd4db", lw=0.8))
        if world.markers[row, column]:
            ax.add_patch(Polygon(MARKER + np.array([column + 0.5, row + 0.5]), fc=ORANGE, lw=0))
    _draw_hero(world, ax)
    for row, column in np.argwhere(world.markers > 1).tolist():
        on_hero = [row, column] == world.heroes[:2].tolist()
        ax.text(
            column + 0.5, row + 0.48, str(world.markers[row, column]),
            size=_letter_size(ax, max(rows, columns)), weight="bold", ha="center", va="center",
            color="white" if on_hero else INK,
        )  # fmt: skip
    ax.add_patch(Rectangle((0, 0), columns, rows, fill=False, ec=INK, lw=1.5))


def _draw_hero(world: Worlds, ax: Axes) -> None:
    from matplotlib.patches import Polygon

    row, column, facing = world.heroes.tolist()
    right, up = COLUMN_STEP[facing], ROW_STEP[facing]
    middle = np.array([column + 0.5, row + 0.5])
    corners = np.dot(AGENT, ((up, -right), (right, up))) + middle
    ax.add_patch(Polygon(corners, fc=BLUE, ec="white", lw=0.8))


def _letter_size(ax: Axes, cells: int) -> float:
    """The font size, in points, of a letter that fits in a cell."""
    box = ax.get_window_extent()
    return 0.42 * min(box.width, box.height) / cells * 72 / float(ax.figure.dpi)


def draw_task(task: KarelTask, title: str) -> Figure:
    """Draw a task: its program, and three rows of two examples beside it."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(14, 9.4), dpi=120)
    heading = title.replace(": ", "\n")
    figure.text(0.02, 0.975, heading, size=12, weight="bold", color=INK, va="top")
    program = pretty(parse(task.tokens))
    lines = program.splitlines()
    size = min(10, 400 / max(map(len, lines)), 480 / len(lines))  # points that fit at the left
    figure.text(0.02, 0.90, program, size=size, family="monospace", color=INK, va="top")
    grid = figure.add_gridspec(3, 4, left=0.27, right=0.99, top=0.95, bottom=0.02, hspace=0.12)
    for number in range(len(task.inputs)):
        row, column = divmod(number, 2)
        before, after = (figure.add_subplot(grid[row, 2 * column + end]) for end in range(2))
        # Positions in the grid, because the axes shrink to the shapes of the worlds.
        left, right = (axes.get_position(original=True) for axes in (before, after))
        middle = (left.x1 + right.x0) / 2, (left.y0 + left.y1) / 2
        figure.text(left.x0, left.y1 + 0.005, example_name(task, number), size=10, color=INK)
        figure.text(*middle, "→", size=20, color=INK, ha="center", va="center")
        draw_world(task.inputs[number], before)
        draw_world(task.outputs[number], after)
    return figure


def example_name(task: KarelTask, number: int) -> str:
    """The number of an example, and whether it is held out or crashed."""
    held_out = ", held out" if number >= SPECIFICATION else ""
    crashed = ", crashes" if task.crashed[number] else ""
    return f"example {number + 1} of {EXAMPLES}{held_out}{crashed}"

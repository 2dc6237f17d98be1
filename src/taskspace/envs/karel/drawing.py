"""Pictures of Karel worlds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from taskspace.envs.basickarel import AGENT, DARK, MARKER
from taskspace.envs.drawing import BLUE, INK, ORANGE
from taskspace.envs.karel.worlds import COLUMN_STEP, ROW_STEP, Worlds

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_world(world: Worlds, ax: Axes) -> None:
    """One world: walls dark, a diamond with a number for markers, the hero a triangle."""
    from matplotlib.patches import Polygon, Rectangle

    if world.shape:
        raise ValueError(f"draw one world at a time, not worlds of shape {world.shape}")
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
    """Points of a letter that fits in a cell."""
    box = ax.get_window_extent()
    return 0.42 * min(box.width, box.height) / cells * 72 / float(ax.figure.dpi)

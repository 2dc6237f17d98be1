"""PointMass: steer a mass through a gate in a wall to the goal behind it."""

from __future__ import annotations

from math import exp, hypot, inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from taskspace.envs.base import Column, Environment
from taskspace.envs.drawing import BAD, BLUE, GOOD, INK, TITLE, fit
from taskspace.envs.lanes import FAILED, RUNNING, SOLVED
from taskspace.envs.streams import uniform

if TYPE_CHECKING:
    from matplotlib.axes import Axes

X, VX, Y, VY, GATE, WIDTH, FRICTION = range(7)
SIDE, START_Y, GOAL_Y, GOAL_RADIUS, MAX_FORCE = 4.0, 3.0, -3.0, 0.25, 10.0
MIN_WIDTH, MAX_WIDTH, MAX_FRICTION = 0.5, 8.0, 4.0
SUBSTEPS, TAU, PUSH, NOISE = 10, 0.01, 1.5, 0.05

# -- tasks -----------------------------------------------------------------------------------------


@njit
def sample(task, stream, distribution):
    """A uniform gate and friction.

    Distribution 1 has gates to the left of the start, 2 all other gates, and 3 gates to its right.
    """
    task[X], task[VX], task[Y], task[VY] = 0.0, 0.0, START_Y, 0.0
    while True:
        gate = -SIDE + 2 * SIDE * uniform(stream)
        width = MIN_WIDTH + (MAX_WIDTH - MIN_WIDTH) * uniform(stream)
        left, right = gate + width / 2 < 0.0, gate - width / 2 > 0.0
        if distribution == 0 or (distribution == 1 and left):
            break
        if (distribution == 2 and not left) or (distribution == 3 and right):
            break
    task[GATE], task[WIDTH] = gate, width
    task[FRICTION] = MAX_FRICTION * uniform(stream)


# -- dynamics --------------------------------------------------------------------------------------


@njit
def clip(value, bound):
    """The nearest number in [-bound, bound]."""
    return min(max(value, -bound), bound)


@njit(error_model="numpy", fastmath={"contract"})
def step(state, action, normals):
    """One of ten Euler steps under one force; a collision with the wall or the goal ends them.

    There are no branches, so that a loop over many episodes is vectorized. Products and sums may be
    fused, in the same way for one episode as for many.
    """
    force_x, force_y = clip(action[0], MAX_FORCE), clip(action[1], MAX_FORCE)
    x, vx, y, vy = state[X], state[VX], state[Y], state[VY]
    ax = PUSH * force_x - state[FRICTION] * vx + NOISE * normals[0]
    ay = PUSH * force_y - state[FRICTION] * vy + NOISE * normals[1]
    new_x, new_y = clip(x + TAU * vx, SIDE), clip(y + TAU * vy, SIDE)
    crosses = ((y >= 0.0) & (new_y < 0.0)) | ((y <= 0.0) & (new_y > 0.0))
    # It crosses the wall at x - y (new_x - x) / (new_y - y); a division would take longer.
    height = new_y - y
    off_centre = (x - state[GATE]) * height - y * (new_x - x)
    crashed = crosses & (abs(off_centre) > state[WIDTH] / 2 * abs(height))
    at_goal = new_x * new_x + (new_y - GOAL_Y) ** 2 < GOAL_RADIUS**2
    state[X], state[VX], state[Y], state[VY] = new_x, vx + TAU * ax, new_y, vy + TAU * ay
    return FAILED if crashed else SOLVED if at_goal else RUNNING


@njit
def reward(state, status):
    """The shaped reward: larger near the gate, then near the goal, and very large at the goal."""
    if status == SOLVED:
        return 10_000.0
    if state[Y] > 0.0:
        return 1e-4 * exp(-0.6 * hypot(state[X] - state[GATE], state[Y]))
    return 1e-3 * exp(-0.6 * hypot(state[X], state[Y] - GOAL_Y))


# -- drawing ---------------------------------------------------------------------------------------

LABEL: dict[str, Any] = {"size": 8, "va": "center", "zorder": 6}


def _gate(task: NDArray[np.float64]) -> tuple[float, float]:
    """The ends of the gate, clipped to the square."""
    ends = np.clip(task[GATE] + task[WIDTH] * np.array([-0.5, 0.5]), -SIDE, SIDE)
    return float(ends[0]), float(ends[1])


def _draw_square(ax: Axes, task: NDArray[np.float64]) -> None:
    """The square, shaded by friction, with the wall, the gate, the start and the goal."""
    from matplotlib.patches import Circle, Rectangle

    ax.axis("off")
    ax.set(xlim=(-4.2, 4.2), ylim=(-4.2, 4.95), aspect="equal")
    shade = 0.05 + 0.5 * task[FRICTION] / MAX_FRICTION
    box = (-SIDE, -SIDE), 2 * SIDE, 2 * SIDE
    ax.add_patch(Rectangle(*box, fc="#d9c7a3", alpha=shade, lw=0))
    ax.add_patch(Rectangle(*box, fill=False, ec=INK, lw=2.5))
    left, right = _gate(task)
    ax.hlines([0, 0], [-SIDE, right], [left, SIDE], color=INK, lw=6)
    ax.hlines(0, left, right, color=GOOD, lw=1.5, ls=(0, (2, 2)))
    ax.add_patch(Circle((0, GOAL_Y), GOAL_RADIUS, fc=GOOD, lw=0, zorder=3))
    ax.text(0.45, GOAL_Y, "goal", color=GOOD, weight="bold", **LABEL)
    ax.plot(0, START_Y, "o", ms=10, mfc="white", mec=BLUE, mew=1.5, zorder=3)
    ax.text(0.45, START_Y, "start", color=BLUE, weight="bold", **LABEL)
    ax.text(-3.8, -3.65, f"friction {task[FRICTION]:.1f}", color=INK, **LABEL)
    ax.text(3.8, -3.65, f"gate {task[WIDTH]:.1f} wide", color=INK, ha="right", **LABEL)


def _draw_title(ax: Axes, title: str, colour: str) -> None:
    """A title above the square."""
    ax.text(0, 4.55, title, color=colour, **TITLE)


def _crashed(before: NDArray[np.float64], after: NDArray[np.float64]) -> bool:
    """Whether this step ended in the wall: just behind it, and beside the gate."""
    x, vx, y, vy = after[: VY + 1]
    crossed = (before[Y] >= 0 > y) or (before[Y] <= 0 < y)
    if not crossed or abs(y) > TAU * (abs(vy) + 1.0):
        return False
    crossing = x - vx * y / vy if vy else x
    return bool(abs(crossing - after[GATE]) > after[WIDTH] / 2)


# -- the environment -------------------------------------------------------------------------------


class PointMass(Environment):
    """Reach the goal behind the gate within 100 steps. There is no expert."""

    name = "PointMass"
    varies_by = "dynamics"
    columns = (
        Column("x", 0, 0, state_low=-SIDE, state_high=SIDE),
        Column("vx", 0, 0, state_low=-inf, state_high=inf),
        Column("y", START_Y, START_Y, state_low=-SIDE, state_high=SIDE),
        Column("vy", 0, 0, state_low=-inf, state_high=inf),
        Column("gatePosition", -SIDE, SIDE),
        Column("gateWidth", MIN_WIDTH, MAX_WIDTH),
        Column("friction", 0.0, MAX_FRICTION),
    )
    context = ("gatePosition", "gateWidth", "friction")
    action_names = ("forceX", "forceY")
    action_bound = MAX_FORCE
    horizon = 100
    gamma = 1.0  # the paper's 0.99 discounts rewards in training; no step fails at random
    cluster_names = ("straight", "steer left", "steer right")
    goal = "An agent steers a point through a gate to the goal behind it."
    cluster_description = "where the gate is, seen from the start; this was not used in learning"
    distributions = ("all", "left", "not-left", "right")
    sample, step, reward = sample, step, reward
    normals, substeps = 2, SUBSTEPS

    def clusters(self, tasks: ArrayLike) -> NDArray[np.int64]:
        """The direction to the gate."""
        rows = self.rows(tasks)
        left = rows[:, GATE] + rows[:, WIDTH] / 2 < 0
        right = rows[:, GATE] - rows[:, WIDTH] / 2 > 0
        return np.where(left, 1, np.where(right, 2, 0))

    def draw_state(self, state: NDArray[np.float64], ax: Axes) -> None:
        """The square with the mass in it, and an arrow for its velocity."""
        _draw_square(ax, state)
        where = ("straight ahead", "to the left", "to the right")[self.clusters(state)[0]]
        _draw_title(ax, f"Reach the goal: gate {where}", INK)
        middle = min(max(sum(_gate(state)) / 2, -3.4), 3.4)
        ax.text(middle, 0.4, "gate", color=GOOD, ha="center", weight="bold", **LABEL)
        x, y, speed = state[X], state[Y], hypot(state[VX], state[VY])
        if speed > 0.05:
            reach = min(0.5 + 0.2 * speed, 2.0) / speed
            tip = np.clip((x + reach * state[VX], y + reach * state[VY]), -SIDE, SIDE)
            arrow = {"arrowstyle": "-|>", "color": BLUE, "lw": 2, "shrinkA": 0, "shrinkB": 0}
            ax.annotate("", tuple(tip), (x, y), arrowprops=arrow, zorder=4)
        ax.plot(x, y, "o", ms=11, mfc=BLUE, mec="white", mew=1.5, zorder=5)
        fit(ax)

    def draw_path(self, states: NDArray[np.float64], actions: Any, ax: Axes) -> None:
        """The path of the mass, with one dot per step."""
        _draw_square(ax, states[0])
        ax.plot(states[:, X], states[:, Y], "-", color=BLUE, lw=1.8, zorder=4)
        ax.plot(states[:, X], states[:, Y], ".", color=BLUE, ms=5, zorder=4)
        last, steps = states[-1], len(states) - 1
        took = f"{steps} step{'' if steps == 1 else 's'}"
        title, mark, colour = f"The first {took}", "o", INK
        if hypot(last[X], last[Y] - GOAL_Y) < GOAL_RADIUS:
            title, mark, colour = f"Solved in {took}", "*", GOOD
        elif steps and _crashed(states[-2], last):
            title, mark, colour = f"Crashed into the wall after {took}", "X", BAD
        elif steps >= self.horizon:
            title = f"Out of time after {took}"
        size = 9 if mark == "o" else 15
        ax.plot(last[X], last[Y], mark, ms=size, mfc=colour, mec="white", mew=1.2, zorder=7)
        _draw_title(ax, title, colour)
        fit(ax)

    @property
    def page_drawing(self) -> dict[str, Any]:
        """The walls, the gate and the goal."""
        return {"kind": "point-mass"}

    def text(self, state: NDArray[np.float64]) -> str:
        """The square as 17 by 9 characters: wall, gate, goal and mass."""
        rows = [[" "] * 17 for _ in range(9)]
        for column in range(17):
            inside = abs(column / 2 - SIDE - state[GATE]) <= state[WIDTH] / 2
            rows[4][column] = " " if inside else "━"
        rows[7][8] = "◎"
        row, column = round(SIDE - float(state[Y])), round(2 * (float(state[X]) + SIDE))
        rows[row][column] = "●"
        frame = "\n".join(f"│{''.join(line)}│" for line in rows)
        caption = (
            f"gate at {state[GATE]:.1f}, {state[WIDTH]:.1f} wide, friction {state[FRICTION]:.1f}"
        )
        return f"┌{'─' * 17}┐\n{frame}\n└{'─' * 17}┘\n{caption}"
